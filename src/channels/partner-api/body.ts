/** Builds the call that sends a message. A file travels in it as base64, so that the gateway need not reach the platform. */
import type { OutboundMessage } from '../channel.ts';
import { textOf, type ContentOf } from '../content.ts';
import type { Person } from '../identity.ts';
import { nameFilesOf } from '../templates/name-files.ts';
import { asList, asRecord, asText, type Json } from '../values.ts';
import { FILE_HERE, streamJson } from '../../platform/outside/json-with-file.ts';
import type { StreamedBody } from '../../platform/outside/outbound-stream.ts';
import { toJid } from './jid.ts';

export interface SendCall {
  path: string;
  body: Json | StreamedBody;
}

/** The person who quotes a message sees it above the answer. The gateway finds the quoted message by its id. */
const quotePart = ({ replyTo }: OutboundMessage): Json =>
  replyTo === null ? {} : { quoted: { key: { id: replyTo } } };

/** Returns null for a content that this channel does not send, or that lacks the parts of its type. */
export function buildCall(message: OutboundMessage, number: string): SendCall | null {
  const { content, file, to } = message;
  switch (content.contentType) {
    case 'TEXT':
      if (content.content === null) return null;
      return { path: 'message/sendText', body: { number, text: content.content, ...quotePart(message) } };
    case 'IMAGE':
      return buildMedia(message, number, 'image');
    case 'VIDEO':
      return buildMedia(message, number, 'video');
    case 'DOCUMENT':
      return buildMedia(message, number, 'document');
    case 'AUDIO':
      return file?.voice
        ? streamFile(message, { number, property: 'audio', path: 'message/sendWhatsAppAudio' })
        : buildMedia(message, number, 'audio');
    case 'STICKER':
      return streamFile(message, { number, property: 'sticker', path: 'message/sendSticker' });
    case 'LOCATION':
      return { path: 'message/sendLocation', body: { number, ...namePlace(content), ...quotePart(message) } };
    case 'CONTACTS': {
      const contact = content.contacts.map(toCard);
      if (contact.length === 0 || contact.includes(null)) return null;
      return { path: 'message/sendContact', body: { number, contact, ...quotePart(message) } };
    }
    case 'TEMPLATE':
      return buildTemplate(content, message, number);
    case 'REACTION':
      return { path: 'message/sendReaction', body: buildReaction(content, to) };
    case 'INTERACTIVE':
    case 'UNSUPPORTED':
      return null;
  }
}

/** The gateway refuses a place without a name or an address. */
function namePlace({ location: { latitude, longitude, name, address } }: ContentOf<'LOCATION'>): Json {
  const place = `${latitude}, ${longitude}`;
  return { name: name || place, address: address || place, latitude, longitude };
}

/** An empty text removes the earlier reaction. */
const buildReaction = ({ reaction: { externalId, emoji, isOurs } }: ContentOf<'REACTION'>, to: Person): Json => ({
  key: { id: externalId, remoteJid: toJid(to), fromMe: isOurs === true },
  reaction: emoji ?? '',
});

function buildTemplate({ template }: ContentOf<'TEMPLATE'>, message: OutboundMessage, number: string): SendCall | null {
  if (!template) return null;
  const { name, language } = template;
  const components = nameFilesOf(template.components, message);
  // The Cloud API behind the gateway takes no empty list.
  const body = { number, name, language, ...(components.length > 0 && { components }), ...quotePart(message) };
  return { path: 'message/sendTemplate', body };
}

interface FileCall {
  number: string;
  /** The name of the file in the body. */
  property: string;
  path: string;
}

function streamFile(message: OutboundMessage, { number, property, path }: FileCall): SendCall | null {
  const { file } = message;
  return file && { path, body: streamJson({ number, ...quotePart(message), [property]: FILE_HERE }, file) };
}

function buildMedia(message: OutboundMessage, number: string, mediatype: string): SendCall | null {
  const { file, content } = message;
  if (!file) return null;
  const caption = textOf(content);
  const fields = {
    number,
    mediatype,
    mimetype: file.mimeType,
    fileName: file.fileName,
    ...(caption && { caption }),
    ...quotePart(message),
    media: FILE_HERE,
  };
  return { path: 'message/sendMedia', body: streamJson(fields, file) };
}

/** Returns a contact card for the gateway, which needs a name and a phone number. */
function toCard(card: unknown): Json | null {
  const { name, phones } = asRecord(card) ?? {};
  const phone = asRecord(asList(phones)[0]);
  const phoneNumber = asText(phone?.phone) ?? asText(phone?.wa_id);
  if (phoneNumber === null) return null;
  return { fullName: asText(asRecord(name)?.formatted_name) ?? phoneNumber, phoneNumber };
}
