/** Queries of ingestion; each handles a whole batch of several companies in one statement. */
import type { Identity } from '../../channels/identity.ts';
import { exec, many } from '../../platform/store/db.ts';
import { givenRow, givenRows } from '../../platform/store/given-rows.ts';
import type { SystemTx, TenantTx } from '../../platform/store/tenant.ts';
import { CONTACT } from './queries.ts';
import {
  IDENTITY_FIELD_NAMES,
  IDENTITY_FIELDS,
  type Contact,
  type ContactSource,
  type IdentityField,
} from './schemas.ts';

export interface CompanyIdentity extends Identity {
  company: string;
}

type IdentityKey = Omit<CompanyIdentity, 'address'>;

export interface KnownIdentity extends IdentityKey {
  contact: string;
  /** True when the contact has no name yet. */
  nameless: boolean;
  username: string | null;
  /** The kinds of identities whose field of the contact is empty. */
  unfilled: string[];
}

/** The fields of a contact that networks report besides its name. The country code follows from the phone number. */
const REPORTED = [...IDENTITY_FIELD_NAMES, 'country_code'] as const;
export type ReportedFields = Record<IdentityField | 'country_code', string | null>;

const REPORTED_COLUMNS = REPORTED.join(', ');
const reportedParameters = (first: number): string =>
  REPORTED.map((_, index) => `$${first + index}::text[]`).join(', ');
const reportedValues = (rows: { fields: ReportedFields }[]): (string | null)[][] =>
  REPORTED.map((column) => rows.map(({ fields }) => fields[column]));

const IDENTITIES = `unnest($1::text[], $2::text[], $3::text[])`;

function identityColumns(identities: IdentityKey[]): string[][] {
  return [
    identities.map((item) => item.company),
    identities.map((item) => item.kind),
    identities.map((item) => item.value),
  ];
}

const UNFILLED = IDENTITY_FIELD_NAMES.map(
  (field) => `case when c.${field} is null then '${IDENTITY_FIELDS[field].kind}' end`,
).join(', ');

export function findIdentities(tx: SystemTx, identities: IdentityKey[]): Promise<KnownIdentity[]> {
  return many(tx, {
    name: 'contacts.findIdentities',
    text: `select i.company_id as company, i.kind, i.value, i.contact_id as contact, c.name is null as nameless, c.username,
        array_remove(array[${UNFILLED}], null) as unfilled
      from ${IDENTITIES} as asked (company_id, kind, value)
      join contact_identities i using (company_id, kind, value)
      join contacts c on c.company_id = i.company_id and c._id = i.contact_id`,
    values: identityColumns(identities),
  });
}

export interface NewPerson {
  contact: string;
  main: CompanyIdentity;
  name: string | null;
  username: string | null;
  fields: ReportedFields;
  source: ContactSource;
}

/**
 * Creates a contact for each person whose first identity no one has. The identity is written first, so that of two transactions only one
 * creates the contact. Returns the contacts that were created.
 */
export function insertPeople(tx: SystemTx, people: NewPerson[]): Promise<{ _id: string }[]> {
  return many(tx, {
    name: 'contacts.insertPeople',
    text: `with people as (
        select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], ${reportedParameters(9)})
          as p (company_id, kind, value, address, contact_id, name, username, source, ${REPORTED_COLUMNS})
      ), won as (
        insert into contact_identities (company_id, kind, value, contact_id, address)
        select company_id, kind, value, contact_id, address from people order by company_id, kind, value
        on conflict do nothing returning contact_id
      )
      insert into contacts (company_id, _id, name, username, ${REPORTED_COLUMNS}, source)
      select company_id, contact_id, name, username, ${REPORTED_COLUMNS}, source from people
      where contact_id in (select contact_id from won) returning _id`,
    values: [
      ...identityColumns(people.map((person) => person.main)),
      people.map((person) => person.main.address),
      people.map((person) => person.contact),
      people.map((person) => person.name),
      people.map((person) => person.username),
      people.map((person) => person.source),
      ...reportedValues(people),
    ],
  });
}

export type IdentityAlias = CompanyIdentity & { contact: string };

/**
 * Stores free identities and returns how many were free; waits for transactions that are storing the same ones. All operations use this
 * order, to avoid deadlocks.
 */
export function claimIdentities(tx: SystemTx | TenantTx, identities: IdentityAlias[]): Promise<number> {
  return exec(tx, {
    name: 'contacts.claimIdentities',
    text: `insert into contact_identities (company_id, kind, value, address, contact_id)
      select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) order by 1, 2, 3
      on conflict do nothing`,
    values: [
      ...identityColumns(identities),
      identities.map((identity) => identity.address),
      identities.map((identity) => identity.contact),
    ],
  });
}

/** A name by which the network reports the recipient of a message. */
export interface ReportedRecipient extends Identity {
  company: string;
  inbox: string;
  external_id: string;
}

/**
 * Stores the network's names of the contacts to whom these messages were sent, where no one has these names. A name that another contact
 * has is only moved by a notice of the network.
 */
export function learnIdentities(tx: SystemTx | TenantTx, reported: ReportedRecipient[]): Promise<number> {
  return exec(tx, {
    name: 'contacts.learnIdentities',
    text: `insert into contact_identities (company_id, kind, value, address, contact_id)
      select distinct on (m.company_id, n.kind, n.value) m.company_id, n.kind, n.value, n.address, m.contact_id
      from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
        as n (company_id, kind, value, inbox_id, external_id, address)
      join message_keys y on y.company_id = n.company_id and y.key = message_key(n.inbox_id, n.external_id)
      join messages m on m.company_id = y.company_id and m._id = y.message_id
      where not exists (
        select from contact_identities i where i.company_id = m.company_id and i.kind = n.kind and i.value = n.value)
      order by m.company_id, n.kind, n.value on conflict do nothing`,
    values: [
      ...identityColumns(reported),
      reported.map((item) => item.inbox),
      reported.map((item) => item.external_id),
      reported.map((item) => item.address),
    ],
  });
}

/** Moves identities to the contacts that the network reports with them. */
export function moveIdentities(tx: SystemTx, identities: IdentityAlias[]): Promise<number> {
  return exec(tx, {
    name: 'contacts.moveIdentities',
    text: `update contact_identities i set contact_id = n.contact_id
      from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as n (company_id, kind, value, contact_id)
      where i.company_id = n.company_id and i.kind = n.kind and i.value = n.value`,
    values: [...identityColumns(identities), identities.map((identity) => identity.contact)],
  });
}

/** Identities to which answers were sent under the old name get the new one as their address. */
export function readdressIdentities(tx: SystemTx, renewed: IdentityAlias, old: string): Promise<number> {
  return exec(tx, {
    name: 'contacts.readdressIdentities',
    text: `update contact_identities i set address = $5
      where i.company_id = $1 and i.contact_id = $2 and i.kind = $3 and (i.value = $4 or i.address = (
        select o.address from contact_identities o
        where o.company_id = $1 and o.contact_id = $2 and o.kind = $3 and o.value = $6))`,
    values: [renewed.company, renewed.contact, renewed.kind, renewed.value, renewed.address, old],
  });
}

export interface LearntFact {
  company: string;
  contact: string;
  name: string | null;
  /** It replaces the stored one; null clears it, and without it the stored one stays. */
  username?: string | null;
  fields: ReportedFields;
  /** True when the network said that the fields changed; false fills only empty fields. */
  replace: boolean;
}

const LEARNT = REPORTED.map(
  (column) =>
    `${column} = case when f.replace then coalesce(f.${column}, c.${column}) else coalesce(c.${column}, f.${column}) end`,
).join(', ');
const IS_NEW = IDENTITY_FIELD_NAMES.map(
  (field) =>
    `(f.${field} is not null and c.${field} is distinct from f.${field} and (f.replace or c.${field} is null))`,
).join(' or ');

// No username is empty, so the empty text stands for one that was given up.
const CLEARED = '';
const USERNAME = `case when f.username is null then c.username else nullif(f.username, '${CLEARED}') end`;

/** Stores what the network reports about people. Returns the contacts that really changed. */
export function learnFacts(tx: SystemTx, facts: LearntFact[]): Promise<{ _id: string }[]> {
  return many(tx, {
    name: 'contacts.learnFacts',
    text: `update contacts c set updated_at = now(), name = coalesce(c.name, f.name),
        username = ${USERNAME}, ${LEARNT}
      from unnest($1::text[], $2::text[], $3::text[], $4::boolean[], $5::text[], ${reportedParameters(6)})
        as f (company_id, contact_id, name, replace, username, ${REPORTED_COLUMNS})
      where c.company_id = f.company_id and c._id = f.contact_id
        and ((c.name is null and f.name is not null) or c.username is distinct from ${USERNAME} or ${IS_NEW})
      returning c._id`,
    values: [
      facts.map((fact) => fact.company),
      facts.map((fact) => fact.contact),
      facts.map((fact) => fact.name),
      facts.map((fact) => fact.replace),
      facts.map(({ username }) => (username === undefined ? null : (username ?? CLEARED))),
      ...reportedValues(facts),
    ],
  });
}

export interface ContactActivity {
  company: string;
  contact: string;
  message_at: string | null;
  inbound_at: string | null;
}

const touchFrom = (
  rows: typeof givenRows,
): string => `update contacts c set last_message_at = greatest(c.last_message_at, a.message_at),
    last_inbound_at = greatest(c.last_inbound_at, a.inbound_at)
  from ${rows({ company_id: 'text', contact_id: 'text', message_at: 'timestamptz', inbound_at: 'timestamptz' })} a
  where c.company_id = a.company_id and c._id = a.contact_id`;
const TOUCH = touchFrom(givenRow);
const TOUCH_MANY = touchFrom(givenRows);

/** Moves the message times of a contact forward, never back. */
export function touchContact(
  tx: SystemTx | TenantTx,
  { company, contact, message_at, inbound_at }: ContactActivity,
): Promise<number> {
  return exec(tx, { name: 'contacts.touch', text: TOUCH, values: [company, contact, message_at, inbound_at] });
}

export function touchContacts(tx: SystemTx | TenantTx, activities: ContactActivity[]): Promise<number> {
  return exec(tx, {
    name: 'contacts.touchMany',
    text: TOUCH_MANY,
    values: [
      activities.map((activity) => activity.company),
      activities.map((activity) => activity.contact),
      activities.map((activity) => activity.message_at),
      activities.map((activity) => activity.inbound_at),
    ],
  });
}

/** Locks these contacts until the transaction ends, in the order of companies and ids, to avoid deadlocks. */
export function lockContacts(tx: SystemTx, keys: { company: string; contact: string }[]): Promise<number> {
  return exec(tx, {
    name: 'contacts.lock',
    text: `select 1 from unnest($1::text[], $2::text[]) as k (company_id, _id)
      join contacts c on c.company_id = k.company_id and c._id = k._id
      order by c.company_id, c._id for no key update of c`,
    values: [keys.map((key) => key.company), keys.map((key) => key.contact)],
  });
}

export function findContactsByKeys(
  tx: SystemTx | TenantTx,
  keys: { company: string; _id: string }[],
): Promise<Contact[]> {
  return many(tx, {
    name: 'contacts.findOf',
    text: `select ${CONTACT} from unnest($1::text[], $2::text[]) as k (company_id, _id)
      join contacts c on c.company_id = k.company_id and c._id = k._id`,
    values: [keys.map((key) => key.company), keys.map((key) => key._id)],
  });
}
