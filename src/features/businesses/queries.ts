import { exec, maybeOne, one } from '../../platform/store/db.ts';
import type { Page, Window } from '../../platform/store/paging.ts';
import { listPage } from '../../platform/store/plain-list.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { HeldValues } from '../custom-fields/schemas.ts';
import type { Business } from './schemas.ts';

const COLUMNS = `_id, company_id as company, name, domain, description,
  custom_field_values(company_id, custom_fields) as custom_fields, owner_id as owner, created_at as "createdAt", updated_at as "updatedAt"`;

/** The fields that a caller can write; `held` maps the id of a custom field to its value. */
export interface BusinessFields {
  name: string;
  domain: string | null;
  description: string | null;
  owner: string | null;
  held: HeldValues;
}

const LIVE = 'company_id = $1 and _id = $2 and removed_at is null';

export function findBusiness(tx: TenantRead, id: string): Promise<Business | null> {
  return maybeOne(tx, {
    name: 'businesses.find',
    text: `select ${COLUMNS} from businesses where ${LIVE}`,
    values: [tx.companyId, id],
  });
}

export function lockBusiness(tx: TenantTx, id: string): Promise<(Business & BusinessFields) | null> {
  return maybeOne(tx, {
    name: 'businesses.lock',
    text: `select ${COLUMNS}, custom_fields as held from businesses where ${LIVE} for no key update`,
    values: [tx.companyId, id],
  });
}

export function insertBusiness(tx: TenantTx, id: string, fields: BusinessFields): Promise<Business> {
  return one(tx, {
    name: 'businesses.insert',
    text: `insert into businesses (company_id, _id, name, domain, description, owner_id, custom_fields)
      values ($1, $2, $3, $4, $5, $6, $7) returning ${COLUMNS}`,
    values: toParameters(tx, id, fields),
  });
}

/** With `keepsValues` the custom fields did not change and are not written again. */
export function updateBusiness(
  tx: TenantTx,
  id: string,
  fields: BusinessFields,
  { keepsValues }: { keepsValues: boolean },
): Promise<Business> {
  const values = toParameters(tx, id, fields);
  return one(tx, {
    name: keepsValues ? 'businesses.updatePlain' : 'businesses.update',
    text: `update businesses set name = $3, domain = $4, description = $5, owner_id = $6,
        ${keepsValues ? '' : 'custom_fields = $7, '}updated_at = now()
      where company_id = $1 and _id = $2 returning ${COLUMNS}`,
    values: keepsValues ? values.slice(0, -1) : values,
  });
}

const toParameters = (
  tx: TenantTx,
  id: string,
  { name, domain, description, owner, held }: BusinessFields,
): unknown[] => [tx.companyId, id, name, domain, description, owner, held];

/** Hides the business at once; its row stays while records name it. */
export function markRemoved(tx: TenantTx, id: string): Promise<number> {
  return exec(tx, {
    name: 'businesses.markRemoved',
    text: 'update businesses set removed_at = now() where company_id = $1 and _id = $2',
    values: [tx.companyId, id],
  });
}

export interface BusinessFilter {
  search: string | null;
}

const FILTER = `company_id = $1 and removed_at is null
  and ($2::text is null or strpos(fold(name), fold($2)) > 0 or strpos(fold(domain), fold($2)) > 0)`;

export function listBusinesses(tx: TenantRead, { search }: BusinessFilter, window: Window): Promise<Page<Business>> {
  return listPage(tx, window, {
    name: 'businesses',
    columns: COLUMNS,
    from: 'businesses',
    filter: FILTER,
    values: [tx.companyId, search],
  });
}
