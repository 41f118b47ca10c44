/** Who a notification speaks of: phone numbers, business-scoped user ids (BSUID), and the contact list beside it. */
import type { Person } from '../channel.ts';
import { identifier, label, list, record, type Json } from './values.ts';

/** Since 2026 a BSUID may stand wherever a phone number stood: two letters of a country and a dot. */
const BSUID = /^[A-Z]{2}\./;
const PARENT_BSUID = /^[A-Z]{2}\.ENT\./;
/** E.164 allows 15 digits; test numbers are as short as 5. Anything longer is a group or an id, not a phone. */
const PHONE_DIGITS = /^\d{5,15}$/;
const PHONE_WRITING = /^\+?[\d\s().-]+$/;

/** The notices of a new name; the second is the first one's old spelling. An identity change is not among them. */
const RENAMES = new Set(['user_changed_number', 'customer_changed_number', 'user_changed_user_id']);

/** The digits of a phone number in any writing, or null when it is none. */
export function phoneDigits(value: unknown): string | null {
  const written = identifier(value);
  if (written === null || !PHONE_WRITING.test(written)) return null;
  const digits = written.replace(/\D/g, '');
  return PHONE_DIGITS.test(digits) ? digits : null;
}

/** `address` is what stands in a phone number's place; the two ids come from fields of their own. */
export function namePerson(address: unknown, userId?: unknown, parentUserId?: unknown): Person {
  const person: Person = {};
  const phone = phoneDigits(address);
  const written = phone === null ? identifier(address) : null;
  const bsuidInAddress = written !== null && BSUID.test(written) ? written : null;
  const isParent = bsuidInAddress !== null && PARENT_BSUID.test(bsuidInAddress);
  const bsuid = identifier(userId) ?? (isParent ? null : bsuidInAddress);
  const parentBsuid = identifier(parentUserId) ?? (isParent ? bsuidInAddress : null);
  if (phone !== null) person.phone = phone;
  if (bsuid !== null) person.bsuid = bsuid;
  if (parentBsuid !== null) person.parentBsuid = parentBsuid;
  return person;
}

export function isNamed(person: Person): boolean {
  return person.phone !== undefined || person.bsuid !== undefined || person.parentBsuid !== undefined;
}

export interface Contacts {
  byName: Map<string, Person>;
  /** The person meant when a lone message names nobody; null when that is not certain. */
  only: Person | null;
}

/** As many as the messages of the largest notification can have. Of whom comes later only the name for display is lost. */
const MAX_CONTACTS = 10_000;

function readContact(element: unknown): Person | null {
  const contact = record(element);
  if (!contact) return null;
  const person = namePerson(contact.wa_id, contact.user_id, contact.parent_user_id);
  const profile = record(contact.profile);
  // Only for display: a username names nobody for certain, so contacts are never matched by it.
  const name = label(profile?.name) ?? label(profile?.username);
  if (name !== null) person.name = name;
  return isNamed(person) ? person : null;
}

/** The list `contacts` of a notification with `messageCount` messages. It is not in the order of the messages. */
export function readContacts(contacts: unknown, messageCount: number): Contacts {
  const people = list(contacts)
    .slice(0, MAX_CONTACTS)
    .map(readContact)
    .filter((person) => person !== null);
  const byName = new Map<string, Person>();
  for (const person of people) {
    if (person.phone !== undefined) byName.set(person.phone, person);
    if (person.bsuid !== undefined) byName.set(person.bsuid, person);
  }
  return { byName, only: people.length === 1 && messageCount === 1 ? (people[0] ?? null) : null };
}

/** Adds what the contact list knows about a person. What the message itself says wins. */
export function completePerson(person: Person, contacts: Contacts): Person {
  if (!isNamed(person)) return contacts.only ?? person;
  const known =
    (person.phone === undefined ? undefined : contacts.byName.get(person.phone)) ??
    (person.bsuid === undefined ? undefined : contacts.byName.get(person.bsuid));
  if (known) return { ...known, ...person };
  // The one contact beside a lone message is its sender also where the network writes the number in another way.
  const name = contacts.only?.name;
  return name === undefined ? person : { name, ...person };
}

/** The sender of a live message; for a changed user id the person is still known by the previous one. */
export function readSender(message: Json, contacts: Contacts): Person {
  const system = record(message.system);
  const previous = identifier(system?.previous_user_id);
  const address = message.from ?? system?.customer;
  return completePerson(namePerson(address, previous ?? message.from_user_id, message.from_parent_user_id), contacts);
}

/** The new names in a notice of a changed number or user id; null when the notice says nothing of the kind. */
export function readRenamed(message: Json): Person | null {
  const system = record(message.system);
  if (typeof system?.type !== 'string' || !RENAMES.has(system.type)) return null;
  const renamed = namePerson(system.wa_id ?? system.new_wa_id, system.user_id, system.parent_user_id);
  return isNamed(renamed) ? renamed : null;
}
