import { exec, many, maybeOne, one } from '../../platform/db.ts';
import { windowClause, windowName, windowValues, type Window } from '../../platform/paging.ts';
import type { TenantRead, TenantTx } from '../../platform/tenant.ts';
import type { HeldValues } from '../custom-fields/schemas.ts';
import type { Business } from './schemas.ts';

const COLUMNS = `_id, company_id as company, name, domain, description,
  custom_field_values(company_id, custom_fields) as custom_fields, owner_id as owner, created_at as "createdAt", updated_at as "updatedAt"`;

/** What a caller can write; `held`: {custom field id: value}. */
export interface BusinessFields {
  name: string;
  domain: string | null;
  description: string | null;
  owner: string | null;
  held: HeldValues;
}

export function findBusiness(tx: TenantRead, id: string): Promise<Business | null> {
  return maybeOne(tx, {
    name: 'businesses.find',
    text: `select ${COLUMNS} from businesses where company_id = $1 and _id = $2`,
    values: [tx.companyId, id],
  });
}

export function lockBusiness(tx: TenantTx, id: string): Promise<(Business & BusinessFields) | null> {
  return maybeOne(tx, {
    name: 'businesses.lock',
    text: `select ${COLUMNS}, custom_fields as held from businesses where company_id = $1 and _id = $2 for no key update`,
    values: [tx.companyId, id],
  });
}

export function insertBusiness(tx: TenantTx, id: string, fields: BusinessFields): Promise<Business> {
  return one(tx, {
    name: 'businesses.insert',
    text: `insert into businesses (company_id, _id, name, domain, description, owner_id, custom_fields)
      values ($1, $2, $3, $4, $5, $6, $7) returning ${COLUMNS}`,
    values: valuesOf(tx, id, fields),
  });
}

export function updateBusiness(tx: TenantTx, id: string, fields: BusinessFields): Promise<Business> {
  return one(tx, {
    name: 'businesses.update',
    text: `update businesses set name = $3, domain = $4, description = $5, owner_id = $6, custom_fields = $7, updated_at = now()
      where company_id = $1 and _id = $2 returning ${COLUMNS}`,
    values: valuesOf(tx, id, fields),
  });
}

const valuesOf = (tx: TenantTx, id: string, { name, domain, description, owner, held }: BusinessFields): unknown[] => [
  tx.companyId,
  id,
  name,
  domain,
  description,
  owner,
  held,
];

/** A portion at a time: half a million contacts of one business are more than a statement may take. */
export function unlinkContacts(tx: TenantTx, id: string, limit: number): Promise<number> {
  return exec(tx, {
    name: 'businesses.unlinkContacts',
    text: `update contacts set business_id = null, updated_at = now() where company_id = $1 and _id = any(array(
        select _id from contacts where company_id = $1 and business_id = $2 order by _id limit $3 for no key update))`,
    values: [tx.companyId, id, limit],
  });
}

/** The rows of tables that name it are unlinked by the foreign key. */
export function deleteBusiness(tx: TenantTx, id: string): Promise<number> {
  return exec(tx, {
    name: 'businesses.delete',
    text: 'delete from businesses where company_id = $1 and _id = $2',
    values: [tx.companyId, id],
  });
}

export interface BusinessFilter {
  search: string | null;
}

const FILTER = `company_id = $1 and ($2::text is null or strpos(fold(name), fold($2)) > 0 or strpos(fold(domain), fold($2)) > 0)`;

export function listBusinesses(tx: TenantRead, filter: BusinessFilter, window: Window): Promise<Business[]> {
  return many(tx, {
    name: `businesses.list.${windowName(window)}`,
    text: `select ${COLUMNS} from businesses where ${FILTER} ${windowClause(window, 3)}`,
    values: [tx.companyId, filter.search, ...windowValues(window)],
  });
}

export async function countBusinesses(tx: TenantRead, filter: BusinessFilter): Promise<number> {
  const { count } = await one<{ count: number }>(tx, {
    name: 'businesses.count',
    text: `select count(*)::int as count from businesses where ${FILTER}`,
    values: [tx.companyId, filter.search],
  });
  return count;
}
