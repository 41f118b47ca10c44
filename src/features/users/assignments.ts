/** Records that name users: who may be named, and what follows when one of them goes. */
import { Type } from 'typebox';
import { unknownReference } from '../../platform/errors.ts';
import { defineJob } from '../../platform/jobs.ts';
import { Id } from '../../platform/schema.ts';
import type { TenantRead } from '../../platform/tenant.ts';
import { findLiving } from './queries.ts';

/** Takes a removed user out of the records that still name them; the room of departures does it, which knows all of these. */
export const ReleaseUser = defineJob({
  name: 'users.release',
  data: Type.Object({ company: Id, user: Id }),
  // Some four hours: until then records show an owner whom nobody finds.
  retries: 12,
  retryDelaySeconds: 5,
  // A hundred thousand records take a minute; whoever takes over goes on where they end.
  heartbeatSeconds: 30,
});

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
