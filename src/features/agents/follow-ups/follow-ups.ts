/** Lists and cancels follow-ups. */
import { AppError, expectFound } from '../../../platform/values/errors.ts';
import { pageWindow, type Page } from '../../../platform/store/paging.ts';
import type { Tenant, TenantRead } from '../../../platform/store/tenant.ts';
import { refuseUnknown } from '../../../platform/store/unknown-references.ts';
import { findUnknownFilters } from '../queries.ts';
import type { FollowUp, FollowUpQuery } from './schemas.ts';
import { endFollowUp, findFollowUp, findFollowUps, listFollowUps, lockFollowUp } from './queries.ts';

export async function pageFollowUps(tenant: Tenant, query: FollowUpQuery): Promise<Page<FollowUp>> {
  const { agent = null, conversation = null, status = null } = query;
  const filter = { agent, conversation, status };
  refuseUnknown(await findUnknownFilters(tenant.read, filter));
  return listFollowUps(tenant.read, filter, pageWindow('follow-ups', query));
}

export async function expectFollowUp(read: TenantRead, id: string): Promise<FollowUp> {
  return expectFound(await findFollowUp(read, id));
}

export const readFollowUps = (read: TenantRead, ids: string[]): Promise<FollowUp[]> => findFollowUps(read, ids);

/** Throws FOLLOW_UP_ENDED unless the follow-up is SCHEDULED and not being sent. */
export async function cancelFollowUp(tenant: Tenant, id: string): Promise<FollowUp> {
  return tenant.tx(async (tx) => {
    const due = expectFound(await lockFollowUp(tx, id));
    if (due.status !== 'SCHEDULED' || due.message !== null) throw new AppError('FOLLOW_UP_ENDED');
    await endFollowUp(tx, id, { status: 'CANCELLED', cancel_reason: 'CANCELLED_BY_REQUEST' });
    tx.created(id);
    return expectFollowUp(tx, id);
  });
}
