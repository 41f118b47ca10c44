/** Checks that a business may be named by a record. */
import { unknownReference } from '../../platform/values/errors.ts';
import type { TenantRead } from '../../platform/store/tenant.ts';
import { findBusiness } from './queries.ts';

/**
 * Throws UNKNOWN_REFERENCE naming `path` for a business that does not exist or is being removed; a foreign key alone would accept the
 * latter. A business that is removed after this check is taken out of the record by the removal job.
 */
export async function expectBusiness(tx: TenantRead, path: string, id: string | null | undefined): Promise<void> {
  if (typeof id === 'string' && !(await findBusiness(tx, id))) throw unknownReference(path);
}
