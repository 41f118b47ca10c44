/**
 * Reads the content of a message, with one reader for each message type of the network. A reader returns null when parts that it needs are
 * missing.
 */
import { makeInteractiveReply, type MessageContent, type ReceivedFile } from '../content.ts';
import type { FileType } from '../../platform/work/media/formats.ts';
import { getOwnProperty } from '../../platform/values/own-property.ts';
import { asIdentifier, asLabel, asNumber, asRecord, asText, parseResponse, toStorable, type Json } from '../values.ts';

type Reader = (message: Json) => MessageContent | null;

function readText(message: Json): MessageContent | null {
  const content = asText(asRecord(message.text)?.body);
  return content === null ? null : { contentType: 'TEXT', content };
}

function readSystem(message: Json): MessageContent | null {
  const system = asRecord(message.system);
  return system && { contentType: 'TEXT', content: asText(system.body) };
}

type MediaPart = 'image' | 'video' | 'audio' | 'voice' | 'document' | 'sticker';

function createMediaReader(type: MediaPart, contentType: FileType): Reader {
  return (message) => {
    const file = asRecord(message[type]);
    if (!file) return null;
    const size = asNumber(file.file_size);
    const media: ReceivedFile = {
      mimeType: asLabel(file.mime_type),
      fileName: asLabel(file.filename),
      size: size !== null && Number.isSafeInteger(size) && size >= 0 ? size : null,
      networkId: asIdentifier(file.id),
      sha256: asLabel(file.sha256),
    };
    return { contentType, content: asText(file.caption), media };
  };
}

function readLocation(message: Json): MessageContent | null {
  const place = asRecord(message.location);
  const latitude = asNumber(place?.latitude);
  const longitude = asNumber(place?.longitude);
  if (!place || latitude === null || longitude === null) return null;
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) return null;
  const { name, address, url } = place;
  return {
    contentType: 'LOCATION',
    location: { latitude, longitude, name: asText(name), address: asText(address), url: asText(url) },
  };
}

function readCards(message: Json): MessageContent | null {
  if (!Array.isArray(message.contacts)) return null;
  return {
    contentType: 'CONTACTS',
    contacts: message.contacts.filter((card) => asRecord(card) !== null).map((card) => toStorable(card)),
  };
}

function readReaction(message: Json): MessageContent | null {
  const reaction = asRecord(message.reaction);
  const externalId = asIdentifier(reaction?.message_id);
  // The network reports a removed reaction with an empty emoji, or with no emoji at all.
  return externalId === null
    ? null
    : { contentType: 'REACTION', reaction: { externalId, emoji: asText(reaction?.emoji) || null } };
}

const REPLIES = ['button_reply', 'list_reply', 'nfm_reply'];

function readInteractive(message: Json): MessageContent | null {
  const interactive = asRecord(message.interactive);
  if (!interactive) return null;
  const named = asIdentifier(interactive.type);
  // Some senders give a reply another type. So when the part that the type names is missing, the type of a reply part that is present is
  // used.
  const type = [named, ...REPLIES].find((name) => name !== null && asRecord(getOwnProperty(interactive, name)));
  const reply = type ? asRecord(getOwnProperty(interactive, type)) : null;
  if (!type || !reply) return null;
  if (type === 'button_reply' || type === 'list_reply') {
    const title = asText(reply.title);
    const parts = { id: asText(reply.id), title, description: asText(reply.description) };
    return { contentType: 'INTERACTIVE', content: title, interactive: makeInteractiveReply(type, parts) };
  }
  if (type === 'nfm_reply') {
    const parts = { title: asText(reply.name), response: parseResponse(reply.response_json) };
    return { contentType: 'INTERACTIVE', content: asText(reply.body), interactive: makeInteractiveReply(type, parts) };
  }
  return {
    contentType: 'INTERACTIVE',
    content: null,
    interactive: makeInteractiveReply(type, { response: toStorable(reply) }),
  };
}

/** Reads the tap on a quick-reply button of a template. */
function readButton(message: Json): MessageContent | null {
  const button = asRecord(message.button);
  const title = asText(button?.text);
  const payload = asText(button?.payload);
  if (title === null && payload === null) return null;
  return {
    contentType: 'INTERACTIVE',
    content: title,
    interactive: makeInteractiveReply('button', { title, payload }),
  };
}

function readOrder(message: Json): MessageContent | null {
  const order = asRecord(message.order);
  if (!order) return null;
  const interactive = makeInteractiveReply('order', { response: toStorable(order) });
  return { contentType: 'INTERACTIVE', content: asText(order.text) || null, interactive };
}

/**
 * The readers by message type. This is a Map, because a look-up of a type called `constructor` in a plain object would find an inherited
 * property.
 */
const readers = new Map<string, Reader>([
  ['text', readText],
  ['system', readSystem],
  ['image', createMediaReader('image', 'IMAGE')],
  ['video', createMediaReader('video', 'VIDEO')],
  ['audio', createMediaReader('audio', 'AUDIO')],
  // Old clients send audio with the type `voice`.
  ['voice', createMediaReader('voice', 'AUDIO')],
  ['document', createMediaReader('document', 'DOCUMENT')],
  ['sticker', createMediaReader('sticker', 'STICKER')],
  ['location', readLocation],
  ['contacts', readCards],
  ['reaction', readReaction],
  ['interactive', readInteractive],
  ['button', readButton],
  ['order', readOrder],
]);

/**
 * Reads the content of a message object by its type. A message without a type is read by the first of its parts that has a
 * reader. A message of an unknown type, or without the parts of its type, becomes UNSUPPORTED and keeps the received object.
 */
export function readContent(message: Json): MessageContent {
  const type = asIdentifier(message.type);
  const read =
    type === null
      ? readers.get([...readers.keys()].find((part) => asRecord(getOwnProperty(message, part))) ?? '')
      : readers.get(type);
  return read?.(message) ?? makeUnsupported(message, type);
}

// The largest unsupported message that is stored as it was received; a poll or a pinned message has some hundred bytes.
const MAX_RAW_BYTES = 16_384;

function makeUnsupported(message: Json, type: string | null): MessageContent {
  const part = asRecord(type === null ? null : getOwnProperty(message, type));
  // The network names the kind of some messages in a part: {"type": "unsupported", "unsupported": {"type": "poll_creation"}}.
  const kind = asLabel(part?.type) ?? asLabel(type) ?? 'unknown';
  const raw = asRecord(toStorable(message));
  const isSmall = Buffer.byteLength(JSON.stringify(raw)) <= MAX_RAW_BYTES;
  const content =
    asText(asRecord(message.text)?.body) ?? asText(part?.body) ?? asText(part?.text) ?? asText(part?.caption);
  return { contentType: 'UNSUPPORTED', content, unsupported: { kind, raw: isSmall ? raw : null } };
}
