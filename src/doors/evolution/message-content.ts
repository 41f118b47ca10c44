/** Messages as Evolution API describes them, which is WhatsApp's own form. */
import type { JsonObject } from '../json.ts';

/** Finds another message of the company; null for one that is gone. */
export interface MessageLookUp {
  message(id: string): Promise<JsonObject | null>;
}

export interface MessageKey {
  remoteJid: string;
  fromMe: boolean;
  id: string;
}

export const makeKey = (message: JsonObject, remoteJid: string): MessageKey => ({
  remoteJid,
  fromMe: message.message_type === 'OUTGOING',
  id: findKeyId(message),
});

const findKeyId = ({ external_id, _id }: JsonObject): string => (external_id ?? _id) as string;

export const toSeconds = (time: string): number => Math.floor(Date.parse(time) / 1000);

/** What a reply says of the message that it answers. */
export async function addContext({ contentType, reply_to }: JsonObject, lookUps: MessageLookUp): Promise<JsonObject> {
  // A reaction names its message in its own content.
  const quoted = reply_to && contentType !== 'REACTION' ? await lookUps.message(reply_to as string) : null;
  if (!quoted) return {};
  return { contextInfo: { stanzaId: findKeyId(quoted), quotedMessage: { conversation: quoted.content ?? '' } } };
}

interface Content {
  messageType: string;
  message: JsonObject;
}

const FILE_TYPES = new Map([
  ['IMAGE', 'imageMessage'],
  ['VIDEO', 'videoMessage'],
  ['AUDIO', 'audioMessage'],
  ['DOCUMENT', 'documentMessage'],
  ['STICKER', 'stickerMessage'],
]);

export async function describeContent(
  message: JsonObject,
  remoteJid: string,
  lookUps: MessageLookUp,
): Promise<Content> {
  const fileType = FILE_TYPES.get(message.contentType as string);
  if (fileType !== undefined && message.media) return describeFile(fileType, message);
  switch (message.contentType) {
    case 'LOCATION':
      return describeLocation(message.location as JsonObject);
    case 'CONTACTS':
      return describeCards((message.contacts ?? []) as JsonObject[]);
    case 'REACTION':
      return describeReaction(message.reaction as JsonObject, remoteJid, lookUps);
    case 'INTERACTIVE':
      return describeChoice(message);
    default:
      return { messageType: 'conversation', message: { conversation: message.content ?? '' } };
  }
}

function describeFile(messageType: string, { contentType, content, media }: JsonObject): Content {
  const { url, mimeType: mimetype, fileName, size } = media as JsonObject;
  const facts = {
    url,
    mimetype,
    ...(content && { caption: content }),
    ...(size !== null && { fileLength: String(size) }),
    ...(contentType === 'AUDIO' && { ptt: String(mimetype).startsWith('audio/ogg') }),
    ...(contentType === 'DOCUMENT' && { fileName, title: fileName }),
  };
  return { messageType, message: { [messageType]: facts, mediaUrl: url } };
}

const describeLocation = ({ latitude, longitude, name, address }: JsonObject): Content => ({
  messageType: 'locationMessage',
  message: {
    locationMessage: {
      degreesLatitude: latitude,
      degreesLongitude: longitude,
      name: name ?? '',
      address: address ?? '',
    },
  },
});

function describeCards(cards: JsonObject[]): Content {
  const contacts = cards.map(toContactCard);
  const [first] = contacts;
  if (first && contacts.length === 1) return { messageType: 'contactMessage', message: { contactMessage: first } };
  const contactsArrayMessage = { displayName: `${contacts.length} contacts`, contacts };
  return { messageType: 'contactsArrayMessage', message: { contactsArrayMessage } };
}

/** Signs that separate the parts of a vCard. */
const escapeCard = (text: unknown): string =>
  (typeof text === 'string' ? text : '').replaceAll(/[\\,;]/g, String.raw`\$&`).replaceAll(/\r?\n/g, String.raw`\n`);

function toContactCard({ name, phones, emails, org }: JsonObject): JsonObject {
  const displayName = String(name?.formatted_name ?? '');
  const numbers = Array.isArray(phones) ? (phones as JsonObject[]) : [];
  const addresses = Array.isArray(emails) ? (emails as JsonObject[]) : [];
  const lines = [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `N:;${escapeCard(displayName)};;;`,
    `FN:${escapeCard(displayName)}`,
    ...(org?.company ? [`ORG:${escapeCard(org.company)}`] : []),
    ...numbers.map(({ phone, wa_id }) =>
      wa_id
        ? `TEL;type=CELL;waid=${escapeCard(wa_id)}:${escapeCard(phone ?? wa_id)}`
        : `TEL;type=CELL:${escapeCard(phone)}`,
    ),
    ...addresses.map(({ email }) => `EMAIL:${escapeCard(email)}`),
    'END:VCARD',
  ];
  return { displayName, vcard: lines.join('\n') };
}

async function describeReaction(
  { message, emoji }: JsonObject,
  remoteJid: string,
  lookUps: MessageLookUp,
): Promise<Content> {
  const target = message ? await lookUps.message(message as string) : null;
  const key = target && makeKey(target, remoteJid);
  return { messageType: 'reactionMessage', message: { reactionMessage: { key, text: emoji ?? '' } } };
}

/** A contact's choice; what the company offers to choose from is shown as its text. */
function describeChoice({ interactive, content }: JsonObject): Content {
  const { type, id, title, payload, offer } = (interactive ?? {}) as JsonObject;
  const conversation = title ?? content ?? '';
  if (offer) return { messageType: 'conversation', message: { conversation: content ?? '' } };
  if (type === 'list_reply')
    return {
      messageType: 'listResponseMessage',
      message: { listResponseMessage: { title, singleSelectReply: { selectedRowId: id } }, conversation },
    };
  if (type === 'button_reply' || type === 'button')
    return {
      messageType: 'buttonsResponseMessage',
      message: {
        buttonsResponseMessage: { selectedButtonId: id ?? payload, selectedDisplayText: title },
        conversation,
      },
    };
  return { messageType: 'conversation', message: { conversation } };
}
