/** The routes that send texts, files and templates. */
import { readList, readText, readValue } from '../lenient.ts';
import { badRequest, invalidBody } from './errors.ts';
import { expectTexts, readGiven } from './given.ts';
import { storeFile, type WantedFile } from './media.ts';
import type { EvolutionRoutes, InstanceRoute } from './route.ts';
import { sendContent, type Content, type Send } from './sending.ts';

type MakeContent = (send: Send) => Content | Promise<Content>;

/** Declares a route that sends. `part` is the name of the object that had its content in version 1. */
export const sendRoute = (part: string, make: MakeContent, list?: string): InstanceRoute => ({
  hasFile: true,
  run(caller, asked, inbox) {
    const send = { caller, asked, inbox, given: readGiven(asked, part, list) };
    return sendContent(send, () => make(send));
  },
});

function makeText({ given }: Send): Content {
  if (typeof readValue(given, 'text') !== 'string' && given.text !== '') expectTexts(given, 'text');
  const text = readText(given, 'text') ?? '';
  if (text.trim() === '') throw badRequest('Text is required');
  return { path: '/v1/messages/send-text', message: { content: text } };
}

const MEDIA_TYPES = new Map<string, WantedFile['fileType']>([
  ['image', 'IMAGE'],
  ['document', 'DOCUMENT'],
  ['video', 'VIDEO'],
  ['ptv', 'VIDEO'],
  ['audio', 'AUDIO'],
  ['sticker', 'STICKER'],
]);

function makeMedia(send: Send): Promise<Content> {
  const [mediatype = ''] = expectTexts(send.given, 'mediatype');
  const fileType = MEDIA_TYPES.get(mediatype);
  if (!fileType) throw invalidBody('instance.mediatype is not one of enum values: image,document,video,audio,ptv');
  return makeFile(send, fileType, 'media');
}

/** `names`: the properties that may have the file. */
async function makeFile(send: Send, fileType: WantedFile['fileType'], ...names: string[]): Promise<Content> {
  const { given, asked } = send;
  const media = names.map((name) => readText(given, name)).find((each) => each !== null) ?? null;
  if (media === null && !asked.file) throw badRequest('Owned media must be a url or base64');
  const attachment = await storeFile(send, { media, fileName: readText(given, 'fileName'), fileType });
  const caption = readText(given, 'caption');
  const isCaptioned = caption !== null && fileType !== 'AUDIO' && fileType !== 'STICKER';
  return {
    path: `/v1/messages/send-${fileType.toLowerCase()}`,
    message: { attachment, ...(isCaptioned && { content: caption }) },
  };
}

function makeTemplate({ given }: Send): Content {
  const [name, language] = expectTexts(given, 'name', 'language');
  const components = readList(given, 'components');
  const template = { name, language, ...(components.length > 0 && { components }) };
  return { path: '/v1/messages/send-template', message: { template } };
}

export const SEND_ROUTES: EvolutionRoutes = {
  'POST message/sendText': sendRoute('textMessage', makeText),
  'POST message/sendMedia': sendRoute('mediaMessage', makeMedia),
  'POST message/sendWhatsAppAudio': sendRoute('audioMessage', (send) => makeFile(send, 'AUDIO', 'audio')),
  'POST message/sendSticker': sendRoute('stickerMessage', (send) => makeFile(send, 'STICKER', 'sticker', 'image')),
  'POST message/sendPtv': sendRoute('videoMessage', (send) => makeFile(send, 'VIDEO', 'video')),
  'POST message/sendTemplate': sendRoute('templateMessage', makeTemplate),
};
