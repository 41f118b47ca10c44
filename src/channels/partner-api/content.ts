/** Reads the content of a message: one reader for each part that a message of WhatsApp can have. */
import { makeInteractiveReply, type MessageContent, type ReceivedFile } from '../content.ts';
import type { FileType } from '../../platform/work/media/formats.ts';
import { getOwnProperty } from '../../platform/values/own-property.ts';
import {
  asIdentifier,
  asLabel,
  asList,
  asNumber,
  asRecord,
  asText,
  parseResponse,
  toStorable,
  type Json,
} from '../values.ts';
import { nameFile, type Surroundings } from './file-name.ts';
import { joinWords, OFFERS } from './offers.ts';

/** `name` is that of the part. */
type Reader = (part: Json, around: Surroundings, name: string) => MessageContent | null;

/** The files of the Cloud API have names in another spelling. */
const createMediaReader =
  (contentType: FileType): Reader =>
  (file, around, name) => {
    const size = asNumber(file.fileLength ?? file.file_size);
    const media: ReceivedFile = {
      mimeType: asLabel(file.mimetype ?? file.mime_type),
      fileName: asLabel(file.fileName ?? file.filename ?? file.title),
      size: size !== null && Number.isSafeInteger(size) && size >= 0 ? size : null,
      networkId: nameFile(around, name, file),
      // The gateway announces the hash of the file as bytes, as a list or as text, and sometimes that of the encrypted file.
      sha256: null,
    };
    return { contentType, content: asText(file.caption) || null, media };
  };

const readText: Reader = (part) => {
  const content = asText(part.text);
  return content === null ? null : { contentType: 'TEXT', content };
};

const readLocation: Reader = (part) => {
  const latitude = asNumber(part.degreesLatitude ?? part.latitude);
  const longitude = asNumber(part.degreesLongitude ?? part.longitude);
  if (latitude === null || longitude === null || Math.abs(latitude) > 90 || Math.abs(longitude) > 180) return null;
  const { name, address, url } = part;
  return {
    contentType: 'LOCATION',
    location: {
      latitude,
      longitude,
      name: asText(name) || null,
      address: asText(address) || null,
      url: asText(url) || null,
    },
  };
};

/** The most contact cards of a message that are read. */
const MAX_CARDS = 50;

const readCards = (cards: unknown[]): MessageContent | null => {
  const contacts = cards
    .slice(0, MAX_CARDS)
    .map(toCard)
    .filter((card) => card !== null);
  return contacts.length === 0 ? null : { contentType: 'CONTACTS', contacts };
};

/** Returns a contact card in the form of the Cloud API. The gateway has a name, and the rest as a vCard. */
function toCard(value: unknown): Json | null {
  const card = asRecord(value);
  if (!card) return null;
  if (asRecord(card.name)) return toStorable(card) as Json;
  const vcard = asText(card.vcard) ?? '';
  const phones = [...vcard.matchAll(/^(?:item\d+\.)?TEL[^:\r\n]*:([^\r\n]{1,40})/gim)].map(([line, phone = '']) => {
    const waId = /waid=(\d{5,15})/i.exec(line)?.[1];
    return { phone: phone.trim(), ...(waId !== undefined && { wa_id: waId }) };
  });
  return { name: { formatted_name: asLabel(card.displayName) ?? '' }, phones };
}

const readReaction: Reader = (part) => {
  const externalId = asIdentifier(asRecord(part.key)?.id);
  if (externalId === null) return null;
  return { contentType: 'REACTION', reaction: { externalId, emoji: asText(part.text) || null } };
};

const readListReply: Reader = (part) => {
  const title = asText(part.title);
  const id = asText(asRecord(part.singleSelectReply)?.selectedRowId);
  if (title === null && id === null) return null;
  const interactive = makeInteractiveReply('list_reply', { id, title, description: asText(part.description) });
  return { contentType: 'INTERACTIVE', content: title, interactive };
};

const createButtonReader =
  (id: string, title: string): Reader =>
  (part) => {
    const [chosen, words] = [asText(getOwnProperty(part, id)), asText(getOwnProperty(part, title))];
    if (chosen === null && words === null) return null;
    const interactive = makeInteractiveReply('button_reply', { id: chosen, title: words });
    return { contentType: 'INTERACTIVE', content: words, interactive };
  };

/** What a contact filled in or chose; the answer has what the form or the button says about it. */
const readFormReply: Reader = (part) => {
  const reply = asRecord(part.nativeFlowResponseMessage);
  const content = asText(asRecord(part.body)?.text) || null;
  if (!reply && content === null) return null;
  const parts = { title: asText(reply?.name), response: parseResponse(reply?.paramsJson) };
  return { contentType: 'INTERACTIVE', content, interactive: makeInteractiveReply('nfm_reply', parts) };
};

/** The gateway names the chosen options once it could decrypt them. */
const readVote: Reader = (part) => {
  const title = joinWords(asList(asRecord(part.vote)?.selectedOptions));
  return title === null
    ? null
    : { contentType: 'INTERACTIVE', content: title, interactive: makeInteractiveReply('poll_reply', { title }) };
};

/** An order names its amount and its number; the goods are only in the catalogue. */
const readOrder: Reader = ({ thumbnail: _picture, contextInfo: _context, ...order }) => ({
  contentType: 'INTERACTIVE',
  content: joinWords([order.orderTitle, order.message]),
  interactive: makeInteractiveReply('order', { response: toStorable(order) }),
});

function readOffer(words: unknown[]): MessageContent | null {
  const content = joinWords(words);
  return content === null ? null : { contentType: 'TEXT', content };
}

/** The readers by the name of the part, in the order in which they are tried. */
const readers = new Map<string, Reader>([
  ['extendedTextMessage', readText],
  ['imageMessage', createMediaReader('IMAGE')],
  ['videoMessage', createMediaReader('VIDEO')],
  ['ptvMessage', createMediaReader('VIDEO')],
  ['audioMessage', createMediaReader('AUDIO')],
  ['documentMessage', createMediaReader('DOCUMENT')],
  ['stickerMessage', createMediaReader('STICKER')],
  ['locationMessage', readLocation],
  ['liveLocationMessage', readLocation],
  ['contactMessage', (part) => readCards(Array.isArray(part.contacts) ? part.contacts : [part])],
  ['contactsArrayMessage', (part) => readCards(asList(part.contacts))],
  ['reactionMessage', readReaction],
  ['listResponseMessage', readListReply],
  ['buttonsResponseMessage', createButtonReader('selectedButtonId', 'selectedDisplayText')],
  ['templateButtonReplyMessage', createButtonReader('selectedId', 'selectedDisplayText')],
  ['interactiveResponseMessage', readFormReply],
  ['pollUpdateMessage', readVote],
  ['orderMessage', readOrder],
  ...[...OFFERS].map(([name, listWords]): [string, Reader] => [name, (part) => readOffer(listWords(part))]),
]);

/** The deepest envelope that is opened. */
const MAX_ENVELOPES = 4;

/** Parts that say nothing to a person: keys, settings of the chat, and the mark that comes before the pictures of an album. */
const SILENT_PARTS = [
  'messageContextInfo',
  'senderKeyDistributionMessage',
  'base64',
  'mediaUrl',
  'contextInfo',
  'albumMessage',
];

/** The parts of a message that may say something, by their names. */
const listSpoken = (message: Json): [name: string, part: Json | null][] =>
  Object.entries(message)
    .filter(([name]) => !SILENT_PARTS.includes(name))
    .map(([name, part]) => [name, asRecord(part)]);

/**
 * Takes the message out of its envelopes. WhatsApp has many, such as those of messages that disappear and of the pictures of an album, and all
 * are a part with nothing to read but a message.
 */
export function openEnvelopes(message: Json): Json {
  let opened = message;
  for (let depth = 0; depth < MAX_ENVELOPES; depth += 1) {
    const inner = listSpoken(opened)
      .map(([, part]) => asRecord(part?.message))
      .find(Boolean);
    if (!inner) break;
    opened = inner;
  }
  return opened;
}

/** Reads the content of a message without envelopes. A message that is not understood becomes UNSUPPORTED and is kept as it came. */
export function readContent(message: Json, around: Surroundings, named: string | null): MessageContent {
  const text = asText(message.conversation);
  if (text !== null) return { contentType: 'TEXT', content: text };
  for (const [name, read] of readers) {
    const part = asRecord(getOwnProperty(message, name));
    const content = part && read(part, around, name);
    if (content) return content;
  }
  return makeUnsupported(message, named);
}

/** The largest unsupported message that is stored as it was received; a poll has some hundred bytes. */
const MAX_RAW_BYTES = 16_384;

function makeUnsupported(message: Json, named: string | null): MessageContent {
  const [[kind, part] = [named ?? 'unknown', null]] = listSpoken(message);
  const raw = asRecord(toStorable(message));
  const isSmall = Buffer.byteLength(JSON.stringify(raw)) <= MAX_RAW_BYTES;
  const content = asText(part?.text) ?? asText(part?.caption) ?? asText(part?.name) ?? asText(part?.title);
  return {
    contentType: 'UNSUPPORTED',
    content,
    unsupported: { kind: asLabel(kind) ?? 'unknown', raw: isSmall ? raw : null },
  };
}

/** True for a message without anything to read: the gateway could not decrypt it yet, and sends it again with the same id. */
export const isEmpty = (message: Json): boolean => listSpoken(message).length === 0;
