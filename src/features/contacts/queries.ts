import { exec, many, maybeOne, one } from '../../platform/store/db.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { HeldValues } from '../custom-fields/schemas.ts';
import type { Contact, ContactSource } from './schemas.ts';

export const CONTACT = `c._id, c.company_id as company, c.name, c.email, c.phone_number, c.country_code,
  c.professional_network_identifier, c.external_id, c.avatar_url, c.language, c.tags, c.business_id as business,
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

const toParameters = (tx: TenantTx, id: string, fields: ContactFields): unknown[] => [
  tx.companyId,
  id,
  fields.name,
  fields.email,
  fields.phone_number,
  fields.country_code,
  fields.professional_network_identifier,
  fields.external_id,
  fields.avatar_url,
  fields.language,
  fields.tags,
  fields.business,
  fields.owner,
  fields.opted_out,
  fields.blocked,
  fields.held,
];

export function insertContact(
  tx: TenantTx,
  id: string,
  fields: ContactFields,
  source: ContactSource,
): Promise<Contact> {
  return one(tx, {
    name: 'contacts.insert',
    text: `insert into contacts as c (company_id, _id, name, email, phone_number, country_code, professional_network_identifier,
        external_id, avatar_url, language, tags, business_id, owner_id, opted_out, blocked, custom_fields, source)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) returning ${CONTACT}`,
    values: [...toParameters(tx, id, fields), source],
  });
}

/** Writes a contact. With `keepsValues` the custom fields did not change: writing them again would store, log and index all of them. */
export function updateContact(
  tx: TenantTx,
  id: string,
  fields: ContactFields,
  { keepsValues }: { keepsValues: boolean },
): Promise<Contact> {
  const values = toParameters(tx, id, fields);
  return one(tx, {
    name: keepsValues ? 'contacts.updatePlain' : 'contacts.update',
    text: `update contacts c set name = $3, email = $4, phone_number = $5, country_code = $6, professional_network_identifier = $7,
        external_id = $8, avatar_url = $9, language = $10, tags = $11, business_id = $12, owner_id = $13, opted_out = $14, blocked = $15,
        ${keepsValues ? '' : 'custom_fields = $16, '}updated_at = now()
      where c.company_id = $1 and c._id = $2 returning ${CONTACT}`,
    values: keepsValues ? values.slice(0, -1) : values,
  });
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

/** Moves the message times of a contact forward to those of another, never back. */
export function mergeMessageTimes(
  tx: TenantTx,
  id: string,
  other: Pick<Contact, 'last_inbound_at' | 'last_message_at'>,
): Promise<number> {
  return exec(tx, {
    name: 'contacts.joinClocks',
    text: `update contacts set last_inbound_at = greatest(last_inbound_at, $3::timestamptz),
        last_message_at = greatest(last_message_at, $4::timestamptz)
      where company_id = $1 and _id = $2`,
    values: [tx.companyId, id, other.last_inbound_at, other.last_message_at],
  });
}
