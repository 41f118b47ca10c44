/**
 * The Cloud API's notifications, read whole: every entry, change, message and status. Elements are independent: one that
 * can't be understood becomes one `unreadable` and its neighbours go on.
 */
import type { Inbound, InboundStatus } from '../channel.ts';
import { networkErrors } from './errors.ts';
import { readEcho, readLive, readHistoryMessage, readScene, unreadable, type Scene } from './message.ts';
import { completePerson, isNamed, namePerson } from './person.ts';
import { identifier, instant, list, record, type Json } from './values.ts';

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

type Reading = Generator<Inbound | null>;

/** What the fields tell us; every other field (templates, quality, calls, …) is answered and left. */
const READERS = new Map<string, (change: Change) => Reading>([
  ['messages', readMessages],
  ['smb_message_echoes', readEchoes],
  ['history', readHistory],
  ['account_update', readAccount],
  ['user_preferences', readPreferences],
]);

/** Whether the number is still shared with the business app, for the events that tell it. */
const COEXISTENCE = new Map<string, boolean>([
  ['ACCOUNT_RECONNECTED', true],
  ['ACCOUNT_OFFBOARDED', false],
  ['PARTNER_REMOVED', false],
]);

/** Never throws on a parsed JSON value; all strings of the answer can be stored. Null: a part that says nothing to us. */
export function* parseCallback(body: unknown): Reading {
  const envelope = record(body);
  const foreign = envelope?.object !== undefined && envelope.object !== 'whatsapp_business_account';
  if (!envelope || foreign || !Array.isArray(envelope.entry)) {
    yield unreadable(null, 'the body is not a notification of the network', body);
    return;
  }
  for (const element of envelope.entry) {
    const entry = record(element);
    if (!entry || !Array.isArray(entry.changes)) yield unreadable(null, 'an entry has no changes', element);
    else for (const change of entry.changes) yield* readChange(entry, change);
  }
}

function* readChange(entry: Json, element: unknown): Reading {
  const change = record(element);
  if (!change || typeof change.field !== 'string') {
    yield unreadable(null, 'a change names no field', element);
    return;
  }
  const read = READERS.get(change.field);
  const value = record(change.value);
  if (!read) yield null;
  else if (value) yield* read({ account: identifier(entry.id), time: entry.time, value });
  else yield unreadable(null, 'a change has no value', element);
}

type ListName = 'user_preferences' | 'messages' | 'statuses' | 'message_echoes' | 'history' | 'threads';

/** Each element of an optional list; a list that is something else is one unreadable element. */
function* readList(value: Json, key: ListName, scene: Scene, read: (element: unknown) => Inbound | null): Reading {
  for (const element of listElements(value, key)) yield read(element);
  if (isNoList(value[key])) yield unreadable(scene.address, `${key} is not a list`, value);
}

const isNoList = (part: unknown): boolean => part !== undefined && part !== null && !Array.isArray(part);
const listElements = (value: Json, key: ListName): unknown[] => list(value[key]);

const openScene = (value: Json, key: ListName): Scene | null => readScene(value, listElements(value, key).length);
const refuseUnnumbered = (value: Json): Inbound => unreadable(null, 'the notification names no phone number id', value);

function* readMessages({ value }: Change): Reading {
  const scene = openScene(value, 'messages');
  if (!scene) return yield refuseUnnumbered(value);
  yield* readLiveMessages(value, scene);
  yield* readList(value, 'statuses', scene, (element) => readStatus(element, scene));
  const told = [value.messages, value.statuses, value.errors].some((part) => part !== undefined && part !== null);
  if (!told) yield unreadable(scene.address, 'the notification is empty', value);
}

/** Errors beside the messages explain those that came without their content; with none of those they stand alone. */
function* readLiveMessages(value: Json, scene: Scene): Reading {
  const errors = networkErrors(value.errors);
  let placed = false;
  for (const message of readList(value, 'messages', scene, (element) => readLive(element, scene))) {
    if (errors.length > 0 && message?.kind === 'message' && message.contentType === 'UNSUPPORTED') {
      if (message.errors.length === 0) message.errors = errors;
      placed = true;
    }
    yield message;
  }
  const isEmpty = Array.isArray(value.errors) && value.errors.length === 0;
  if (!placed && value.errors !== undefined && value.errors !== null && !isEmpty)
    yield unreadable(scene.address, 'the network reports errors without a message', value.errors);
}

function readStatus(element: unknown, scene: Scene): Inbound | null {
  const report = record(element);
  const externalId = identifier(report?.id);
  if (!report || externalId === null || typeof report.status !== 'string') {
    return unreadable(scene.address, 'a status names no message or no state', element);
  }
  const status = STATUSES.get(report.status);
  if (!status) return null;
  // What happened counts more than when: without a usable time it is news of now.
  const timestamp = instant(report.timestamp) ?? new Date();
  const tracker = report.biz_opaque_callback_data;
  const messageId = typeof tracker === 'string' && OWN_ID.test(tracker) ? tracker : null;
  const { address } = scene;
  const recipient = namePerson(report.recipient_id, report.recipient_user_id, report.recipient_parent_user_id);
  // Who of a group has read a message says nothing about whom it went to.
  const person = report.recipient_type === 'group' ? {} : completePerson(recipient, scene.contacts);
  const errors = networkErrors(report.errors);
  return { kind: 'status', address, timestamp, externalId, messageId, person, status, errors };
}

/** What the two words of the network mean; another one means nothing to us. */
const PREFERENCES = new Map<unknown, boolean>([
  ['stop', true],
  ['resume', false],
]);

function* readPreferences({ value }: Change): Reading {
  const scene = openScene(value, 'user_preferences');
  if (!scene) return yield refuseUnnumbered(value);
  yield* readList(value, 'user_preferences', scene, (element) => {
    const preference = record(element);
    const person = namePerson(preference?.wa_id, preference?.user_id, preference?.parent_user_id);
    const optedOut = PREFERENCES.get(preference?.value);
    if (optedOut === undefined) return null;
    if (!isNamed(person)) return unreadable(scene.address, 'a preference names no person', element);
    const timestamp = instant(preference?.timestamp) ?? new Date();
    return { kind: 'preference', address: scene.address, timestamp, person, optedOut };
  });
}

function* readEchoes({ value }: Change): Reading {
  const scene = openScene(value, 'message_echoes');
  if (!scene) return yield refuseUnnumbered(value);
  yield* readList(value, 'message_echoes', scene, (element) => readEcho(element, scene));
}

function* readHistory({ value }: Change): Reading {
  const scene = openScene(value, 'messages');
  if (!scene) return yield refuseUnnumbered(value);
  yield* readErrors(value.errors, scene);
  for (const element of listElements(value, 'history')) yield* readChunk(element, scene);
  if (isNoList(value.history)) yield unreadable(scene.address, 'history is not a list', value);
  // The files of recent messages follow outside of any thread.
  yield* readList(value, 'messages', scene, (element) => readHistoryMessage(element, scene, null));
}

function* readErrors(errors: unknown, scene: Scene): Reading {
  if (networkErrors(errors).every((error) => error.code === HISTORY_DECLINED)) return;
  yield unreadable(scene.address, 'the network could not give the history', errors);
}

function* readChunk(element: unknown, scene: Scene): Reading {
  const chunk = record(element);
  if (!chunk) return yield unreadable(scene.address, 'a history chunk is not an object', element);
  yield* readErrors(chunk.errors, scene);
  for (const part of listElements(chunk, 'threads')) yield* readThread(part, scene);
  if (isNoList(chunk.threads)) yield unreadable(scene.address, 'threads is not a list', chunk);
}

function* readThread(part: unknown, scene: Scene): Reading {
  const thread = record(part);
  const person = namePerson(thread?.id, thread?.user_id, thread?.parent_user_id);
  if (!thread || !isNamed(person)) return yield unreadable(scene.address, 'a history thread names no person', part);
  const contact = completePerson(person, scene.contacts);
  yield* readList(thread, 'messages', scene, (message) => readHistoryMessage(message, scene, contact));
}

function* readAccount({ account, time, value }: Change): Reading {
  // News that reach a partner stand under the partner's own id and name the account inside.
  const about = identifier(record(value.waba_info)?.waba_id) ?? account;
  const event = identifier(value.event);
  if (about === null || event === null)
    return yield unreadable(null, 'account news name no account or no event', value);
  const timestamp = instant(time) ?? new Date(); // without a time of its own it is news of now
  yield { kind: 'account', account: about, timestamp, coexistence: COEXISTENCE.get(event) ?? null };
}
