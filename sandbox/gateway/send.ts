import { getOwnProperty, toObject, toText, type Answer, type Json } from '../exchange.ts';
import type { Sandbox } from '../state.ts';
import { checkTemplateMessage } from '../template-messages.ts';
import { postEvent, reportStates } from './events.ts';
import { createJid } from './jid.ts';
import { showFile, showMessage } from './shown.ts';
import { keepMessage, makeKeyId, type Instance } from './state.ts';

/** What a call sends: the message as the gateway shows it, and its file. */
type Sent = { messageType: string; message: Json; base64?: string };

type Build = (body: Json, instance: Instance, sandbox: Sandbox) => Sent | Answer;

export const refuse = (status: number, error: string, message: unknown): Answer => ({
  status,
  body: { status, error, response: { message } },
});

const badRequest = (message: string): Answer => refuse(400, 'Bad Request', [message]);
export const unavailable = (): Answer => badRequest('Method not available');

/** A file has to be base64 without a prefix, or a link. */
function readFile(body: Json, property: string): string | Answer {
  const file = toText(getOwnProperty(body, property)) ?? '';
  const isBase64 = file.length > 0 && file.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(file);
  return isBase64 || /^https?:\/\/(?!localhost)/.test(file) ? file : badRequest('Owned media must be a url or base64');
}

const MEDIA_TYPES = ['image', 'video', 'document', 'audio'];

function buildMedia(body: Json): Sent | Answer {
  const mediatype = String(body['mediatype']);
  if (!MEDIA_TYPES.includes(mediatype)) return badRequest('mediatype is not one of enum values');
  const file = readFile(body, 'media');
  if (typeof file !== 'string') return file;
  if (mediatype === 'document' && !body['fileName']) return badRequest('For base64 the file name must be informed.');
  const { mimetype, fileName, caption } = body;
  const messageType = `${mediatype}Message`;
  return { messageType, message: { [messageType]: { mimetype, fileName, caption } }, base64: file };
}

const createFileBuilder =
  (property: string, messageType: string, facts: Json): Build =>
  (body) => {
    const file = readFile(body, property);
    return typeof file === 'string' ? { messageType, message: { [messageType]: facts }, base64: file } : file;
  };

/** The gateway answers a refusal of the Cloud API with 201, and shows a sent template by its name only. */
function buildTemplate({ name, language, components }: Json, instance: Instance, sandbox: Sandbox): Sent | Answer {
  if (instance.integration !== 'business') return unavailable();
  const template = { name, language: { code: language }, components };
  const failure = checkTemplateMessage(sandbox, instance, { type: 'template', template });
  if (!failure) return { messageType: 'conversation', message: { conversation: `▶️${String(name)}◀️` } };
  const { code, details } = failure;
  return {
    status: 201,
    body: { message: `(#${code}) refused`, type: 'OAuthException', code, error_data: { details } },
  };
}

/** The properties that each call needs, and what it sends. */
const SENDS: Record<string, { required: string[]; build: Build }> = {
  sendText: {
    required: ['number', 'text'],
    build: ({ text }) => ({ messageType: 'conversation', message: { conversation: text } }),
  },
  sendMedia: { required: ['number', 'mediatype', 'media'], build: buildMedia },
  sendWhatsAppAudio: {
    required: ['number', 'audio'],
    build: createFileBuilder('audio', 'audioMessage', { mimetype: 'audio/ogg; codecs=opus', ptt: true }),
  },
  sendSticker: {
    required: ['number', 'sticker'],
    build: createFileBuilder('sticker', 'stickerMessage', { mimetype: 'image/webp' }),
  },
  sendLocation: {
    required: ['number', 'name', 'address', 'latitude', 'longitude'],
    build: ({ latitude, longitude, name, address }) => ({
      messageType: 'locationMessage',
      message: { locationMessage: { degreesLatitude: latitude, degreesLongitude: longitude, name, address } },
    }),
  },
  sendContact: {
    required: ['number', 'contact'],
    build: ({ contact }) => ({ messageType: 'contactMessage', message: { contactMessage: { contacts: contact } } }),
  },
  sendReaction: {
    required: ['key'],
    // An empty text removes the earlier reaction.
    build: ({ key, reaction }) =>
      typeof reaction === 'string'
        ? { messageType: 'reactionMessage', message: { reactionMessage: { key, text: reaction } } }
        : badRequest('instance requires property "reaction"'),
  },
  sendTemplate: {
    required: ['number', 'name', 'language'],
    build: buildTemplate,
  },
};

export const isSend = (place: string): boolean => Object.hasOwn(SENDS, place);

/** Accepts a message, tells the webhook about it, and answers as the gateway does. */
export async function sendThrough(sandbox: Sandbox, instance: Instance, place: string, body: Json): Promise<Answer> {
  const { required, build } = getOwnProperty(SENDS, place) ?? { required: [], build: unavailable };
  const missing = required.filter((name) => (getOwnProperty(body, name) ?? '') === '');
  if (missing.length > 0)
    return refuse(400, 'Bad Request', [missing.map((name) => `instance requires property "${name}"`)]);
  const number = toText(body['number']) ?? toText(toObject(body['key'])['remoteJid']) ?? '';
  const jid = createJid(number);
  if (instance.state !== 'open') return badRequest('Error: Connection Closed');
  if (sandbox.gateway.settings.unknown_numbers.includes(number))
    return refuse(400, 'Bad Request', [{ jid, exists: false, number }]);
  const sent = build(body, instance, sandbox);
  if ('status' in sent) return sent;
  const key = { remoteJid: jid, fromMe: true, id: makeKeyId(sandbox.gateway, instance) };
  const { messageType, message, base64 = null } = sent;
  const data = {
    key,
    pushName: '',
    status: 'PENDING',
    message,
    messageType,
    messageTimestamp: Math.floor(Date.now() / 1_000),
    instanceId: instance.name,
    source: 'unknown',
  };
  const quoted = toText(toObject(toObject(body['quoted'])['key'])['id']) ?? null;
  const stored = keepMessage(sandbox.gateway, key.id, { instance: instance.name, number, data, base64, quoted });
  showFile(sandbox, stored);
  showMessage(sandbox, key.id);
  const { echo_first: isFirst, echo_event: event, echo_text: text } = sandbox.gateway.settings;
  const report = postEvent(
    sandbox,
    instance,
    event,
    text === null ? data : { ...data, message: { conversation: text } },
  );
  if (isFirst) await report;
  void reportStates(sandbox, instance, key);
  return { status: 201, body: instance.integration === 'business' ? repeatFile(data, sent) : data };
}

/** An instance on the Cloud API repeats the file in its answer. */
const repeatFile = (data: Json, { messageType, message, base64 }: Sent): Json =>
  base64 === undefined
    ? data
    : { ...data, message: { [messageType]: { ...toObject(getOwnProperty(message, messageType)), media: base64 } } };
