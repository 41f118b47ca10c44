/** Contacts of a company: the people that it talks to. */
import { isDeepStrictEqual } from 'node:util';
import type { Kit } from '../../kit.ts';
import { invalid, notFound } from '../../platform/errors.ts';
import { emit } from '../../platform/events.ts';
import { newId } from '../../platform/ids.ts';
import type { Tenant, TenantTx } from '../../platform/tenant.ts';
import { expectBusiness } from '../businesses/references.ts';
import { applyValues, fieldEvents, type FieldChange } from '../custom-fields/values.ts';
import { expectUsers } from '../users/assignments.ts';
import { claimNames, releaseNames } from './identities.ts';
import { isNamed } from './name-queries.ts';
import { parsePhone, type Phone } from './phone.ts';
import {
  deleteContact,
  eraseMessages,
  findContact,
  holdContacts,
  insertContact,
  lockContacts,
  seizeContacts,
  seizeThreads,
  unlinkRows,
  updateContact,
  type ContactFields,
  type LockedContact,
} from './queries.ts';
import type { Contact, ContactCreate, ContactSource, ContactUpdate } from './schemas.ts';

export async function readContact(tenant: Tenant, id: string): Promise<Contact> {
  const contact = await findContact(tenant.read, id);
  if (!contact) throw notFound();
  return contact;
}

export async function createContact(tenant: Tenant, input: ContactCreate): Promise<Contact> {
  return tenant.tx(async (tx) => {
    const contact = await addContact(tx, tenant.principal.type === 'user' ? 'DASHBOARD' : 'API', input);
    tx.makes(contact._id);
    return contact;
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

/** Part of the caller's transaction, with its events. Throws CONTACT_EXISTS where another contact has one of its names. */
export async function addContact(tx: TenantTx, source: ContactSource, input: ContactCreate): Promise<Contact> {
  const { fields, changes } = await applied(tx, NOBODY, input);
  if (isNobody(fields)) throw nobody();
  const contact = await insertContact(tx, newId(), fields, source);
  await claimNames(tx, contact._id, fields);
  await emit(tx, [{ event: 'CONTACT_CREATED', data: contact }, ...changesOf(contact, changes)]);
  return contact;
}

export async function updateContactById(tenant: Tenant, id: string, input: ContactUpdate): Promise<Contact> {
  const wanted = { ...input, ...phoneOf(input) };
  return tenant.tx(async (tx) => {
    if ((await holdContacts(tx, [id])) === 0) throw notFound();
    // Before the lock, as ingestion does, and once more behind it: a name that was ours may have been given away meanwhile.
    await claimNames(tx, id, wanted);
    const [before] = await lockContacts(tx, [id]);
    if (!before) throw notFound();
    await claimNames(tx, id, wanted);
    const own = fieldsOf(before);
    const { fields, changes } = await applied(tx, own, input);
    if (isDeepStrictEqual(fields, own)) return before;
    await releaseNames(tx, id, own, fields);
    if (isNobody(fields) && !isNobody(own) && !(await isNamed(tx, id))) throw nobody();
    const contact = await updateContact(tx, id, fields);
    await emit(tx, [{ event: 'CONTACT_UPDATED', data: contact }, ...changesOf(contact, changes)]);
    return contact;
  });
}

// Some hundred milliseconds a statement.
const PORTION = 5_000;
// The same for rows: each that changes goes into the index of their search anew.
const ROW_PORTION = 1_000;

/**
 * Erases the contact with its conversations and messages. No event tells of it. Rows of tables may be very many: they are unlinked
 * before, each portion for good, outside the request's trail, which tells of the erasure only.
 */
export async function removeContact(kit: Kit, tenant: Tenant, id: string): Promise<Contact> {
  while ((await kit.database.tenantTx(tenant.companyId, (tx) => unlinkRows(tx, id, ROW_PORTION))) > 0);
  return tenant.tx(async (tx) => {
    await seizeThreads(tx, [id]);
    const [contact] = await seizeContacts(tx, [id]);
    if (!contact) throw notFound();
    while ((await eraseMessages(tx, id, PORTION)) > 0);
    await deleteContact(tx, id);
    return contact;
  });
}

export function fieldsOf(contact: LockedContact): ContactFields {
  const fields = Object.keys(NOBODY).map((field) => [field, contact[field as keyof ContactFields]]);
  return Object.fromEntries(fields) as unknown as ContactFields;
}

async function applied(
  tx: TenantTx,
  before: ContactFields,
  input: ContactUpdate,
): Promise<{ fields: ContactFields; changes: FieldChange[] }> {
  const { custom_fields: given, phone_number: _phone, ...plain } = input;
  await expectBusiness(tx, 'business', input.business);
  await expectUsers(tx, { owner: input.owner });
  const { held, changes } = await applyValues(tx, 'contact', before.held, given);
  return { fields: { ...before, ...plain, ...phoneOf(input), held }, changes };
}

function phoneOf({ phone_number: text }: ContactUpdate): { [field in keyof Phone]?: Phone[field] | null } {
  if (text === undefined) return {};
  if (text === null) return { phone_number: null, country_code: null };
  const phone = parsePhone(text);
  if (!phone) throw invalid('phone_number', 'is not a valid phone number');
  return phone;
}

export function isNobody(fields: ContactFields): boolean {
  const { name, phone_number, email, professional_network_identifier, external_id } = fields;
  return [name, phone_number, email, professional_network_identifier, external_id].every((field) => field === null);
}

const nobody = () => invalid('name', 'or something that identifies the contact has to be there', 'REQUIRED');

const changesOf = ({ _id, company }: Contact, changes: FieldChange[]) =>
  fieldEvents({ _id, company, contact: _id }, changes);
