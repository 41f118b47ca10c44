/** Checks which users a record may name. */
import { invalid, unknownReference } from '../../platform/errors.ts';
import type { TenantRead } from '../../platform/tenant.ts';
import { findUnremoved } from './queries.ts';

export const INACTIVE_USER = 'names a user who is INACTIVE';

/**
 * Throws UNKNOWN_REFERENCE where a field names a user who does not exist or is being removed; a foreign key alone would accept the latter.
 * Nothing is assigned to an INACTIVE user either. A user who is removed or deactivated after this check is taken out of the record by the
 * removal job.
 */
export async function expectUsers(tx: TenantRead, given: Record<string, string | null | undefined>): Promise<void> {
  const named = Object.entries(given).flatMap(([path, id]) => (typeof id === 'string' ? [{ path, id }] : []));
  if (named.length === 0) return;
  const living = await findUnremoved(
    tx,
    named.map(({ id }) => id),
  );
  for (const { path, id } of named) {
    const user = living.find(({ _id }) => _id === id);
    if (!user) throw unknownReference(path);
    if (user.status === 'INACTIVE') throw invalid(path, INACTIVE_USER);
  }
}
