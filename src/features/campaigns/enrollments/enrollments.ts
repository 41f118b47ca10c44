/** Enrollments: who takes part in a campaign, and how far each contact is. */
import { AppError, expectFound } from '../../../platform/values/errors.ts';
import { pageWindow, type Page } from '../../../platform/store/paging.ts';
import type { Tenant } from '../../../platform/store/tenant.ts';
import { refuseUnknown } from '../../../platform/store/unknown-references.ts';
import { failUnsent } from '../../messages/settle.ts';
import { notSent } from '../source.ts';
import {
  cancelEnrollment,
  findEnrollment,
  findUnknownFilters,
  findWaitingMessage,
  listEnrollments,
} from './queries.ts';
import type { Enrollment, EnrollmentQuery } from './schemas.ts';

export async function readEnrollment(tenant: Tenant, id: string): Promise<Enrollment> {
  return expectFound(await findEnrollment(tenant.read, id));
}

export async function pageEnrollments(tenant: Tenant, query: EnrollmentQuery): Promise<Page<Enrollment>> {
  const { campaign = null, contact = null, status = null } = query;
  refuseUnknown(await findUnknownFilters(tenant.read, { campaign, contact }));
  const filter = { campaign, contact, status };
  return listEnrollments(tenant.read, filter, pageWindow('campaign-enrollments', query));
}

/** Throws ENROLLMENT_ENDED when nothing more is sent to the contact anyway. */
export async function cancelEnrollmentById(tenant: Tenant, id: string): Promise<Enrollment> {
  return tenant.tx(async (tx) => {
    const waiting = await findWaitingMessage(tx, id);
    if (waiting) await failUnsent(tx, [waiting.message], notSent('The enrollment was cancelled'));
    const cancelled = await cancelEnrollment(tx, id);
    const enrollment = expectFound(await findEnrollment(tx, id));
    if (cancelled === 0 && enrollment.status !== 'CANCELLED' && !waiting)
      throw new AppError(
        'ENROLLMENT_ENDED',
        `The enrollment is ${enrollment.status}: nothing more is sent to the contact`,
      );
    return enrollment;
  });
}
