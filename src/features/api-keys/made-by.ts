/** When a user is removed or gets fewer rights, the keys that this user made are either listed in the answer or revoked. */
import { toLoggedActor, recordAudits } from '../../platform/audit.ts';
import { forbidden } from '../../platform/errors.ts';
import { allows } from '../../platform/scopes.ts';
import type { Tenant, TenantTx } from '../../platform/tenant.ts';
import { listKeysMadeBy, revokeKeysMadeBy } from './key-queries.ts';
import type { ApiKey } from './schemas.ts';

// As many keys as one page of the list of keys holds.
const SHOWN = 100;

/** The newest valid keys that the user made; nothing for a caller who may not list keys. */
export async function showKeysMadeBy(
  { principal }: Tenant,
  tx: TenantTx,
  user: string,
): Promise<{ api_keys?: ApiKey[] }> {
  return allows(principal.scopes, 'api-keys:read') ? { api_keys: await listKeysMadeBy(tx, user, SHOWN) } : {};
}

/** Revokes the keys that the user made; each revocation gets a line of its own in the audit. */
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

/** The right to change users does not include the right to revoke keys. */
export function refuseRevoking({ principal }: Tenant): void {
  if (allows(principal.scopes, 'api-keys:delete')) return;
  throw forbidden('revoke_keys', 'The scope api-keys:delete is missing; without it revoke_keys has to be false');
}
