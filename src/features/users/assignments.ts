/** Records that name users: who may be named. */
import { unknownReference } from '../../platform/errors.ts';
import type { TenantRead } from '../../platform/tenant.ts';
import { findLiving } from './queries.ts';

/**
 * Throws UNKNOWN_REFERENCE where a field names somebody who is not there, or not any more: a foreign key alone still finds who is
 * being removed. Whoever is removed a moment after this look is taken out of the record by the job, like out of all others.
 */
export async function expectUsers(tx: TenantRead, given: Record<string, string | null | undefined>): Promise<void> {
  const named = Object.entries(given).flatMap(([path, id]) => (typeof id === 'string' ? [{ path, id }] : []));
  if (named.length === 0) return;
  const living = await findLiving(
    tx,
    named.map(({ id }) => id),
  );
  for (const { path, id } of named) {
    if (!living.some(({ _id }) => _id === id)) throw unknownReference(path);
  }
}
