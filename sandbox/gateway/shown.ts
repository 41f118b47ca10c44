/** Shows messages of the gateway on the phone page. */
import { getOwnProperty, toObject, toText, type Json } from '../exchange.ts';
import { storeForPage } from '../phone/file.ts';
import { publishItem, type PhoneItem } from '../phone/phone.ts';
import type { Sandbox } from '../state.ts';
import type { StoredMessage } from './state.ts';

const KINDS = new Map([
  ['imageMessage', 'image'],
  ['videoMessage', 'video'],
  ['audioMessage', 'audio'],
  ['documentMessage', 'document'],
  ['stickerMessage', 'sticker'],
]);

/** The part of a message that is a file. */
const findFile = (message: Json): [part: string, type: string] | undefined =>
  [...KINDS].find(([part]) => Object.hasOwn(message, part));

/** The content of a message of WhatsApp Web in the form of the Cloud API. */
function toCloudMessage({ data, quoted, media_id }: StoredMessage): Json {
  const message = toObject(data['message']);
  const context = quoted === null ? {} : { context: { id: quoted } };
  const part = (name: string): Json => toObject(getOwnProperty(message, name));
  const file = findFile(message);
  if (file) {
    const [name, type] = file;
    const { mimetype, caption, fileName } = part(name);
    return {
      type,
      [type]: { mime_type: mimetype, caption, filename: fileName, ...(media_id !== null && { id: media_id }) },
      ...context,
    };
  }
  if (Object.hasOwn(message, 'locationMessage')) {
    const { degreesLatitude: latitude, degreesLongitude: longitude, name, address } = part('locationMessage');
    return { type: 'location', location: { latitude, longitude, name, address }, ...context };
  }
  if (Object.hasOwn(message, 'contactMessage'))
    return { type: 'contacts', contacts: readCards(part('contactMessage')), ...context };
  if (Object.hasOwn(message, 'reactionMessage')) {
    const { key, text } = part('reactionMessage');
    return { type: 'reaction', reaction: { message_id: toObject(key)['id'], emoji: text } };
  }
  const text = toText(message['conversation']) ?? toText(part('extendedTextMessage')['text']) ?? '';
  return { type: 'text', text: { body: text }, ...context };
}

function readCards({ contacts, displayName, vcard }: Json): Json[] {
  if (!Array.isArray(contacts)) {
    const phone = /^TEL[^:\n]*:(.+)$/m.exec(toText(vcard) ?? '')?.[1];
    return [{ name: { formatted_name: displayName }, phones: [{ phone }] }];
  }
  return contacts.map(toObject).map(({ fullName, phoneNumber }) => ({
    name: { formatted_name: fullName },
    phones: [{ phone: phoneNumber }],
  }));
}

export const isFromCompany = ({ data }: StoredMessage): boolean => toObject(data['key'])['fromMe'] === true;

export function toItem(id: string, stored: StoredMessage): PhoneItem {
  const { status, delivered, read, created_at } = stored;
  const base = { id, message: toCloudMessage(stored), created_at };
  return isFromCompany(stored) ? { ...base, direction: 'in', status } : { ...base, direction: 'out', delivered, read };
}

/** Shows a new or changed message on the pages. */
export function showMessage(sandbox: Sandbox, id: string): void {
  const stored = sandbox.gateway.messages.get(id);
  if (!stored) return;
  const place = { network: 'partner', account: stored.instance, contact: stored.number.replace(/@.*/, '') };
  publishItem(sandbox, place, () => toItem(id, stored));
}

/** Gives the page the file of a message. */
export function showFile(sandbox: Sandbox, stored: StoredMessage): void {
  const message = toObject(stored.data['message']);
  const [file] = findFile(message) ?? [];
  // A file may also be named by a link.
  if (file === undefined || stored.base64 === null || /^https?:/.test(stored.base64)) return;
  const { mimetype } = toObject(getOwnProperty(message, file));
  const bytes = Buffer.from(stored.base64, 'base64');
  stored.media_id = storeForPage(sandbox, { bytes, mimetype: toText(mimetype) ?? 'application/octet-stream' });
}
