/** Set-based statements of imports and exports: one for a portion of contacts. */
import { exec, many } from '../../platform/db.ts';
import type { TenantRead, TenantTx } from '../../platform/tenant.ts';
import { conditionsOf, type ContactMatch } from './filter-queries.ts';
import { CONTACT, type ContactFields } from './queries.ts';
import type { Contact } from './schemas.ts';

export type Pointer = { field: '_id' | 'business' | 'owner'; _id: string };

/** Which of these are contacts, businesses or users of the company. */
export function findPointers(tx: TenantTx, asked: Pointer[]): Promise<Pointer[]> {
  const of = (field: Pointer['field']): string[] => asked.filter((each) => each.field === field).map(({ _id }) => _id);
  return many(tx, {
    name: 'contacts.findPointers',
    text: `select _id, '_id' as field from contacts where company_id = $1 and _id = any($2)
      union all select _id, 'business' from businesses where company_id = $1 and _id = any($3) and removed_at is null
      union all select _id, 'owner' from users where company_id = $1 and _id = any($4) and removed_at is null`,
    values: [tx.companyId, of('_id'), of('business'), of('owner')],
  });
}

export type StoredPerson = { _id: string } & ContactFields;

const PEOPLE = `jsonb_to_recordset($2::jsonb) as n (_id text, name text, email text, phone_number text, country_code text,
  professional_network_identifier text, external_id text, avatar_url text, language text, tags text[], business text,
  owner text, opted_out boolean, blocked boolean, held jsonb)`;

export function insertImported(tx: TenantTx, people: StoredPerson[]): Promise<number> {
  return exec(tx, {
    name: 'contacts.insertImported',
    text: `insert into contacts (company_id, _id, name, email, phone_number, country_code, professional_network_identifier,
        external_id, avatar_url, language, tags, business_id, owner_id, opted_out, blocked, custom_fields, source)
      select $1, n.*, 'IMPORT' from ${PEOPLE}`,
    values: [tx.companyId, JSON.stringify(people)],
  });
}

export function updateImported(tx: TenantTx, people: StoredPerson[]): Promise<number> {
  return exec(tx, {
    name: 'contacts.updateImported',
    text: `update contacts c set name = n.name, email = n.email, phone_number = n.phone_number, country_code = n.country_code,
        professional_network_identifier = n.professional_network_identifier, external_id = n.external_id,
        avatar_url = n.avatar_url, language = n.language, tags = n.tags, business_id = n.business, owner_id = n.owner,
        opted_out = n.opted_out, blocked = n.blocked, custom_fields = n.held, updated_at = now()
      from ${PEOPLE} where c.company_id = $1 and c._id = n._id`,
    values: [tx.companyId, JSON.stringify(people)],
  });
}

export function findPeople(tx: TenantTx, ids: string[]): Promise<Contact[]> {
  return many(tx, {
    name: 'contacts.findPeople',
    text: `select ${CONTACT} from contacts c where c.company_id = $1 and c._id = any($2)`,
    values: [tx.companyId, ids],
  });
}

export interface Place {
  createdAt: string;
  id: string;
}

/**
 * The next contacts after a place in the list's order, newest first: those that match, and the last one that was looked at,
 * so that the next portion knows where to go on. Costs the same at any depth and for any filter.
 */
export function walkContacts(
  tx: TenantRead,
  match: ContactMatch,
  after: Place | null,
  reach: number,
): Promise<(Contact & { matches: boolean })[]> {
  const { exact, exactValues } = conditionsOf(match);
  const [time, id, limit] = [2, 3, 4].map((number) => `$${number + exactValues.length}`);
  return many(tx, {
    name: 'contacts.walk',
    text: `select ${CONTACT}, page.matches from (
        select _id, created_at, (true${exact}) is true as matches, row_number() over (order by created_at, _id) = 1 as last
        from (
          select * from contacts where company_id = $1 and (${time}::timestamptz is null or (created_at, _id) < (${time}::timestamptz, ${id}::text))
          order by created_at desc, _id desc limit ${limit}
        ) near
      ) page join contacts c on c.company_id = $1 and c._id = page._id
      where page.matches or page.last order by page.created_at desc, page._id desc`,
    values: [tx.companyId, ...exactValues, after?.createdAt ?? null, after?.id ?? null, reach],
    planEachTime: true,
  });
}
