/** Records that name users: who may be named. */
import { invalid, unknownReference } from '../../platform/errors.ts';
import type { TenantRead } from '../../platform/tenant.ts';
import { findLiving } from './queries.ts';

export const INACTIVE_USER = 'names a user who is INACTIVE';

/**
 * Throws UNKNOWN_REFERENCE where a field names somebody who is not there, or not any more: a foreign key alone still finds who is
 * being removed. Whoever is INACTIVE is not given anything, either. Who is removed or deactivated a moment after this look is
 * taken out of the record by the job, like out of all others.
 */
export async function expectUsers(tx: TenantRead, given: Record<string, string | null | undefined>): Promise<void> {
  const named = Object.entries(given).flatMap(([path, id]) => (typeof id === 'string' ? [{ path, id }] : []));
  if (named.length === 0) return;
  const living = await findLiving(
    tx,
    named.map(({ id }) => id),
  );
  for (const { path, id } of named) {
    const user = living.find(({ _id }) => _id === id);
    if (!user) throw unknownReference(path);
    if (user.status === 'INACTIVE') throw invalid(path, INACTIVE_USER);
  }
}
