/** Checks which users a record may name. */
import { invalid, unknownReference } from '../../platform/values/errors.ts';
import type { TenantRead } from '../../platform/store/tenant.ts';
import { findUnremoved } from './queries.ts';

export const INACTIVE_USER = 'refers to a user who is INACTIVE';
const NO_MEMBER = 'refers to a user who does not see the inbox';

/**
 * Throws UNKNOWN_REFERENCE when a field names a user who does not exist or is being removed (a foreign
 * key alone would accept a user who is being removed), and an error when it names an INACTIVE user or, for a record
 * of an inbox, one who does not see it. When a user is removed or deactivated after this check, the removal job
 * removes the user from the record.
 */
export async function expectUsers(
  tx: TenantRead,
  given: Record<string, string | null | undefined>,
  inbox: string | null = null,
): Promise<void> {
  const named = Object.entries(given).flatMap(([path, id]) => (typeof id === 'string' ? [{ path, id }] : []));
  if (named.length === 0) return;
  const living = await findUnremoved(
    tx,
    named.map(({ id }) => id),
    inbox,
  );
  for (const { path, id } of named) {
    const user = living.find(({ _id }) => _id === id);
    if (!user) throw unknownReference(path);
    if (user.status === 'INACTIVE') throw invalid(path, INACTIVE_USER);
    if (!user.sees) throw invalid(path, NO_MEMBER);
  }
}
