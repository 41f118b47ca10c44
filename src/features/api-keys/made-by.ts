/** The keys that a user made, when the user goes or may do less: shown to whoever decides about it, or revoked with it. */
import { toActor, recordAudits } from '../../platform/audit.ts';
import { forbidden } from '../../platform/errors.ts';
import { allows } from '../../platform/scopes.ts';
import type { Tenant, TenantTx } from '../../platform/tenant.ts';
import { listKeysMadeBy, revokeKeysMadeBy } from './key-queries.ts';
import type { ApiKey } from './schemas.ts';

// A page of the list, which shows all of them.
const SHOWN = 100;

/** The newest living ones; nothing for a caller who may not list keys. */
export async function showKeysMadeBy(
  { principal }: Tenant,
  tx: TenantTx,
  user: string,
): Promise<{ api_keys?: ApiKey[] }> {
  return allows(principal.scopes, 'api-keys:read') ? { api_keys: await listKeysMadeBy(tx, user, SHOWN) } : {};
}

/** Each is told in the audit, as if it had been revoked by itself. */
export async function revokeKeysOf({ principal }: Tenant, tx: TenantTx, user: string): Promise<{ api_keys: ApiKey[] }> {
  const revoked = await revokeKeysMadeBy(tx, user);
  const told = { action: 'api-keys.delete', resource: 'api-keys', fields: [], origin: null };
  const ids = revoked.map(({ _id }) => _id);
  if (ids.length > 0) await recordAudits(tx, { ...told, company: tx.companyId, actor: toActor(principal) }, ids);
  const newestFirst = revoked.toSorted((a, b) => (a._id < b._id ? 1 : -1));
  return { api_keys: newestFirst.slice(0, SHOWN) };
}

/** Whoever changes users is not thereby one who revokes keys. */
export function refuseRevoking({ principal }: Tenant): void {
  if (allows(principal.scopes, 'api-keys:delete')) return;
  throw forbidden('revoke_keys', 'The scope api-keys:delete is missing; without it revoke_keys has to be false');
}
