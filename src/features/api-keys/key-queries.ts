/** Queries that manage keys: the keys of one company or, when `company` is null, the global keys. */
import { many, maybeOne, companyCondition, oneValue } from '../../platform/store/db.ts';
import type { Page, Window } from '../../platform/store/paging.ts';
import { listPage } from '../../platform/store/plain-list.ts';
import type { SystemTx, TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import { KEY_COLUMNS } from './queries.ts';
import type { ApiKey } from './schemas.ts';

const companyNameSuffix = (company: string | null): string => (company === null ? '.global' : '');

export function findKey(tx: TenantRead | SystemTx, company: string | null, id: string): Promise<ApiKey | null> {
  return maybeOne(tx, {
    name: `api-keys.find${companyNameSuffix(company)}`,
    text: `select ${KEY_COLUMNS} from api_keys where ${companyCondition(company)} and _id = $2`,
    values: [company, id],
  });
}

export interface KeyFilter {
  company: string | null;
  createdBy: string | null;
}

const keyFilterClause = (company: string | null): string =>
  `${companyCondition(company)} and ($2::text is null or created_by = $2)`;

export function listKeys(
  tx: TenantRead | SystemTx,
  { company, createdBy }: KeyFilter,
  window: Window,
): Promise<Page<ApiKey>> {
  return listPage(tx, window, {
    name: 'api-keys',
    variant: companyNameSuffix(company),
    columns: KEY_COLUMNS,
    from: 'api_keys',
    filter: keyFilterClause(company),
    values: [company, createdBy],
  });
}

/** Returns whether the id belongs to a user or a key, or to a removed user or key that made keys. Only keys make global keys. */
export function isKnownMaker(tx: TenantRead | SystemTx, company: string | null, id: string): Promise<boolean> {
  return oneValue(tx, {
    name: `api-keys.isMaker${companyNameSuffix(company)}`,
    text: `select exists (select 1 from users where company_id = $1 and _id = $2)
      or exists (select 1 from api_keys where ${companyCondition(company)} and _id = $2)
      or exists (select 1 from api_keys where ${companyCondition(company)} and created_by = $2) as known`,
    values: [company, id],
  });
}

/** Revokes a key. A second revocation keeps the time of the first one. */
export function revokeKey(tx: TenantTx | SystemTx, company: string | null, id: string): Promise<ApiKey | null> {
  return maybeOne(tx, {
    name: `api-keys.revoke${companyNameSuffix(company)}`,
    text: `update api_keys set revoked_at = coalesce(revoked_at, now()), updated_at = case when revoked_at is null then now() else updated_at end where ${companyCondition(company)} and _id = $2
      returning ${KEY_COLUMNS}`,
    values: [company, id],
  });
}

// SQL for the ids of the keys that a user made, and of the keys that those keys made in turn.
const MADE_BY = `with recursive made as (
    select _id from api_keys where company_id = $1 and created_by = $2
    union select k._id from api_keys k join made m on k.company_id = $1 and k.created_by = m._id
  )`;
const LIVING_MADE =
  'company_id = $1 and _id in (select _id from made) and revoked_at is null and (expires_at is null or expires_at > now())';

export function listKeysMadeBy(tx: TenantTx, user: string, limit: number): Promise<ApiKey[]> {
  return many(tx, {
    name: 'api-keys.listMadeBy',
    text: `${MADE_BY} select ${KEY_COLUMNS} from api_keys where ${LIVING_MADE} order by created_at desc, _id desc limit $3`,
    values: [tx.companyId, user, limit],
  });
}

export function revokeKeysMadeBy(tx: TenantTx, user: string): Promise<ApiKey[]> {
  return many(tx, {
    name: 'api-keys.revokeMadeBy',
    text: `${MADE_BY} update api_keys set revoked_at = now(), updated_at = now() where ${LIVING_MADE} returning ${KEY_COLUMNS}`,
    values: [tx.companyId, user],
  });
}
