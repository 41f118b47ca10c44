/** Contacts of a company: the people that it exchanges messages with. */
import { isDeepStrictEqual } from 'node:util';
import { actorOrigin, type Actor } from '../../platform/values/actor.ts';
import { expectFound, invalid, notFound } from '../../platform/values/errors.ts';
import { emit, type EventItem } from '../../platform/store/events.ts';
import { newId } from '../../platform/values/ids.ts';
import { readCallersPhone } from '../../platform/store/phone-country.ts';
import type { Phone } from '../../platform/values/phone.ts';
import { expectRecordSize } from '../../platform/values/sizes.ts';
import type { Acting, Tenant, TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import { expectBusiness } from '../businesses/references.ts';
import { applyValues, fieldEvents, type FieldChange } from '../custom-fields/values.ts';
import { expectUsers } from '../users/assignments.ts';
import { assignIdentities, listShown, releaseIdentities, type ShownIdentity } from './identities.ts';
import { hasIdentity } from './name-queries.ts';
import {
  findContact,
  findContacts,
  keepContactsFromRemoval,
  insertContacts,
  lockContacts,
  updateContact,
  type ContactFields,
  type LockedContact,
  type StoredPerson,
} from './queries.ts';
import type { Contact, ContactCreate, ContactSource, ContactUpdate } from './schemas.ts';

export async function readContact(tenant: Tenant, id: string): Promise<Contact> {
  return expectFound(await findContact(tenant.read, id));
}

/** Reads contacts by their ids, as a GET returns them. Those that do not exist are left out. */
export const readContacts = async (read: TenantRead, ids: string[]): Promise<Contact[]> =>
  ids.length === 0 ? [] : findContacts(read, ids);

export async function createContact(tenant: Tenant, input: ContactCreate): Promise<Contact> {
  return tenant.tx(async (tx) => {
    const { fields, changes } = await applyInput(tx, NOBODY, await readPhoneInput(tx, input));
    if (identifiesNobody(fields)) throw makeIdentityMissingError();
    const person = { ...fields, _id: newId() };
    const written = [{ isNew: true, person, changes }];
    const [contact] = await createContacts(tx, toContactSource(tenant.actor), written, assignIdentities);
    tx.created(person._id);
    return expectFound(contact);
  });
}

export const NOBODY: ContactFields = {
  name: null,
  email: null,
  phone_number: null,
  country_code: null,
  professional_network_identifier: null,
  external_id: null,
  avatar_url: null,
  language: null,
  tags: [],
  business: null,
  owner: null,
  opted_out: false,
  blocked: false,
  held: {},
};

/** A person adds contacts in the dashboard; every other actor is automation. */
export const toContactSource = (actor: Actor): ContactSource =>
  actorOrigin(actor) === 'DASHBOARD' ? 'DASHBOARD' : 'API';

export interface WrittenContact<Person = StoredPerson> {
  isNew: boolean;
  person: Person;
  /** The custom fields whose values changed. */
  changes: FieldChange[];
}

/**
 * Creates contacts in the caller's transaction and emits their events. Another contact may have one of their identities: phone number,
 * e-mail, network identifier or external id. `assign` throws the error for that.
 */
export async function createContacts(
  tx: TenantTx,
  source: ContactSource,
  people: WrittenContact[],
  assign: (tx: TenantTx, names: ShownIdentity[]) => Promise<void>,
): Promise<Contact[]> {
  if (people.length === 0) return [];
  const persons = people.map(({ person }) => person);
  const contacts = await insertContacts(tx, persons, { source });
  for (const contact of contacts) expectRecordSize('custom_fields', contact);
  await assign(tx, listShown(persons));
  await emitWritten(tx, people, contacts);
  return contacts;
}

/** Emits the events of contacts that were created or changed. `conversation`: inside of which it happened. */
export async function emitWritten(
  tx: TenantTx,
  written: WrittenContact<{ _id: string }>[],
  contacts: Contact[],
  conversation?: string,
): Promise<void> {
  const records = new Map(contacts.map((contact) => [contact._id, contact]));
  await emit(
    tx,
    written.flatMap(({ isNew, person: { _id }, changes }): EventItem[] => {
      const data = records.get(_id);
      if (!data) return [];
      const about = { _id, company: data.company, contact: _id, conversation };
      return [{ event: isNew ? 'CONTACT_CREATED' : 'CONTACT_UPDATED', data }, ...fieldEvents(about, changes)];
    }),
  );
}

/** Keeps a contact from being removed until the transaction ends; nothing happens when there is none. */
export async function keepContact(tx: TenantTx, id: string): Promise<void> {
  await keepContactsFromRemoval(tx, [id]);
}

export async function updateContactById(tenant: Acting, id: string, input: ContactUpdate): Promise<Contact> {
  const wanted = await readPhoneInput(tenant.read, input);
  return tenant.tx(async (tx) => (await changeContact(tx, id, wanted)).contact);
}

/** Writes custom fields of a contact inside a conversation, in the caller's transaction, and emits the events. */
export const writeContactFields = async (
  tx: TenantTx,
  { contact, conversation }: { contact: string; conversation: string },
  custom_fields: NonNullable<ContactUpdate['custom_fields']>,
): Promise<Contact> => (await changeContact(tx, contact, { custom_fields }, conversation)).contact;

/** Notes in the caller's transaction that the contact wants no more messages. Returns false when they have said so before. */
export async function optOutContact(tx: TenantTx, id: string): Promise<boolean> {
  const [before] = await lockContacts(tx, [id]);
  if (!before || before.opted_out) return false;
  await changeContact(tx, id, { opted_out: true });
  return true;
}

/** Changes a contact in the caller's transaction. `conversation`: inside of which the change happens. */
export async function changeContact(
  tx: TenantTx,
  id: string,
  wanted: InputWithReadPhone,
  conversation?: string,
): Promise<{ contact: Contact; isChanged: boolean }> {
  if ((await keepContactsFromRemoval(tx, [id])) === 0) throw notFound();
  const named = listShown([{ _id: id, ...wanted }]);
  // Identities are claimed before the contact is locked, in the same order as ingestion, and again afterwards, because the contact may
  // have lost one of them in between, or with a number that it replaces.
  await assignIdentities(tx, named);
  const before = expectFound((await lockContacts(tx, [id]))[0]);
  const own = pickFields(before);
  const { fields, changes } = await applyInput(tx, own, wanted);
  await releaseIdentities(tx, id, own, fields);
  await assignIdentities(tx, named);
  if (isDeepStrictEqual(fields, own)) return { contact: before, isChanged: false };
  if (identifiesNobody(fields) && !identifiesNobody(own) && !(await hasIdentity(tx, id)))
    throw makeIdentityMissingError();
  const updated = await updateContact(tx, id, fields, changes);
  const contact = expectRecordSize('custom_fields', updated, { before: own, after: fields });
  await emitWritten(tx, [{ isNew: false, person: contact, changes }], [contact], conversation);
  return { contact, isChanged: true };
}

export function pickFields(contact: LockedContact): ContactFields {
  const fields = Object.entries(contact).filter(([field]) => Object.hasOwn(NOBODY, field));
  return Object.fromEntries(fields) as unknown as ContactFields;
}

async function applyInput(
  tx: TenantTx,
  before: ContactFields,
  { custom_fields: given, ...plain }: InputWithReadPhone,
): Promise<{ fields: ContactFields; changes: FieldChange[] }> {
  await expectBusiness(tx, 'business', plain.business);
  await expectUsers(tx, { owner: plain.owner });
  const { held, changes } = await applyValues(tx, 'contact', before.held, given);
  return { fields: { ...before, ...plain, held }, changes };
}

/** The fields of a request, with the phone number in its stored form. */
type InputWithReadPhone = Omit<ContactUpdate, 'country' | 'phone_number'> & {
  [field in keyof Phone]?: Phone[field] | null;
};

async function readPhoneInput(
  tx: TenantRead,
  { country, phone_number, ...plain }: ContactUpdate,
): Promise<InputWithReadPhone> {
  if (country !== undefined && typeof phone_number !== 'string')
    throw invalid('country', 'is allowed only with phone_number');
  if (phone_number === undefined) return plain;
  if (phone_number === null) return { ...plain, phone_number, country_code: null };
  return { ...plain, ...(await readCallersPhone(tx, phone_number, { country, path: 'phone_number' })) };
}

export function identifiesNobody(fields: ContactFields): boolean {
  const { name, phone_number, email, professional_network_identifier, external_id } = fields;
  return [name, phone_number, email, professional_network_identifier, external_id].every((field) => field === null);
}

const makeIdentityMissingError = () =>
  invalid('name', 'or something that identifies the contact is required', 'REQUIRED');
