/** Records that name businesses: which may be named. */
import { unknownReference } from '../../platform/errors.ts';
import type { TenantRead } from '../../platform/tenant.ts';
import { findBusiness } from './queries.ts';

/**
 * Throws UNKNOWN_REFERENCE naming `path` where there is no such business, or not any more: a foreign key alone still finds one that
 * is being removed. What is removed a moment after this look is taken out of the record by the job, like out of all others.
 */
export async function expectBusiness(tx: TenantRead, path: string, id: string | null | undefined): Promise<void> {
  if (typeof id === 'string' && !(await findBusiness(tx, id))) throw unknownReference(path);
}
