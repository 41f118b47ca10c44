/** Records that name businesses: which may be named, and what follows when one of them goes. */
import { Type } from 'typebox';
import { unknownReference } from '../../platform/errors.ts';
import { defineJob } from '../../platform/jobs.ts';
import { Id } from '../../platform/schema.ts';
import type { TenantRead } from '../../platform/tenant.ts';
import { findBusiness } from './queries.ts';

/** Takes a removed business out of the records that still name it; the room of departures does it, which knows all of these. */
export const ReleaseBusiness = defineJob({
  name: 'businesses.release',
  data: Type.Object({ company: Id, business: Id }),
  // Some four hours: until then records show a business that nobody finds.
  retries: 12,
  retryDelaySeconds: 5,
  // Half a million records take minutes; whoever takes over goes on where they end.
  heartbeatSeconds: 30,
});

/**
 * Throws UNKNOWN_REFERENCE naming `path` where there is no such business, or not any more: a foreign key alone still finds one that
 * is being removed. What is removed a moment after this look is taken out of the record by the job, like out of all others.
 */
export async function expectBusiness(tx: TenantRead, path: string, id: string | null | undefined): Promise<void> {
  if (typeof id === 'string' && !(await findBusiness(tx, id))) throw unknownReference(path);
}
