/**
 * Reads the events of the gateway. Elements are independent: an element that cannot be read becomes `unreadable`, and the others are read all
 * the same. An event never contains the gateway's key behind this file, although the gateway sends it with each of them.
 */
import type { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import type { Inbound, InboundStatus } from '../channel.ts';
import { asDate, asIdentifier, asRecord, asText, type Json } from '../values.ts';
import { openEnvelopes, readContent } from './content.ts';
import { isOtherChat, readPerson } from './jid.ts';
import { readMessage, type EventScene } from './message.ts';
import { makeUnreadable, type Scene } from '../scene.ts';
import { partnerApiSettings, type PartnerApiConfig } from './settings.ts';

type Reader = (data: Json, scene: EventScene) => Inbound | null;

/** Reads one event. Never throws for a parsed JSON value. For what the platform ignores it yields null. */
export function* parseEvent(
  body: unknown,
  config: PartnerApiConfig,
  item: string | null = null,
): Generator<Inbound | null> {
  const scene: EventScene = { address: partnerApiSettings.address?.(config) ?? '', now: new Date(), item };
  const event = asRecord(body);
  const name = asText(event?.event);
  if (!event || name === null)
    return yield makeUnreadable(scene, 'the body is no event of the gateway', withoutKey(body));
  const read = READERS.get(toEventName(name));
  // After the inbox has moved to another instance, the earlier one may still call with the same secret.
  const isOther = typeof event.instance === 'string' && event.instance !== config.instance_name;
  if (!read || isOther) return yield null;
  // The gateway sends one element, and some of its versions send a list.
  if (!Array.isArray(event.data)) {
    const data = asRecord(event.data);
    return yield data ? read(data, scene) : makeUnreadable(scene, 'an event has no data', withoutKey(body));
  }
  for (const element of event.data as unknown[]) {
    const data = asRecord(element);
    // Only the element is kept: a list may have millions of them, and the whole body for each would fill the memory.
    yield data ? read(data, scene) : makeUnreadable(scene, 'an element of an event is no object', element);
  }
}

/** The beginning of a file that is in its event. */
const CARRIED_FILE = '"base64":"';

export const mayCarryFiles = (raw: Buffer): boolean => raw.includes(CARRIED_FILE);

/** Returns the file of the message with this id; null when the event has none. */
export async function extractFile(event: Readable, id: string): Promise<Buffer | null> {
  const { data } = asRecord(await json(event)) ?? {};
  const messages = [data].flat().map(asRecord);
  const message = messages.find((each) => asRecord(each?.key)?.id === id);
  const base64 = asText(asRecord(message?.message)?.base64);
  return base64 ? Buffer.from(base64, 'base64') : null;
}

/** The gateway writes `messages.upsert`; where it has a path for each event, it writes `MESSAGES_UPSERT`. */
const toEventName = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '.');

function withoutKey(body: unknown): unknown {
  const { apikey: _key, ...rest } = asRecord(body) ?? {};
  return asRecord(body) ? rest : body;
}

const STATUSES = new Map<string, InboundStatus['status']>([
  ['SERVER_ACK', 'SENT'],
  ['SENT', 'SENT'],
  ['DELIVERY_ACK', 'DELIVERED'],
  ['DELIVERED', 'DELIVERED'],
  ['READ', 'READ'],
  ['PLAYED', 'READ'],
  ['ERROR', 'FAILED'],
  ['FAILED', 'FAILED'],
]);

/** The gateway says that a message failed, and never why. */
const UNEXPLAINED = {
  code: 'PROVIDER_REJECTED',
  title: 'Not delivered',
  message: 'The network gave no cause',
  details: '',
};

/** The ids that the Cloud API gives to messages. */
const CLOUD_ID = /^wamid\./;

function readUpdate(data: Json, scene: Scene): Inbound | null {
  const externalId = asIdentifier(data.keyId);
  const word = asText(data.status)?.toUpperCase();
  if (externalId === null || word === undefined)
    return makeUnreadable(scene, 'a status names no message or no state', data);
  const timestamp = scene.now;
  if (isOtherChat(asText(data.remoteJid) ?? '')) return null;
  const { address } = scene;
  if (word === 'DELETED') return { kind: 'revoke', address, timestamp, externalId, originalExternalId: externalId };
  const status = STATUSES.get(word);
  // A message of the contact has statuses as well. The Cloud API has them for our messages only, and the gateway then says `fromMe: false`.
  const isOurs = data.fromMe !== false || CLOUD_ID.test(externalId);
  if (!status || !isOurs) return null;
  const errors = status === 'FAILED' ? [UNEXPLAINED] : [];
  return { kind: 'status', address, timestamp, externalId, messageId: null, person: readPerson(data), status, errors };
}

/** The part of WhatsApp's protocol that takes a message back. */
const REVOKE: readonly unknown[] = [0, 'REVOKE'];

function readEdit(data: Json, scene: Scene): Inbound | null {
  const key = asRecord(data.key);
  const externalId = asIdentifier(key?.id);
  const edited = asRecord(data.editedMessage);
  if (isOtherChat(asText(key?.remoteJid) ?? '')) return null;
  const { address } = scene;
  const timestamp = asDate(data.timestampMs) ?? scene.now;
  if (!edited && !REVOKE.includes(data.type)) return null;
  if (externalId === null) return makeUnreadable(scene, 'an edit names no message', data);
  const base = { address, timestamp, externalId, originalExternalId: externalId };
  if (!edited) return { kind: 'revoke', ...base };
  const content = readContent(openEnvelopes(edited), { externalId, mediaUrl: null, item: null }, null);
  // An edit whose content cannot be read must not replace the content that was read before.
  if (content.contentType === 'UNSUPPORTED')
    return makeUnreadable(scene, 'the new content of an edit is not understood', data);
  return { kind: 'edit', ...base, from: null, content };
}

function readDelete(data: Json, scene: Scene): Inbound | null {
  // The element is the key itself, or a message with its key.
  const key = asRecord(data.key) ?? data;
  const externalId = asIdentifier(key.id);
  if (isOtherChat(asText(key.remoteJid) ?? '')) return null;
  if (externalId === null) return makeUnreadable(scene, 'a removal names no message', data);
  return { kind: 'revoke', address: scene.address, timestamp: scene.now, externalId, originalExternalId: externalId };
}

/** The instance was paired, or lost its phone. */
const readConnection: Reader = (_data, { address, now }) => ({ kind: 'connection', address, timestamp: now });

/** The events that the platform reads. All others (contacts, chats, presence, QR codes, calls, …) are answered with 200 and ignored. */
const READERS = new Map<string, Reader>([
  ['messages.upsert', (data, scene) => readMessage(data, scene, false)],
  ['send.message', (data, scene) => readMessage(data, scene, true)],
  ['messages.update', readUpdate],
  ['messages.edited', readEdit],
  ['messages.delete', readDelete],
  ['connection.update', readConnection],
  ['logout.instance', readConnection],
  ['remove.instance', readConnection],
]);

/** The events that the gateway is asked for, in its spelling. */
export const EVENTS = [
  'MESSAGES_UPSERT',
  'MESSAGES_UPDATE',
  'MESSAGES_EDITED',
  'MESSAGES_DELETE',
  'SEND_MESSAGE',
  'CONNECTION_UPDATE',
  'LOGOUT_INSTANCE',
  'REMOVE_INSTANCE',
];
