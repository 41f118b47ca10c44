/** Builds the call that sends a message. A file travels in it as base64, so that the gateway need not reach the platform. */
import { Readable } from 'node:stream';
import type { OutboundMessage } from '../channel.ts';
import type { ContentType } from '../content.ts';
import type { OutboundFile } from '../media.ts';
import { nameFilesOf } from '../templates/name-files.ts';
import { asList, asRecord, asText, type Json } from '../values.ts';
import type { StreamedBody } from '../../platform/outside/outbound-stream.ts';
import { toJid } from './jid.ts';

export interface SendCall {
  path: string;
  body: Json | StreamedBody;
}

type Builder = (message: OutboundMessage, number: string) => SendCall | null;

/** Returns null for a content that this channel does not send, or that lacks the parts of its type. */
export function buildCall(message: OutboundMessage, number: string): SendCall | null {
  return builders[message.content.contentType]?.(message, number) ?? null;
}

/** The person who quotes a message sees it above the answer. The gateway finds the quoted message by its id. */
const quotePart = ({ replyTo }: OutboundMessage): Json =>
  replyTo === null ? {} : { quoted: { key: { id: replyTo } } };

/** A content type that is missing here is one that this channel does not send. */
const builders: { [type in ContentType]?: Builder } = {
  TEXT: (message, number) => {
    const { content } = message.content;
    if (content === null) return null;
    return { path: 'message/sendText', body: { number, text: content, ...quotePart(message) } };
  },
  IMAGE: (message, number) => buildMedia(message, number, 'image'),
  VIDEO: (message, number) => buildMedia(message, number, 'video'),
  DOCUMENT: (message, number) => buildMedia(message, number, 'document'),
  AUDIO: (message, number) => {
    const { file } = message;
    if (!file?.voice) return buildMedia(message, number, 'audio');
    const body = streamJson({ number, ...quotePart(message) }, 'audio', file);
    return { path: 'message/sendWhatsAppAudio', body };
  },
  STICKER: (message, number) =>
    message.file && {
      path: 'message/sendSticker',
      body: streamJson({ number, ...quotePart(message) }, 'sticker', message.file),
    },
  LOCATION: (message, number) => {
    const { location } = message.content;
    if (!location) return null;
    const { latitude, longitude } = location;
    // The gateway refuses a place without a name or an address.
    const place = `${latitude}, ${longitude}`;
    const { name, address } = { name: location.name || place, address: location.address || place };
    const body = { number, name, address, latitude, longitude, ...quotePart(message) };
    return { path: 'message/sendLocation', body };
  },
  CONTACTS: (message, number) => {
    const contact = asList(message.content.contacts).map(toCard);
    if (contact.length === 0 || contact.includes(null)) return null;
    return { path: 'message/sendContact', body: { number, contact, ...quotePart(message) } };
  },
  TEMPLATE: (message, number) => {
    const { content, file, cards } = message;
    if (!content.template) return null;
    const { name, language } = content.template;
    const components = nameFilesOf(content.template.components, { file, cards });
    // The Cloud API behind the gateway takes no empty list.
    const body = { number, name, language, ...(components.length > 0 && { components }), ...quotePart(message) };
    return { path: 'message/sendTemplate', body };
  },
  // People react to what others wrote, so the message is one of the contact. An empty text removes the earlier reaction.
  REACTION: ({ content: { reaction }, to }) =>
    reaction && {
      path: 'message/sendReaction',
      body: {
        key: { id: reaction.externalId, remoteJid: toJid(to), fromMe: false },
        reaction: reaction.emoji ?? '',
      },
    },
};

function buildMedia(message: OutboundMessage, number: string, mediatype: string): SendCall | null {
  const { file, content } = message;
  if (!file) return null;
  const fields = {
    number,
    mediatype,
    mimetype: file.mimeType,
    fileName: file.fileName,
    ...(content.content && { caption: content.content }),
    ...quotePart(message),
  };
  return { path: 'message/sendMedia', body: streamJson(fields, 'media', file) };
}

/** Returns a contact card for the gateway, which needs a name and a phone number. */
function toCard(card: unknown): Json | null {
  const { name, phones } = asRecord(card) ?? {};
  const phone = asRecord(asList(phones)[0]);
  const phoneNumber = asText(phone?.phone) ?? asText(phone?.wa_id);
  if (phoneNumber === null) return null;
  return { fullName: asText(asRecord(name)?.formatted_name) ?? phoneNumber, phoneNumber };
}

/** The length of bytes in base64. */
const base64Length = (bytes: number): number => 4 * Math.ceil(bytes / 3);

/** Returns a JSON object whose last property is a file, as a stream. */
function streamJson(fields: Json, property: string, file: OutboundFile): StreamedBody {
  const head = Buffer.from(`${JSON.stringify(fields).slice(0, -1)},${JSON.stringify(property)}:"`);
  const tail = Buffer.from('"}');
  const stream = Readable.from(joinParts(head, file, tail), { objectMode: false });
  return { stream, bytes: head.length + base64Length(file.bytes) + tail.length };
}

async function* joinParts(head: Buffer, file: OutboundFile, tail: Buffer): AsyncGenerator<Buffer> {
  yield head;
  let rest = Buffer.alloc(0);
  for await (const chunk of (await file.open()) as AsyncIterable<Buffer | string>) {
    const bytes = Buffer.concat([rest, Buffer.from(chunk as Buffer)]);
    // Three bytes are four characters, so the bytes beyond a multiple of three wait for the next chunk.
    const whole = bytes.length - (bytes.length % 3);
    if (whole > 0) yield Buffer.from(bytes.toString('base64', 0, whole));
    rest = bytes.subarray(whole);
  }
  if (rest.length > 0) yield Buffer.from(rest.toString('base64'));
  yield tail;
}
