/** What a message says: one reader per type of the network. A reader answers null when the parts it needs are missing. */
import type { ContentType, InboundContent, InboundMedia } from '../channel.ts';
import { flag, identifier, label, quantity, record, storable, text, type Json } from './values.ts';

type Interactive = NonNullable<InboundContent['interactive']>;
type Reader = (message: Json) => InboundContent | null;

const NOTHING: InboundContent = {
  contentType: 'UNSUPPORTED',
  content: null,
  media: null,
  interactive: null,
  location: null,
  contacts: null,
  reaction: null,
};

function say(contentType: ContentType, parts: Partial<InboundContent>): InboundContent {
  return { ...NOTHING, ...parts, contentType };
}

function readText(message: Json): InboundContent | null {
  const content = text(record(message.text)?.body);
  return content === null ? null : say('TEXT', { content });
}

function readSystem(message: Json): InboundContent | null {
  const system = record(message.system);
  return system && say('TEXT', { content: text(system.body) });
}

function mediaReader(type: string, contentType: ContentType): Reader {
  return (message) => {
    const file = record(message[type]);
    if (!file) return null;
    const size = quantity(file.file_size);
    const media: InboundMedia = {
      networkId: identifier(file.id),
      mimeType: label(file.mime_type),
      fileName: label(file.filename),
      size: size !== null && Number.isSafeInteger(size) && size >= 0 ? size : null,
      sha256: label(file.sha256),
      url: text(file.url),
      voice: flag(file.voice),
      animated: flag(file.animated),
    };
    return say(contentType, { content: text(file.caption), media });
  };
}

function readLocation(message: Json): InboundContent | null {
  const place = record(message.location);
  const latitude = quantity(place?.latitude);
  const longitude = quantity(place?.longitude);
  if (!place || latitude === null || longitude === null) return null;
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) return null;
  const { name, address, url } = place;
  return say('LOCATION', {
    location: { latitude, longitude, name: text(name), address: text(address), url: text(url) },
  });
}

function readCards(message: Json): InboundContent | null {
  if (!Array.isArray(message.contacts)) return null;
  return say('CONTACTS', {
    contacts: message.contacts.filter((card) => record(card) !== null).map((card) => storable(card)),
  });
}

function readReaction(message: Json): InboundContent | null {
  const reaction = record(message.reaction);
  const externalId = identifier(reaction?.message_id);
  // The network takes a reaction back with an empty emoji, or with none at all.
  return externalId === null
    ? null
    : say('REACTION', { reaction: { externalId, emoji: text(reaction?.emoji) || null } });
}

function choose(type: string, parts: Partial<Interactive>): Interactive {
  return { type, id: null, title: null, description: null, payload: null, response: null, ...parts };
}

/** A flow's answer is JSON inside a string. Failure policy: what is not valid JSON stays the string it is. */
function parseResponse(value: unknown): unknown {
  if (typeof value !== 'string') return storable(value);
  try {
    return storable(JSON.parse(value));
  } catch {
    return storable(value);
  }
}

function readInteractive(message: Json): InboundContent | null {
  const interactive = record(message.interactive);
  const type = identifier(interactive?.type);
  const reply = interactive && type !== null && Object.hasOwn(interactive, type) ? record(interactive[type]) : null;
  if (type === null || !reply) return null;
  if (type === 'button_reply' || type === 'list_reply') {
    const title = text(reply.title);
    const parts = { id: text(reply.id), title, description: text(reply.description) };
    return say('INTERACTIVE', { content: title, interactive: choose(type, parts) });
  }
  if (type === 'nfm_reply') {
    const parts = { title: text(reply.name), response: parseResponse(reply.response_json) };
    return say('INTERACTIVE', { content: text(reply.body), interactive: choose(type, parts) });
  }
  return say('INTERACTIVE', { interactive: choose(type, { response: storable(reply) }) });
}

/** The quick reply of a template. */
function readButton(message: Json): InboundContent | null {
  const button = record(message.button);
  const title = text(button?.text);
  const payload = text(button?.payload);
  if (title === null && payload === null) return null;
  return say('INTERACTIVE', { content: title, interactive: choose('button', { title, payload }) });
}

function readOrder(message: Json): InboundContent | null {
  const order = record(message.order);
  if (!order) return null;
  const interactive = choose('order', { response: storable(order) });
  return say('INTERACTIVE', { content: text(order.text) || null, interactive });
}

/** A Map, because a type called `constructor` must not find anything. */
const readers = new Map<string, Reader>([
  ['text', readText],
  ['system', readSystem],
  ['image', mediaReader('image', 'IMAGE')],
  ['video', mediaReader('video', 'VIDEO')],
  ['audio', mediaReader('audio', 'AUDIO')],
  ['document', mediaReader('document', 'DOCUMENT')],
  ['sticker', mediaReader('sticker', 'STICKER')],
  ['location', readLocation],
  ['contacts', readCards],
  ['reaction', readReaction],
  ['interactive', readInteractive],
  ['button', readButton],
  ['order', readOrder],
]);

/** The content of a message object of the network; UNSUPPORTED for an unknown type and for one without its parts. */
export function readContent(message: Json): InboundContent {
  const read = typeof message.type === 'string' ? readers.get(message.type) : undefined;
  return read?.(message) ?? NOTHING;
}
