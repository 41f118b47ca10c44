import { exec, many, maybeOne } from '../../platform/store/db.ts';
import { expectFound } from '../../platform/values/errors.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { HeldValues } from '../custom-fields/schemas.ts';
import type { Contact, ContactSource } from './schemas.ts';

export const CONTACT = `c._id, c.company_id as company, c.name, c.email, c.phone_number, c.country_code,
  c.professional_network_identifier, c.external_id, c.username, c.avatar_url, c.language, c.tags, c.business_id as business,
  custom_field_values(c.company_id, c.custom_fields) as custom_fields, c.owner_id as owner, c.opted_out, c.blocked, c.source, c.last_inbound_at, c.last_message_at,
  c.created_at as "createdAt", c.updated_at as "updatedAt"`;

export function findContact(tx: TenantRead, id: string): Promise<Contact | null> {
  return maybeOne(tx, {
    name: 'contacts.find',
    text: `select ${CONTACT} from contacts c where c.company_id = $1 and c._id = $2`,
    values: [tx.companyId, id],
  });
}

export function findContacts(tx: TenantRead, ids: string[]): Promise<Contact[]> {
  return many(tx, {
    name: 'contacts.findByIds',
    text: `select ${CONTACT} from contacts c where c.company_id = $1 and c._id = any($2::text[])`,
    values: [tx.companyId, ids],
  });
}

/** The fields that a caller can write and those that follow from them. `held` maps the id of a custom field to its value. */
export interface ContactFields extends Pick<
  Contact,
  | 'name'
  | 'email'
  | 'phone_number'
  | 'country_code'
  | 'professional_network_identifier'
  | 'external_id'
  | 'avatar_url'
  | 'language'
  | 'tags'
  | 'business'
  | 'owner'
  | 'opted_out'
  | 'blocked'
> {
  held: HeldValues;
}

/** A contact to be stored. With `held` null the custom field values stay as they are. `last_message_at` is for new contacts. */
export type StoredPerson = { _id: string; held: HeldValues | null; last_message_at?: string | undefined } & Omit<
  ContactFields,
  'held'
>;

const PEOPLE = `jsonb_to_recordset($2::jsonb) as n (_id text, name text, email text, phone_number text, country_code text,
  professional_network_identifier text, external_id text, avatar_url text, language text, tags text[], business text,
  owner text, opted_out boolean, blocked boolean, held jsonb, last_message_at timestamptz)`;

/** What a statement returns that writes contacts: their records, or nothing when no one needs them, because they may be large. */
const returning = (silent: boolean): string => (silent ? '' : ` returning ${CONTACT}`);

export function insertContacts(
  tx: TenantTx,
  people: StoredPerson[],
  { source, silent = false }: { source: ContactSource; silent?: boolean },
): Promise<Contact[]> {
  return many(tx, {
    name: silent ? 'contacts.insertSilently' : 'contacts.insert',
    text: `insert into contacts as c (company_id, _id, name, email, phone_number, country_code, professional_network_identifier,
        external_id, avatar_url, language, tags, business_id, owner_id, opted_out, blocked, custom_fields, last_message_at, source)
      select $1, n.*, $3 from ${PEOPLE}${returning(silent)}`,
    values: [tx.companyId, JSON.stringify(people), source],
  });
}

export function updateContacts(tx: TenantTx, people: StoredPerson[], { silent = false } = {}): Promise<Contact[]> {
  return many(tx, {
    name: silent ? 'contacts.updateSilently' : 'contacts.update',
    text: `update contacts c set name = n.name, email = n.email, phone_number = n.phone_number, country_code = n.country_code,
        professional_network_identifier = n.professional_network_identifier, external_id = n.external_id,
        avatar_url = n.avatar_url, language = n.language, tags = n.tags, business_id = n.business, owner_id = n.owner,
        opted_out = n.opted_out, blocked = n.blocked, custom_fields = coalesce(n.held, c.custom_fields),
        updated_at = now()
      from ${PEOPLE} where c.company_id = $1 and c._id = n._id${returning(silent)}`,
    values: [tx.companyId, JSON.stringify(people)],
  });
}

/** Writes a contact. Custom field values that did not change are not written again: all of them would be stored, logged and indexed. */
export async function updateContact(
  tx: TenantTx,
  id: string,
  { held, ...fields }: ContactFields,
  changes: readonly unknown[],
): Promise<Contact> {
  return expectFound((await updateContacts(tx, [{ _id: id, ...fields, held: changes.length === 0 ? null : held }]))[0]);
}

export type LockedContact = Contact & Pick<ContactFields, 'held'>;

/**
 * Keeps these contacts from being removed until the transaction ends, and allows all other changes. Returns how many exist. All locks are
 * taken in the order of the ids, to avoid deadlocks.
 */
export function keepContactsFromRemoval(tx: TenantTx, ids: string[]): Promise<number> {
  return exec(tx, {
    name: 'contacts.hold',
    text: 'select 1 from contacts where company_id = $1 and _id = any($2) order by _id for key share',
    values: [tx.companyId, ids],
  });
}

/** Locks these contacts against changes, in the order of their ids, to avoid deadlocks. */
export function lockContacts(tx: TenantTx, ids: string[]): Promise<LockedContact[]> {
  return many(tx, {
    name: 'contacts.lockAll',
    text: `select ${CONTACT}, c.custom_fields as held from contacts c where c.company_id = $1 and c._id = any($2)
      order by c._id for no key update`,
    values: [tx.companyId, ids],
  });
}

/** Locks contacts that are about to be removed, in the order of their ids, so that no transaction changes them or refers to them again. */
export function lockContactsForRemoval(tx: TenantTx, ids: string[]): Promise<LockedContact[]> {
  return many(tx, {
    name: 'contacts.seize',
    text: `select ${CONTACT}, c.custom_fields as held from contacts c where c.company_id = $1 and c._id = any($2) order by c._id for update`,
    values: [tx.companyId, ids],
  });
}

/** Locks the conversations of these contacts, because every operation locks a conversation before its contact. */
export function lockConversationsForRemoval(tx: TenantTx, contacts: string[]): Promise<number> {
  return exec(tx, {
    name: 'contacts.seizeThreads',
    text: 'select 1 from conversations where company_id = $1 and contact_id = any($2) order by _id for update',
    values: [tx.companyId, contacts],
  });
}

/** Deletes the contact with its identities and the conversations it still has. */
export function deleteContact(tx: TenantTx, id: string): Promise<number> {
  return exec(tx, {
    name: 'contacts.delete',
    text: 'delete from contacts where company_id = $1 and _id = $2',
    values: [tx.companyId, id],
  });
}

/** Takes over what networks have reported about another contact: later message times, and its username if the contact has none. */
export function mergeReportedFields(
  tx: TenantTx,
  id: string,
  other: Pick<Contact, 'last_inbound_at' | 'last_message_at' | 'username'>,
): Promise<number> {
  return exec(tx, {
    name: 'contacts.mergeReportedFields',
    text: `update contacts set last_inbound_at = greatest(last_inbound_at, $3::timestamptz),
        last_message_at = greatest(last_message_at, $4::timestamptz), username = coalesce(username, $5::text)
      where company_id = $1 and _id = $2`,
    values: [tx.companyId, id, other.last_inbound_at, other.last_message_at, other.username],
  });
}
