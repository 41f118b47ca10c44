/**
 * Reads one message object of the network: a message, an edit or a revocation, whether new or old, written by a contact or by the business.
 */
import type { Inbound, InboundMessage, InboundRevoke, InboundUnreadable } from '../channel.ts';
import { readContent } from './content.ts';
import { networkErrors } from './errors.ts';
import {
  completePerson,
  isNamed,
  namePerson,
  phoneDigits,
  readContactList,
  readRenamed,
  readSender,
  toPerson,
  type Contacts,
  type WapPerson,
} from './person.ts';
import { asBoolean, asIdentifier, asDate, asRecord, toStorable, type Json } from '../values.ts';

/** The data that all messages of one notification share. */
export interface Scene {
  address: string;
  /** The digits of the phone number of the inbox, when the notification contains it. */
  businessPhone: string | null;
  contacts: Contacts;
}

interface Writer {
  origin: InboundMessage['origin'];
  fromBusiness: boolean;
  person: WapPerson;
  historyStatus: InboundMessage['historyStatus'];
}

export function makeUnreadable(address: string | null, reason: string, raw: unknown): InboundUnreadable {
  return { kind: 'unreadable', address, reason, raw: toStorable(raw) };
}

/** Reads the data that all messages of a notification share; null when the notification names no phone number id. */
export function readSharedData(value: Json, messageCount: number): Scene | null {
  const metadata = asRecord(value.metadata);
  const address = asIdentifier(metadata?.phone_number_id);
  if (address === null) return null;
  // The display number may be formatted ("+55 11 98888-0000"); phone numbers are compared by their digits.
  const businessPhone = phoneDigits(metadata?.display_phone_number);
  return { address, businessPhone, contacts: readContactList(value.contacts, messageCount) };
}

/** Reads a message that a contact has just written. */
export function readLive(element: unknown, scene: Scene): Inbound {
  const message = asRecord(element);
  if (!message) return makeUnreadable(scene.address, 'a message is not an object', element);
  const person = readSender(message, scene.contacts);
  return readMessage(message, scene, { origin: 'live', fromBusiness: false, person, historyStatus: null });
}

/** Reads a message that the business wrote in its own app. */
export function readEcho(element: unknown, scene: Scene): Inbound {
  const message = asRecord(element);
  if (!message) return makeUnreadable(scene.address, 'an echo is not an object', element);
  const person = completePerson(namePerson(message.to, message.to_user_id, message.to_parent_user_id), scene.contacts);
  return readMessage(message, scene, { origin: 'echo', fromBusiness: true, person, historyStatus: null });
}

/**
 * Reads a message of the history. `thread` is the contact of the thread that contains the message; without a thread, `from` or `to` of the
 * message names the contact.
 */
export function readHistoryMessage(element: unknown, scene: Scene, thread: WapPerson | null): Inbound {
  const message = asRecord(element);
  if (!message) return makeUnreadable(scene.address, 'a history message is not an object', element);
  const context = asRecord(message.history_context);
  const fromBusiness = isFromBusiness(message, context, scene, thread);
  const named = fromBusiness
    ? namePerson(message.to, message.to_user_id, message.to_parent_user_id)
    : namePerson(message.from, message.from_user_id, message.from_parent_user_id);
  const person = completePerson(thread ?? named, scene.contacts);
  return readMessage(message, scene, {
    origin: 'history',
    fromBusiness,
    person,
    historyStatus: readHistoryStatus(context),
  });
}

function isFromBusiness(message: Json, context: Json | null, scene: Scene, thread: WapPerson | null): boolean {
  if (typeof context?.from_me === 'boolean') return context.from_me;
  const from = phoneDigits(message.from);
  if (from !== null && from === scene.businessPhone) return true;
  // The display number may lack the Brazilian ninth digit that `from` has. A message whose `to` is the contact was written by the business.
  const to = phoneDigits(message.to);
  return to !== null && to === thread?.phone && from !== to;
}

const OLD_STATUSES = new Map<unknown, InboundMessage['historyStatus']>([
  ['SENT', 'SENT'],
  ['DELIVERED', 'DELIVERED'],
  ['READ', 'READ'],
  ['PLAYED', 'READ'],
  ['ERROR', 'FAILED'],
  ['FAILED', 'FAILED'],
]);

function readHistoryStatus(context: Json | null): InboundMessage['historyStatus'] {
  return OLD_STATUSES.get(asIdentifier(context?.status)?.toUpperCase()) ?? null;
}

function readMessage(message: Json, scene: Scene, writer: Writer): Inbound {
  const { address } = scene;
  const externalId = asIdentifier(message.id);
  if (externalId === null) return makeUnreadable(address, 'a message has no id', message);
  // The platform has no groups, and a message to a group must not appear in the conversation with one of its members.
  if (isGroupMessage(message)) return makeUnreadable(address, 'a message of a group', message);
  const timestamp = asDate(message.timestamp);
  if (!timestamp) return makeUnreadable(address, 'a message has no readable timestamp', message);
  const base = { address, timestamp, externalId };
  const correction = { ...base, ...(writer.origin === 'history' && { isHistory: true as const }) };
  if (message.type === 'edit') return readEdit(message, correction);
  if (message.type === 'revoke') {
    const originalExternalId = asIdentifier(asRecord(message.revoke)?.original_message_id);
    if (originalExternalId === null) return makeUnreadable(address, 'a revocation names no message', message);
    return { kind: 'revoke', ...correction, originalExternalId };
  }
  if (!isNamed(writer.person)) return makeUnreadable(address, 'a message names no person', message);
  const context = asRecord(message.context);
  const renamed = message.type === 'system' ? readRenamed(message) : null;
  return {
    kind: 'message',
    ...base,
    ...writer,
    person: toPerson(writer.person),
    ...readContent(message),
    system: message.type === 'system',
    replyTo: asIdentifier(context?.id),
    referral: readReferral(message, context),
    forwarded: asBoolean(context?.frequently_forwarded) ? 'OFTEN' : asBoolean(context?.forwarded) ? 'ONCE' : null,
    errors: networkErrors(message.errors),
    renamed: renamed && toPerson(renamed),
  };
}

/** Returns true when the message has a group id, or the id of a group instead of that of a person. */
const isGroupMessage = (message: Json): boolean =>
  asIdentifier(message.group_id) !== null ||
  [message.from, message.to].some((side) => asIdentifier(side)?.endsWith('@g.us') ?? false);

function readReferral(message: Json, context: Json | null): Json | null {
  const advertisement = asRecord(toStorable(asRecord(message.referral)));
  const product = asRecord(toStorable(asRecord(context?.referred_product)));
  return product ? { ...advertisement, referred_product: product } : advertisement;
}

function readEdit(message: Json, base: Omit<InboundRevoke, 'kind' | 'originalExternalId'>): Inbound {
  const edit = asRecord(message.edit);
  const originalExternalId = asIdentifier(edit?.original_message_id);
  const edited = asRecord(edit?.message);
  if (originalExternalId === null || !edited) {
    return makeUnreadable(base.address, 'an edit names no message or no new content', message);
  }
  const content = readContent(edited);
  // An edit whose content cannot be read must not replace the content that was read before.
  if (content.contentType === 'UNSUPPORTED') {
    return makeUnreadable(base.address, 'the new content of an edit is not understood', message);
  }
  const from = asIdentifier(message.from) ?? asIdentifier(message.from_user_id);
  return { kind: 'edit', ...base, originalExternalId, from, content };
}
