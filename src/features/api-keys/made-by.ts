/** Lists or revokes the keys that a user made, when the user is removed or gets fewer rights. */
import { toLoggedActor, recordAudits } from '../../platform/http/audit.ts';
import { allows } from '../../platform/values/scopes.ts';
import type { Tenant, TenantTx } from '../../platform/store/tenant.ts';
import { listKeysMadeBy, revokeKeysMadeBy } from './key-queries.ts';
import type { ApiKey } from './schemas.ts';

// The most keys in an answer: as many as one page of the list of keys.
const SHOWN = 100;

/** Returns the newest valid keys that the user made; nothing for a caller who may not list keys. */
export async function showKeysMadeBy(
  { principal }: Tenant,
  tx: TenantTx,
  user: string,
): Promise<{ api_keys?: ApiKey[] }> {
  return allows(principal.scopes, 'api-keys:read') ? { api_keys: await listKeysMadeBy(tx, user, SHOWN) } : {};
}

/** Revokes the keys that the user made; each revocation gets its own entry in the audit log. */
export async function revokeUserKeys(
  { principal }: Tenant,
  tx: TenantTx,
  user: string,
): Promise<{ api_keys: ApiKey[] }> {
  const revoked = await revokeKeysMadeBy(tx, user);
  const shared = { action: 'api-keys.delete', resource: 'api-keys', fields: [], origin: null };
  const ids = revoked.map(({ _id }) => _id);
  if (ids.length > 0)
    await recordAudits(tx, { ...shared, company: tx.companyId, actor: toLoggedActor(principal) }, ids);
  const newestFirst = revoked.toSorted((a, b) => (a._id < b._id ? 1 : -1));
  return { api_keys: newestFirst.slice(0, SHOWN) };
}
