/**
 * Reads the notifications of the Cloud API: every entry, change, message and status. Elements are
 * independent: an element that cannot be read becomes `unreadable`, and the others are read all the same.
 */
import type { Inbound, InboundStatus } from '../channel.ts';
import { networkErrors } from './errors.ts';
import { readEcho, readLive, readHistoryMessage, readSharedData, makeUnreadable, type Scene } from './message.ts';
import { completePerson, isNamed, namePerson, toPerson } from './person.ts';
import { areDeclined, readHistoryErrors, readProgress } from './phone-sync.ts';
import { readCapability, readQualityNews } from './standing.ts';
import { TEMPLATE_READERS } from './template-news.ts';
import { asIdentifier, asDate, asList, asRecord, type Json } from '../values.ts';

interface Change {
  account: string | null;
  /** The time at which the network created the entry; only some notification fields contain it. */
  time: unknown;
  value: Json;
}

const STATUSES = new Map<string, InboundStatus['status']>([
  ['sent', 'SENT'],
  ['delivered', 'DELIVERED'],
  ['read', 'READ'],
  ['played', 'READ'], // A voice note that was played counts as read.
  ['failed', 'FAILED'],
]);

/** Matches the message ids of the platform. Any other id in a status comes from another program that sends from the same phone number. */
const OWN_ID = /^[0-9a-f]{24}$/;

type Reading = Generator<Inbound | null>;

/** The notification fields that the platform reads. All other fields (calls, flows, …) are answered with 200 and ignored. */
const READERS = new Map<string, (change: Change) => Reading>([
  ['messages', readMessages],
  ['smb_message_echoes', readEchoes],
  ['history', readHistory],
  ['account_update', readAccount],
  ['user_preferences', readPreferences],
  ...TEMPLATE_READERS,
  ['business_capability_update', readCapability],
  ['phone_number_quality_update', readQualityNews],
]);

/** Whether a phone number is shared with the business app after an account event. */
const COEXISTENCE = new Map<string, boolean>([
  ['ACCOUNT_RECONNECTED', true],
  ['ACCOUNT_OFFBOARDED', false],
  ['PARTNER_REMOVED', false],
]);

/**
 * Reads all elements of a callback. Never throws for a parsed JSON value. PostgreSQL can store all strings that it yields. For a part that
 * the platform ignores it yields null.
 */
export function* parseCallback(body: unknown): Reading {
  const envelope = asRecord(body);
  const foreign = envelope?.object !== undefined && envelope.object !== 'whatsapp_business_account';
  if (!envelope || foreign || !Array.isArray(envelope.entry)) {
    yield makeUnreadable(null, 'the body is not a notification of the network', body);
    return;
  }
  for (const element of envelope.entry) {
    const entry = asRecord(element);
    if (!entry || !Array.isArray(entry.changes)) yield makeUnreadable(null, 'an entry has no changes', element);
    else for (const change of entry.changes) yield* readChange(entry, change);
  }
}

function* readChange(entry: Json, element: unknown): Reading {
  const change = asRecord(element);
  if (!change || typeof change.field !== 'string') {
    yield makeUnreadable(null, 'a change names no field', element);
    return;
  }
  const read = READERS.get(change.field);
  const value = asRecord(change.value);
  if (!read) yield null;
  else if (value) yield* read({ account: asIdentifier(entry.id), time: entry.time, value });
  else yield makeUnreadable(null, 'a change has no value', element);
}

type ListName = 'user_preferences' | 'messages' | 'statuses' | 'message_echoes' | 'history' | 'threads';

/** Reads each element of an optional list; a value that is not a list yields one `unreadable`. */
function* readList(value: Json, key: ListName, scene: Scene, read: (element: unknown) => Inbound | null): Reading {
  for (const element of listElements(value, key)) yield read(element);
  if (isNoList(value[key])) yield makeUnreadable(scene.address, `${key} is not a list`, value);
}

const isNoList = (part: unknown): boolean => part !== undefined && part !== null && !Array.isArray(part);
const listElements = (value: Json, key: ListName): unknown[] => asList(value[key]);

const openSharedData = (value: Json, key: ListName): Scene | null =>
  readSharedData(value, listElements(value, key).length);
const reportMissingNumber = (value: Json): Inbound =>
  makeUnreadable(null, 'the notification names no phone number id', value);

function* readMessages({ value }: Change): Reading {
  const scene = openSharedData(value, 'messages');
  if (!scene) return yield reportMissingNumber(value);
  yield* readLiveMessages(value, scene);
  yield* readList(value, 'statuses', scene, (element) => readStatus(element, scene));
  const hasContent = [value.messages, value.statuses, value.errors].some((part) => part !== undefined && part !== null);
  if (!hasContent) yield makeUnreadable(scene.address, 'the notification is empty', value);
}

/**
 * Reads the messages of a notification. Errors next to the messages are the cause of messages without content; without such a message they
 * become one `unreadable`.
 */
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
    yield makeUnreadable(scene.address, 'the network reports errors without a message', value.errors);
}

function readStatus(element: unknown, scene: Scene): Inbound | null {
  const report = asRecord(element);
  const externalId = asIdentifier(report?.id);
  if (!report || externalId === null || typeof report.status !== 'string') {
    return makeUnreadable(scene.address, 'a status names no message or no state', element);
  }
  const status = STATUSES.get(report.status);
  if (!status) return null;
  // A status without a usable time gets the present time, because its state matters more than its time.
  const timestamp = asDate(report.timestamp) ?? new Date();
  const tracker = report.biz_opaque_callback_data;
  const messageId = typeof tracker === 'string' && OWN_ID.test(tracker) ? tracker : null;
  const { address } = scene;
  const recipient = namePerson(report.recipient_id, report.recipient_user_id, report.recipient_parent_user_id);
  // In a group the recipient of a status is only one member, so the status does not name the contact of the message.
  const person = toPerson(report.recipient_type === 'group' ? {} : completePerson(recipient, scene.contacts));
  const errors = networkErrors(report.errors);
  return { kind: 'status', address, timestamp, externalId, messageId, person, status, errors };
}

/** Whether a value of a marketing preference opts the person out. Other values are ignored. */
const PREFERENCES = new Map<unknown, boolean>([
  ['stop', true],
  ['resume', false],
]);

function* readPreferences({ value }: Change): Reading {
  const scene = openSharedData(value, 'user_preferences');
  if (!scene) return yield reportMissingNumber(value);
  yield* readList(value, 'user_preferences', scene, (element) => {
    const preference = asRecord(element);
    const person = namePerson(preference?.wa_id, preference?.user_id, preference?.parent_user_id);
    const optedOut = PREFERENCES.get(preference?.value);
    if (optedOut === undefined) return null;
    if (!isNamed(person)) return makeUnreadable(scene.address, 'a preference names no person', element);
    const timestamp = asDate(preference?.timestamp) ?? new Date();
    return { kind: 'preference', address: scene.address, timestamp, person: toPerson(person), optedOut };
  });
}

function* readEchoes({ value }: Change): Reading {
  const scene = openSharedData(value, 'message_echoes');
  if (!scene) return yield reportMissingNumber(value);
  yield* readList(value, 'message_echoes', scene, (element) => readEcho(element, scene));
}

function* readHistory({ value }: Change): Reading {
  const scene = openSharedData(value, 'messages');
  if (!scene) return yield reportMissingNumber(value);
  yield* readErrors(value.errors, scene);
  for (const element of listElements(value, 'history')) yield* readChunk(element, scene);
  if (isNoList(value.history)) yield makeUnreadable(scene.address, 'history is not a list', value);
  // The network sends the files of recent messages later and outside of their threads.
  yield* readList(value, 'messages', scene, (element) => readHistoryMessage(element, scene, null));
}

function* readErrors(errors: unknown, scene: Scene): Reading {
  if (errors === undefined || errors === null) return;
  yield readHistoryErrors(scene.address, errors);
  if (!areDeclined(errors)) yield makeUnreadable(scene.address, 'the network could not give the history', errors);
}

function* readChunk(element: unknown, scene: Scene): Reading {
  const chunk = asRecord(element);
  if (!chunk) return yield makeUnreadable(scene.address, 'a history chunk is not an object', element);
  yield* readErrors(chunk.errors, scene);
  for (const part of listElements(chunk, 'threads')) yield* readThread(part, scene);
  if (isNoList(chunk.threads)) yield makeUnreadable(scene.address, 'threads is not a list', chunk);
  // The progress follows its messages, so that it is stored after them.
  if (chunk.metadata !== undefined) yield readProgress(scene.address, chunk.metadata);
}

function* readThread(part: unknown, scene: Scene): Reading {
  const thread = asRecord(part);
  const person = namePerson(thread?.id, thread?.user_id, thread?.parent_user_id);
  if (!thread || !isNamed(person)) return yield makeUnreadable(scene.address, 'a history thread names no person', part);
  const contact = completePerson(person, scene.contacts);
  yield* readList(thread, 'messages', scene, (message) => readHistoryMessage(message, scene, contact));
}

function* readAccount({ account, time, value }: Change): Reading {
  // A notification to a partner has the id of the partner in the entry, and names the account in the value.
  const about = asIdentifier(asRecord(value.waba_info)?.waba_id) ?? account;
  const event = asIdentifier(value.event);
  if (about === null || event === null)
    return yield makeUnreadable(null, 'account news name no account or no event', value);
  const timestamp = asDate(time) ?? new Date();
  yield { kind: 'account', account: about, timestamp, coexistence: COEXISTENCE.get(event) ?? null };
}
