/** Keys as their owners manage them: those of a company, or (no company) the global ones. */
import { many, maybeOne, ofCompany, one } from '../../platform/db.ts';
import { windowClause, windowName, windowValues, type Window } from '../../platform/paging.ts';
import type { SystemTx, TenantRead, TenantTx } from '../../platform/tenant.ts';
import { KEY_COLUMNS } from './queries.ts';
import type { ApiKey } from './schemas.ts';

const suffixOf = (company: string | null): string => (company === null ? '.global' : '');

export function findKey(tx: TenantRead | SystemTx, company: string | null, id: string): Promise<ApiKey | null> {
  return maybeOne(tx, {
    name: `api-keys.find${suffixOf(company)}`,
    text: `select ${KEY_COLUMNS} from api_keys where ${ofCompany(company)} and _id = $2`,
    values: [company, id],
  });
}

export function listKeys(tx: TenantRead | SystemTx, company: string | null, window: Window): Promise<ApiKey[]> {
  return many(tx, {
    name: `api-keys.list${suffixOf(company)}.${windowName(window)}`,
    text: `select ${KEY_COLUMNS} from api_keys where ${ofCompany(company)} ${windowClause(window, 2)}`,
    values: [company, ...windowValues(window)],
  });
}

export async function countKeys(tx: TenantRead | SystemTx, company: string | null): Promise<number> {
  const { count } = await one<{ count: number }>(tx, {
    name: `api-keys.count${suffixOf(company)}`,
    text: `select count(*)::int as count from api_keys where ${ofCompany(company)}`,
    values: [company],
  });
  return count;
}

/** Revoking twice keeps the first moment. */
export function revokeKey(tx: TenantTx | SystemTx, company: string | null, id: string): Promise<ApiKey | null> {
  return maybeOne(tx, {
    name: `api-keys.revoke${suffixOf(company)}`,
    text: `update api_keys set revoked_at = coalesce(revoked_at, now()), updated_at = case when revoked_at is null then now() else updated_at end where ${ofCompany(company)} and _id = $2
      returning ${KEY_COLUMNS}`,
    values: [company, id],
  });
}
