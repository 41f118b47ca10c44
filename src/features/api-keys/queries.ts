import type { StoredKey } from '../../platform/http/auth.ts';
import { exec, maybeOne, one } from '../../platform/store/db.ts';
import type { SystemTx, TenantTx } from '../../platform/store/tenant.ts';
import type { ApiKey } from './schemas.ts';

// The column `prefix` begins with an ellipsis that is not part of the token; the record shows the characters without the ellipsis.
export const KEY_COLUMNS = `_id, company_id as company, name, type, ltrim(prefix, '…') as hint, scopes, created_by, expires_at,
  last_used_at, revoked_at, created_at as "createdAt", updated_at as "updatedAt"`;

export interface NewKey {
  _id: string;
  company: string | null;
  name: string;
  prefix: string;
  tokenHash: Buffer;
  scopes: string[];
  createdBy: string | null;
  expires_at: string | null;
}

export function insertKey(tx: TenantTx | SystemTx, key: NewKey): Promise<ApiKey> {
  return one(tx, {
    name: 'api-keys.insert',
    text: `insert into api_keys (_id, company_id, type, name, prefix, token_hash, scopes, created_by, expires_at)
      values ($1, $2, case when $2::text is null then 'global' else 'company' end, $3, $4, $5, $6, $7, $8) returning ${KEY_COLUMNS}`,
    values: [key._id, key.company, key.name, key.prefix, key.tokenHash, key.scopes, key.createdBy, key.expires_at],
  });
}

/** Finds the key of a token, unless the key is revoked or its company is suspended. */
export function findValidKey(tx: SystemTx, tokenHash: Buffer): Promise<StoredKey | null> {
  return maybeOne(tx, {
    name: 'api-keys.findLiving',
    text: `select k._id, k.company_id as company, k.type, k.name, k.scopes, k.expires_at
      from api_keys k left join companies c on c._id = k.company_id
      where k.token_hash = $1 and k.revoked_at is null and (k.company_id is null or c.status = 'ACTIVE')`,
    values: [tokenHash],
  });
}

/** Stores the last use of a key. Several processes may report uses of the same key; the condition stores at most one use a minute. */
export function storeLastUse(tx: SystemTx, key: { _id: string; company: string | null }): Promise<number> {
  return exec(tx, {
    name: 'api-keys.touch',
    text: `update api_keys set last_used_at = now() where _id = $1 and company_id is not distinct from $2
      and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
    values: [key._id, key.company],
  });
}
