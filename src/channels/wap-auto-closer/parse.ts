/**
 * The Cloud API's notifications, read whole: every entry, change, message and status. Elements are independent: one that
 * can't be understood becomes one `unreadable` and its neighbours go on.
 */
import type { Inbound, InboundStatus } from '../channel.ts';
import { networkErrors } from './errors.ts';
import { readEcho, readLive, readOld, readScene, unreadable, type Scene } from './message.ts';
import { completePerson, isNamed, namePerson } from './person.ts';
import { identifier, instant, record, type Json } from './values.ts';

interface Change {
  account: string | null;
  /** When the network made the entry; only some fields carry it. */
  time: unknown;
  value: Json;
}

/** The business declined to share its history: an answer, not a failure. */
const HISTORY_DECLINED = 2593109;

const STATUSES = new Map<string, InboundStatus['status']>([
  ['sent', 'SENT'],
  ['delivered', 'DELIVERED'],
  ['read', 'READ'],
  ['played', 'READ'], // a voice note that was listened to was read
  ['failed', 'FAILED'],
]);

/** The ids of our own messages; whatever else stands there was given by another program on the same number. */
const OWN_ID = /^[0-9a-f]{24}$/;

/** What the fields tell us; every other field (templates, quality, calls, …) is answered and left. */
const READERS = new Map<string, (change: Change, out: Inbound[]) => void>([
  ['messages', readMessages],
  ['smb_message_echoes', readEchoes],
  ['history', readHistory],
  ['account_update', readAccount],
]);

/** Whether the number is still shared with the business app, for the events that tell it. */
const COEXISTENCE = new Map<string, boolean>([
  ['ACCOUNT_RECONNECTED', true],
  ['ACCOUNT_OFFBOARDED', false],
  ['PARTNER_REMOVED', false],
]);

/** Never throws on a parsed JSON value; all strings of the answer can be stored. */
export function parseCallback(body: unknown): Inbound[] {
  const envelope = record(body);
  const foreign = envelope?.object !== undefined && envelope.object !== 'whatsapp_business_account';
  if (!envelope || foreign || !Array.isArray(envelope.entry)) {
    return [unreadable(null, 'the body is not a notification of the network', body)];
  }
  const out: Inbound[] = [];
  for (const element of envelope.entry) {
    const entry = record(element);
    if (!entry || !Array.isArray(entry.changes)) out.push(unreadable(null, 'an entry has no changes', element));
    else for (const change of entry.changes) readChange(entry, change, out);
  }
  return out;
}

function readChange(entry: Json, element: unknown, out: Inbound[]): void {
  const change = record(element);
  if (!change || typeof change.field !== 'string') {
    out.push(unreadable(null, 'a change names no field', element));
    return;
  }
  const read = READERS.get(change.field);
  if (!read) return;
  const value = record(change.value);
  if (value) read({ account: identifier(entry.id), time: entry.time, value }, out);
  else out.push(unreadable(null, 'a change has no value', element));
}

/** The elements of an optional list; a list that is something else is one unreadable element. */
function readList(value: Json, key: string, scene: Scene, out: Inbound[]): unknown[] {
  const list = value[key];
  if (list === undefined || list === null) return [];
  if (Array.isArray(list)) return list;
  out.push(unreadable(scene.address, `${key} is not a list`, value));
  return [];
}

function sceneOf(value: Json, key: string, out: Inbound[]): Scene | null {
  const list = value[key];
  const scene = readScene(value, Array.isArray(list) ? list.length : 0);
  if (!scene) out.push(unreadable(null, 'the notification names no phone number id', value));
  return scene;
}

function readMessages({ value }: Change, out: Inbound[]): void {
  const scene = sceneOf(value, 'messages', out);
  if (!scene) return;
  const messages = readList(value, 'messages', scene, out).map((element) => readLive(element, scene));
  placeErrors(value.errors, messages, scene, out);
  for (const message of messages) out.push(message);
  for (const element of readList(value, 'statuses', scene, out)) {
    const status = readStatus(element, scene);
    if (status) out.push(status);
  }
  const told = [value.messages, value.statuses, value.errors].some((part) => part !== undefined && part !== null);
  if (!told) out.push(unreadable(scene.address, 'the notification is empty', value));
}

/** Errors beside the messages explain those that came without their content; with none of those they stand alone. */
function placeErrors(list: unknown, messages: Inbound[], scene: Scene, out: Inbound[]): void {
  if (list === undefined || list === null || (Array.isArray(list) && list.length === 0)) return;
  const errors = networkErrors(list);
  let placed = false;
  for (const message of messages) {
    if (errors.length === 0 || message.kind !== 'message' || message.contentType !== 'UNSUPPORTED') continue;
    if (message.errors.length === 0) message.errors = errors;
    placed = true;
  }
  if (!placed) out.push(unreadable(scene.address, 'the network reports errors without a message', list));
}

function readStatus(element: unknown, scene: Scene): Inbound | null {
  const report = record(element);
  const externalId = identifier(report?.id);
  if (!report || externalId === null || typeof report.status !== 'string') {
    return unreadable(scene.address, 'a status names no message or no state', element);
  }
  const status = STATUSES.get(report.status);
  if (!status) return null;
  const timestamp = instant(report.timestamp);
  if (!timestamp) return unreadable(scene.address, 'a status has no readable timestamp', element);
  const tracker = report.biz_opaque_callback_data;
  const messageId = typeof tracker === 'string' && OWN_ID.test(tracker) ? tracker : null;
  const { address } = scene;
  return { kind: 'status', address, timestamp, externalId, messageId, status, errors: networkErrors(report.errors) };
}

function readEchoes({ value }: Change, out: Inbound[]): void {
  const scene = sceneOf(value, 'message_echoes', out);
  if (!scene) return;
  for (const element of readList(value, 'message_echoes', scene, out)) out.push(readEcho(element, scene));
}

function readHistory({ value }: Change, out: Inbound[]): void {
  const scene = sceneOf(value, 'messages', out);
  if (!scene) return;
  reportErrors(value.errors, scene, out);
  for (const element of readList(value, 'history', scene, out)) readChunk(element, scene, out);
  // The files of recent messages follow outside of any thread.
  for (const element of readList(value, 'messages', scene, out)) out.push(readOld(element, scene, null));
}

function reportErrors(list: unknown, scene: Scene, out: Inbound[]): void {
  if (networkErrors(list).every((error) => error.code === HISTORY_DECLINED)) return;
  out.push(unreadable(scene.address, 'the network could not give the history', list));
}

function readChunk(element: unknown, scene: Scene, out: Inbound[]): void {
  const chunk = record(element);
  if (!chunk) {
    out.push(unreadable(scene.address, 'a history chunk is not an object', element));
    return;
  }
  reportErrors(chunk.errors, scene, out);
  for (const part of readList(chunk, 'threads', scene, out)) {
    const thread = record(part);
    const person = namePerson(thread?.id, thread?.user_id, thread?.parent_user_id);
    if (thread && isNamed(person)) {
      const contact = completePerson(person, scene.contacts);
      for (const message of readList(thread, 'messages', scene, out)) out.push(readOld(message, scene, contact));
    } else out.push(unreadable(scene.address, 'a history thread names no person', part));
  }
}

function readAccount({ account, time, value }: Change, out: Inbound[]): void {
  // News that reach a partner stand under the partner's own id and name the account inside.
  const about = identifier(record(value.waba_info)?.waba_id) ?? account;
  const event = identifier(value.event);
  if (about === null || event === null) {
    out.push(unreadable(null, 'account news name no account or no event', value));
    return;
  }
  const timestamp = instant(time) ?? new Date(); // without a time of its own it is news of now
  out.push({ kind: 'account', account: about, timestamp, coexistence: COEXISTENCE.get(event) ?? null });
}
