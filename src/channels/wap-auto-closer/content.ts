/** Reads the content of a message, with one reader per type of the network. A reader returns null when parts that it needs are missing. */
import { composeContent, type ContentType, type MessageContent, type MessageMedia } from '../content.ts';
import { own } from '../../platform/own.ts';
import { flag, identifier, label, quantity, record, storable, text, type Json } from './values.ts';

type Interactive = NonNullable<MessageContent['interactive']>;
type Reader = (message: Json) => MessageContent | null;

function readText(message: Json): MessageContent | null {
  const content = text(record(message.text)?.body);
  return content === null ? null : composeContent('TEXT', { content });
}

function readSystem(message: Json): MessageContent | null {
  const system = record(message.system);
  return system && composeContent('TEXT', { content: text(system.body) });
}

type MediaPart = 'image' | 'video' | 'audio' | 'voice' | 'document' | 'sticker';

function mediaReader(type: MediaPart, contentType: ContentType): Reader {
  return (message) => {
    const file = record(message[type]);
    if (!file) return null;
    const size = quantity(file.file_size);
    const media: MessageMedia = {
      networkId: identifier(file.id),
      mimeType: label(file.mime_type),
      fileName: label(file.filename),
      size: size !== null && Number.isSafeInteger(size) && size >= 0 ? size : null,
      sha256: label(file.sha256),
      url: text(file.url),
      voice: type === 'voice' || flag(file.voice),
      animated: flag(file.animated),
    };
    return composeContent(contentType, { content: text(file.caption), media });
  };
}

function readLocation(message: Json): MessageContent | null {
  const place = record(message.location);
  const latitude = quantity(place?.latitude);
  const longitude = quantity(place?.longitude);
  if (!place || latitude === null || longitude === null) return null;
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) return null;
  const { name, address, url } = place;
  return composeContent('LOCATION', {
    location: { latitude, longitude, name: text(name), address: text(address), url: text(url) },
  });
}

function readCards(message: Json): MessageContent | null {
  if (!Array.isArray(message.contacts)) return null;
  return composeContent('CONTACTS', {
    contacts: message.contacts.filter((card) => record(card) !== null).map((card) => storable(card)),
  });
}

function readReaction(message: Json): MessageContent | null {
  const reaction = record(message.reaction);
  const externalId = identifier(reaction?.message_id);
  // The network takes a reaction back with an empty emoji, or with none at all.
  return externalId === null
    ? null
    : composeContent('REACTION', { reaction: { externalId, emoji: text(reaction?.emoji) || null } });
}

function choose(type: string, parts: Partial<Interactive>): Interactive {
  return { type, id: null, title: null, description: null, payload: null, response: null, ...parts };
}

/** The answer to a form (flow) is JSON inside a string. Failure policy: a string that is not valid JSON is returned as a string. */
function parseResponse(value: unknown): unknown {
  if (typeof value !== 'string') return storable(value);
  try {
    return storable(JSON.parse(value));
  } catch {
    return storable(value);
  }
}

const REPLIES = ['button_reply', 'list_reply', 'nfm_reply'];

function readInteractive(message: Json): MessageContent | null {
  const interactive = record(message.interactive);
  if (!interactive) return null;
  const named = identifier(interactive.type);
  // Some senders give a reply another type, so the part that is there decides when the named part is missing.
  const type = [named, ...REPLIES].find((name) => name !== null && record(own(interactive, name)));
  const reply = type ? record(own(interactive, type)) : null;
  if (!type || !reply) return null;
  if (type === 'button_reply' || type === 'list_reply') {
    const title = text(reply.title);
    const parts = { id: text(reply.id), title, description: text(reply.description) };
    return composeContent('INTERACTIVE', { content: title, interactive: choose(type, parts) });
  }
  if (type === 'nfm_reply') {
    const parts = { title: text(reply.name), response: parseResponse(reply.response_json) };
    return composeContent('INTERACTIVE', { content: text(reply.body), interactive: choose(type, parts) });
  }
  return composeContent('INTERACTIVE', { interactive: choose(type, { response: storable(reply) }) });
}

/** Reads the tap on a quick-reply button of a template. */
function readButton(message: Json): MessageContent | null {
  const button = record(message.button);
  const title = text(button?.text);
  const payload = text(button?.payload);
  if (title === null && payload === null) return null;
  return composeContent('INTERACTIVE', { content: title, interactive: choose('button', { title, payload }) });
}

function readOrder(message: Json): MessageContent | null {
  const order = record(message.order);
  if (!order) return null;
  const interactive = choose('order', { response: storable(order) });
  return composeContent('INTERACTIVE', { content: text(order.text) || null, interactive });
}

/** This is a Map, because a look-up of a type called `constructor` in a plain object would find an inherited property. */
const readers = new Map<string, Reader>([
  ['text', readText],
  ['system', readSystem],
  ['image', mediaReader('image', 'IMAGE')],
  ['video', mediaReader('video', 'VIDEO')],
  ['audio', mediaReader('audio', 'AUDIO')],
  // Old clients send audio under this type.
  ['voice', mediaReader('voice', 'AUDIO')],
  ['document', mediaReader('document', 'DOCUMENT')],
  ['sticker', mediaReader('sticker', 'STICKER')],
  ['location', readLocation],
  ['contacts', readCards],
  ['reaction', readReaction],
  ['interactive', readInteractive],
  ['button', readButton],
  ['order', readOrder],
]);

/**
 * Reads the content of a message object by its type. A message without a type is read by the first part that has a reader. A message of an
 * unknown type, or without the parts of its type, becomes UNSUPPORTED and keeps the received object.
 */
export function readContent(message: Json): MessageContent {
  const type = identifier(message.type);
  const read =
    type === null
      ? readers.get([...readers.keys()].find((part) => record(own(message, part))) ?? '')
      : readers.get(type);
  return read?.(message) ?? unsupported(message, type);
}

// An unknown type of message, such as a poll or a pinned message, has some hundred bytes.
const MAX_RAW_BYTES = 16_384;

function unsupported(message: Json, type: string | null): MessageContent {
  const part = record(type === null ? null : own(message, type));
  // The network names the kind of some messages in a part: {"type": "unsupported", "unsupported": {"type": "poll_creation"}}.
  const kind = label(part?.type) ?? label(type) ?? 'unknown';
  const raw = record(storable(message));
  const isSmall = Buffer.byteLength(JSON.stringify(raw)) <= MAX_RAW_BYTES;
  const content = text(record(message.text)?.body) ?? text(part?.body) ?? text(part?.text) ?? text(part?.caption);
  return composeContent('UNSUPPORTED', { content, unsupported: { kind, raw: isSmall ? raw : null } });
}
