import type { StoredKey } from '../../platform/auth.ts';
import { exec, maybeOne } from '../../platform/db.ts';
import type { SystemTx } from '../../platform/tenant.ts';

export interface NewKey {
  _id: string;
  company: string | null;
  name: string;
  prefix: string;
  tokenHash: Buffer;
  scopes: string[];
}

export function insertKey(tx: SystemTx, key: NewKey): Promise<number> {
  return exec(tx, {
    name: 'api-keys.insert',
    text: `insert into api_keys (_id, company_id, type, name, prefix, token_hash, scopes) values ($1, $2, $3, $4, $5, $6, $7)`,
    values: [key._id, key.company, key.company ? 'company' : 'global', key.name, key.prefix, key.tokenHash, key.scopes],
  });
}

/** Only a key that lives: not revoked, and of a company that is not suspended. */
export function findLivingKey(tx: SystemTx, tokenHash: Buffer): Promise<StoredKey | null> {
  return maybeOne(tx, {
    name: 'api-keys.findLiving',
    text: `select k._id, k.company_id as company, k.type, k.scopes, k.expires_at
      from api_keys k left join companies c on c._id = k.company_id
      where k.token_hash = $1 and k.revoked_at is null and (k.company_id is null or c.status = 'ACTIVE')`,
    values: [tokenHash],
  });
}
