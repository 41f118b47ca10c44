/** Statements over all companies that decide which follow-up is sent next. */
import { pickValues } from '../../../platform/work/claims/fair-pick.ts';
import { leaseColumns, pickLeased, type LeasedRow, type LeasedTable } from '../../../platform/work/claims/leases.ts';
import type { ClaimCapacity, RowOutcome } from '../../../platform/work/claims/queue.ts';
import { exec, many } from '../../../platform/store/db.ts';
import { isPicked } from '../../../platform/store/picked-rows.ts';
import type { SystemTx } from '../../../platform/store/tenant.ts';

export const FOLLOW_UP_QUEUE: LeasedTable = {
  table: 'follow_ups',
  order: 'scheduled_at',
  open: `status = 'SCHEDULED'`,
};

export interface ClaimedFollowUp extends LeasedRow {
  /** How often the work on it was begun, including this time. */
  attempts: number;
}

/** Claims follow-ups, a few of each company in turn, and counts the attempt before the work begins. */
export async function claimFollowUps(
  tx: SystemTx,
  capacity: ClaimCapacity,
): Promise<{ claimed: ClaimedFollowUp[]; dismissed: number }> {
  const claimed = await many<ClaimedFollowUp>(tx, {
    name: 'agents.claimFollowUps',
    text: `${pickLeased(FOLLOW_UP_QUEUE)}
      update follow_ups f set ${leaseColumns(FOLLOW_UP_QUEUE)}, attempts = attempts + 1
      from picked where ${isPicked('f')}
      returning f.company_id as company, f._id, attempts, claimed_at`,
    values: pickValues(capacity),
  });
  return { claimed, dismissed: 0 };
}

/** How the work on a follow-up has ended. */
export interface FollowUpEnd extends RowOutcome {
  company: string;
  claimed_at: string;
  /** After how many seconds it is taken again; null when it has ended. */
  pause_seconds: number | null;
}

/** Lets follow-ups rest whose message could not be stored. One whose message is stored is never sent again. */
export function restFollowUps(tx: SystemTx, ends: FollowUpEnd[]): Promise<number> {
  return exec(tx, {
    name: 'agents.restFollowUps',
    text: `with picked as (
        select h.company_id, h._id, e.pause_seconds
        from unnest($1::text[], $2::text[], $3::timestamptz[], $4::int[]) as e (company_id, _id, claimed_at, pause_seconds)
          join follow_ups h on ${isPicked('h', '_id', 'e')} and h.claimed_at = e.claimed_at and h.message_id is null
        for update of h skip locked
      )
      update follow_ups f set held_until = now() + make_interval(secs => picked.pause_seconds) from picked where ${isPicked('f')}`,
    values: [
      ends.map(({ company }) => company),
      ends.map(({ _id }) => _id),
      ends.map(({ claimed_at }) => claimed_at),
      ends.map(({ pause_seconds }) => pause_seconds),
    ],
  });
}

/** A follow-up whose worker died while it called the network, or the outcome of whose message was unknown. */
export interface UnsettledFollowUp {
  company: string;
  _id: string;
}

/** Takes follow-ups that are to be looked at again after the call to the network, so that no one else does. */
export function takeUnsettledFollowUps(tx: SystemTx, holdSeconds: number): Promise<UnsettledFollowUp[]> {
  return many(tx, {
    name: 'agents.takeUnsettledFollowUps',
    text: `with picked as (
        select company_id, _id from follow_ups where settle_until <= now() order by settle_until limit 100 for update skip locked
      )
      update follow_ups f set settle_until = now() + make_interval(secs => $1) from picked where ${isPicked('f')}
      returning f.company_id as company, f._id`,
    values: [holdSeconds],
  });
}
