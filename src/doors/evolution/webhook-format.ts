/** Webhooks in the format of Evolution API: which of its events fire, and what is posted. */
import { SignJWT } from 'jose';
import {
  declareDoorFormat,
  type DoorEvent,
  type DoorLookUps,
  type DoorRequest,
} from '../../platform/outside/door-formats.ts';
import { FILE_HERE, streamJson } from '../../platform/outside/json-with-file.ts';
import type { EventName } from '../../platform/store/events.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import { getOwnProperty } from '../../platform/values/own-property.ts';
import type { JsonObject } from '../json.ts';
import { findJid } from './contact-jid.ts';
import { toJid } from './jid.ts';
import { readStatus, showMessage } from './messages.ts';
import { readState } from './instances.ts';
import { makeKey } from './message-content.ts';

/** Evolution's names of events; those without events of the platform are accepted and never fire. */
const EVENTS: Record<string, readonly EventName[]> = {
  APPLICATION_STARTUP: [],
  QRCODE_UPDATED: [],
  MESSAGES_SET: [],
  MESSAGES_UPSERT: ['MESSAGE_RECEIVED'],
  MESSAGES_EDITED: ['MESSAGE_EDITED'],
  MESSAGES_UPDATE: ['MESSAGE_SENT', 'MESSAGE_DELIVERED', 'MESSAGE_READ', 'MESSAGE_FAILED'],
  MESSAGES_DELETE: ['MESSAGE_REVOKED'],
  SEND_MESSAGE: ['MESSAGE_SENT'],
  SEND_MESSAGE_UPDATE: [],
  CONTACTS_SET: [],
  CONTACTS_UPSERT: ['CONTACT_CREATED'],
  CONTACTS_UPDATE: ['CONTACT_UPDATED'],
  PRESENCE_UPDATE: [],
  CHATS_SET: [],
  CHATS_UPSERT: [],
  CHATS_UPDATE: [],
  CHATS_DELETE: [],
  GROUPS_UPSERT: [],
  GROUP_UPDATE: [],
  GROUP_PARTICIPANTS_UPDATE: [],
  CONNECTION_UPDATE: ['INBOX_CONNECTION_CHANGED'],
  LABELS_EDIT: [],
  LABELS_ASSOCIATION: [],
  CALL: [],
  TYPEBOT_START: [],
  TYPEBOT_CHANGE_STATUS: [],
  REMOVE_INSTANCE: [],
  LOGOUT_INSTANCE: [],
  INSTANCE_CREATE: [],
  INSTANCE_DELETE: [],
  STATUS_INSTANCE: [],
};
export const EVENT_NAMES = Object.keys(EVENTS);

/** What the data of an event is made of. */
interface Told {
  event: DoorEvent;
  lookUps: DoorLookUps;
  inbox: JsonObject;
}

type DescribeData = (told: Told) => Promise<JsonObject>;

const DATA = new Map<string, DescribeData>([
  ['MESSAGES_UPSERT', (told) => describeMessage(told, 'DELIVERY_ACK')],
  ['SEND_MESSAGE', (told) => describeMessage(told, 'PENDING')],
  ['MESSAGES_UPDATE', describeStatus],
  ['MESSAGES_EDITED', describeEdit],
  ['MESSAGES_DELETE', describeRevocation],
  ['CONTACTS_UPSERT', describeContact],
  ['CONTACTS_UPDATE', describeContact],
  ['CONNECTION_UPDATE', describeConnection],
]);

export const declareEvolutionFormat = (): void => declareDoorFormat('EVOLUTION', { events: EVENTS, build });

async function build(event: DoorEvent, lookUps: DoorLookUps, publicUrl: string): Promise<DoorRequest | null> {
  const inbox = await lookUps.inbox(event.inbox ?? event.data.inbox ?? event.data._id);
  const data = inbox && (await DATA.get(event.form)?.({ event, lookUps, inbox }));
  if (!inbox || !data) return null;
  const envelope = {
    event: event.form.toLowerCase().replace('_', '.'),
    instance: inbox.door_name,
    data,
    destination: event.url,
    date_time: event.timestamp,
    sender: inbox.number ? toJid(inbox.number as string) : '',
    server_url: `${publicUrl}/evolution`,
    apikey: event.apiKey,
  };
  const file = event.options.base64 && 'messageType' in data ? await findFile(event, lookUps) : null;
  if (file) addFile(data, file.bytes);
  return {
    url: event.options.by_events ? `${event.url}/${event.form.toLowerCase().replaceAll('_', '-')}` : event.url,
    headers: await signHeaders(event.headers),
    body: file ? streamJson(envelope, file) : JSON.stringify(envelope),
  };
}

/** Puts the file into the message. Its size was not known when the event was stored, if it was still on its way. */
function addFile({ messageType, message }: JsonObject, bytes: number): void {
  message.base64 = FILE_HERE;
  Object.assign(getOwnProperty(message as JsonObject, messageType as string) as JsonObject, {
    fileLength: String(bytes),
  });
}

/** Base64 makes a file longer by a third, so this is 8 MB of it. */
const MOST_FILE_BYTES = declareLimit(6 * 1024 * 1024, {
  topic: 'Webhooks',
  what: "File in a delivery in Evolution's format",
  unit: 'bytes',
  beyond: 'left out',
});

const findFile = async ({ data }: DoorEvent, lookUps: DoorLookUps): ReturnType<DoorLookUps['file']> =>
  data.attachment ? lookUps.file(data.attachment as string, MOST_FILE_BYTES) : null;

const JWT_SECONDS = 600;

/** Evolution signs a token with the value of the header jwt_key, and sends it in its place. */
async function signHeaders({ jwt_key, ...headers }: Record<string, string>): Promise<Record<string, string>> {
  if (!jwt_key) return headers;
  const iat = Math.floor(Date.now() / 1000);
  const token = await new SignJWT({ iat, exp: iat + JWT_SECONDS, app: 'evolution', action: 'webhook' })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .sign(new TextEncoder().encode(jwt_key));
  return { ...headers, authorization: `Bearer ${token}` };
}

async function describeMessage({ event: { data }, lookUps }: Told, status: string): Promise<JsonObject> {
  const remoteJid = await findJid(data.contact as string, data.contact_summary as JsonObject, lookUps);
  const { contextInfo, ...shown } = await showMessage(lookUps, data, remoteJid);
  return { ...shown, status, ...(contextInfo !== null && { contextInfo }) };
}

async function describeStatus({ event, lookUps, inbox }: Told): Promise<JsonObject> {
  const { id: keyId, fromMe, remoteJid } = await findKey(event, lookUps);
  const messageId = event.data._id;
  return { messageId, keyId, remoteJid, fromMe, status: readStatus(event.data), instanceId: inbox._id };
}

async function findKey({ data }: DoorEvent, lookUps: DoorLookUps): Promise<JsonObject> {
  return makeKey(data, await findJid(data.contact as string, data.contact_summary as JsonObject, lookUps));
}

async function describeEdit({ event, lookUps }: Told): Promise<JsonObject> {
  const { content, edited_at } = event.data;
  return {
    key: await findKey(event, lookUps),
    editedMessage: { conversation: content ?? '' },
    timestampMs: Date.parse(edited_at as string),
  };
}

async function describeRevocation({ event, lookUps }: Told): Promise<JsonObject> {
  return { ...(await findKey(event, lookUps)), status: 'DELETED' };
}

async function describeContact({ event: { data }, lookUps, inbox }: Told): Promise<JsonObject> {
  const remoteJid = await findJid(data._id as string, data, lookUps);
  return { remoteJid, pushName: data.name ?? '', profilePicUrl: data.avatar_url, instanceId: inbox._id };
}

async function describeConnection({ event: { data } }: Told): Promise<JsonObject> {
  return {
    instance: data.door_name,
    state: readState(data),
    statusReason: 200,
    wuid: data.number ? toJid(data.number as string) : '',
    profileName: data.name,
    profilePictureUrl: null,
  };
}
