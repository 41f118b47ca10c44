/**
 * Reads the people in a notification: their phone numbers, their business-scoped user ids (BSUID) and the contact list of the notification.
 */
import { readUsername } from '../../platform/values/username.ts';
import { declareIdentity, PHONE_NUMBER, type Person } from '../identity.ts';
import { asIdentifier, asLabel, asList, asRecord, type Json } from '../values.ts';

/** The names of a person in a notification. `phone` is digits without `+`. */
export interface WapPerson {
  phone?: string;
  bsuid?: string;
  parentBsuid?: string;
  /** The name for display. */
  name?: string;
  /** Null when the network says that the person has no username, absent when it says nothing. */
  username?: string | null;
}

/** The network's id of a person. Callers write it exactly as the network does. */
export const BSUID_NAME = declareIdentity({
  kind: 'BSUID',
  writing: /^[A-Z]{2}\.[!-~]+$/,
  sample: 'BR.77000000000000000001',
});

/** Converts a person of a notification for the platform. A phone number is more reliable than an id of the network. */
export function toPerson({ phone, bsuid, parentBsuid, name, username }: WapPerson): Person {
  const ids = [bsuid, parentBsuid].filter((id) => id !== undefined).map(BSUID_NAME.identify);
  return {
    names: phone === undefined ? ids : [PHONE_NUMBER.identify(phone), ...ids],
    ...(name !== undefined && { displayName: name }),
    ...(username !== undefined && { username }),
  };
}

/**
 * Matches a BSUID, which begins with the two letters of a country and a dot. Since 2026 it may be in every field that held a phone number
 * before.
 */
const BSUID = /^[A-Z]{2}\./;
const PARENT_BSUID = /^[A-Z]{2}\.ENT\./;
/**
 * Matches the digits of a phone number: E.164 allows 15 digits; test numbers are as short as 5. A longer number is the id of a group or of
 * something else.
 */
const PHONE_DIGITS = /^\d{5,15}$/;
const PHONE_WRITING = /^\+?[\d\s().-]+$/;

/** The types of notices that a phone number or user id changed; `customer_changed_number` is the old name of the first type. */
const RENAMES = new Set(['user_changed_number', 'customer_changed_number', 'user_changed_user_id']);

/** Returns the digits of a phone number, however it is written; null when the value is no phone number. */
export function phoneDigits(value: unknown): string | null {
  const written = asIdentifier(value);
  if (written === null || !PHONE_WRITING.test(written)) return null;
  const digits = written.replace(/\D/g, '');
  return PHONE_DIGITS.test(digits) ? digits : null;
}

/**
 * Reads a person from its ids. `address` is the value of a field for phone numbers, which may hold a user id instead; the two user ids come
 * from their own fields.
 */
export function namePerson(address: unknown, userId?: unknown, parentUserId?: unknown): WapPerson {
  const person: WapPerson = {};
  const phone = phoneDigits(address);
  const written = phone === null ? asIdentifier(address) : null;
  const bsuidInAddress = written !== null && BSUID.test(written) ? written : null;
  const isParent = bsuidInAddress !== null && PARENT_BSUID.test(bsuidInAddress);
  const bsuid = asIdentifier(userId) ?? (isParent ? null : bsuidInAddress);
  const parentBsuid = asIdentifier(parentUserId) ?? (isParent ? bsuidInAddress : null);
  if (phone !== null) person.phone = phone;
  if (bsuid !== null) person.bsuid = bsuid;
  if (parentBsuid !== null) person.parentBsuid = parentBsuid;
  return person;
}

export function isNamed(person: WapPerson): boolean {
  return person.phone !== undefined || person.bsuid !== undefined || person.parentBsuid !== undefined;
}

export interface Contacts {
  byName: Map<string, WapPerson>;
  /**
   * The only contact in the contact list of a notification with a single message; null when there are several contacts or several messages.
   */
  only: WapPerson | null;
}

/**
 * The most contacts that are read, as many as the senders of the largest notification. A sender whose contact comes later only gets no name
 * for display.
 */
const MAX_CONTACTS = 10_000;

function readContact(element: unknown): WapPerson | null {
  const contact = asRecord(element);
  if (!contact) return null;
  const person = namePerson(contact.wa_id, contact.user_id, contact.parent_user_id);
  const profile = asRecord(contact.profile);
  // The name is only for display: a username is not certain to belong to the person, so contacts are never matched by it.
  const name = asLabel(profile?.name) ?? asLabel(profile?.username);
  if (name !== null) person.name = name;
  const username = readGivenUsername(profile?.username);
  if (username !== undefined) person.username = username;
  return isNamed(person) ? person : null;
}

/** Reads the username of a profile. A person who gave theirs up has an empty one; a value that is no username says nothing. */
function readGivenUsername(given: unknown): string | null | undefined {
  if (given === null || given === '') return null;
  return typeof given === 'string' ? (readUsername(given) ?? undefined) : undefined;
}

/** Reads the list `contacts` of a notification with `messageCount` messages. The list is not in the order of the messages. */
export function readContactList(contacts: unknown, messageCount: number): Contacts {
  const people = asList(contacts)
    .slice(0, MAX_CONTACTS)
    .map(readContact)
    .filter((person) => person !== null);
  const byName = new Map<string, WapPerson>();
  for (const person of people) {
    if (person.phone !== undefined) byName.set(person.phone, person);
    if (person.bsuid !== undefined) byName.set(person.bsuid, person);
    if (person.parentBsuid !== undefined) byName.set(person.parentBsuid, person);
  }
  return { byName, only: people.length === 1 && messageCount === 1 ? (people[0] ?? null) : null };
}

/** Adds the ids and the name that the contact list has for a person. The ids in the message itself take precedence. */
export function completePerson(person: WapPerson, contacts: Contacts): WapPerson {
  if (!isNamed(person)) return contacts.only ?? person;
  const known = [person.phone, person.bsuid, person.parentBsuid]
    .map((id) => (id === undefined ? undefined : contacts.byName.get(id)))
    .find((found) => found !== undefined);
  if (known) return { ...known, ...person };
  // With one message and one contact, the contact is the sender even if the network writes the phone number in two ways.
  const { name, username } = contacts.only ?? {};
  return { ...(name !== undefined && { name }), ...(username !== undefined && { username }), ...person };
}

/** Reads the sender of a new message. A notice of a changed user id names the person by the previous id. */
export function readSender(message: Json, contacts: Contacts): WapPerson {
  const system = asRecord(message.system);
  const previous = asIdentifier(system?.previous_user_id);
  const address = message.from ?? system?.customer;
  return completePerson(namePerson(address, previous ?? message.from_user_id, message.from_parent_user_id), contacts);
}

/** Reads the new phone number or user ids from a notice that they changed; null for any other message. */
export function readRenamed(message: Json): WapPerson | null {
  const system = asRecord(message.system);
  if (typeof system?.type !== 'string' || !RENAMES.has(system.type)) return null;
  const renamed = namePerson(system.wa_id ?? system.new_wa_id, system.user_id, system.parent_user_id);
  return isNamed(renamed) ? renamed : null;
}
