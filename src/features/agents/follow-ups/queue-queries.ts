/** Statements over all companies that decide which follow-up is sent next. */
import { pickInTurn, pickValues } from '../../../platform/claims/fair-pick.ts';
import type { ClaimCapacity, ClaimedRow, RowOutcome } from '../../../platform/claims/queue.ts';
import { exec, many } from '../../../platform/db.ts';
import type { SystemTx } from '../../../platform/tenant.ts';

const QUEUE = { table: 'follow_ups', waiting: 'is_waiting', order: 'scheduled_at' };

/** An SQL condition for follow-ups whose time has come, and for those whose worker must have died. */
const IS_DUE = `status = 'SCHEDULED' and not is_waiting and held_until <= now()`;

/** An SQL condition that holds while a follow-up waits for a worker or is due. */
export const IS_WAITING = `exists (select from follow_ups where ${QUEUE.waiting}) or exists (select from follow_ups where ${IS_DUE})`;

const QUEUED_AT_ONCE = 1_000;

export interface ClaimedFollowUp extends ClaimedRow {
  _id: string;
  /** How often the work on it was begun, including this time. */
  attempts: number;
  claimed_at: string;
}

/** Claims follow-ups, a few of each company in turn, and counts the attempt before the work begins. */
export async function claimFollowUps(
  tx: SystemTx,
  capacity: ClaimCapacity,
  holdSeconds: number,
): Promise<{ claimed: ClaimedFollowUp[]; dismissed: number }> {
  const claimed = await many<ClaimedFollowUp>(tx, {
    name: 'agents.claimFollowUps',
    text: `with recursive ${pickInTurn(QUEUE)}
      update follow_ups set is_waiting = false, attempts = attempts + 1, claimed_at = clock_timestamp(),
        held_until = now() + make_interval(secs => $6)
      where ctid = any(array(select ctid from picked))
      returning company_id as company, _id, _id as seq, null as claimed_by, attempts, claimed_at`,
    values: [...pickValues(capacity), holdSeconds],
  });
  return { claimed, dismissed: 0 };
}

/** Puts follow-ups into the queue that are due. */
export function queueDueFollowUps(tx: SystemTx): Promise<number> {
  return exec(tx, {
    name: 'agents.queueDueFollowUps',
    text: `update follow_ups set is_waiting = true, claimed_at = null
      where ctid = any(array(select ctid from follow_ups where ${IS_DUE} order by held_until limit ${QUEUED_AT_ONCE} for update skip locked))`,
    values: [],
  });
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
    text: `update follow_ups f set held_until = now() + make_interval(secs => e.pause_seconds)
      from (
        select h.ctid, e.pause_seconds from unnest($1::text[], $2::text[], $3::timestamptz[], $4::int[]) as e (company_id, _id, claimed_at, pause_seconds)
          join follow_ups h on h.company_id = e.company_id and h._id = e._id and h.claimed_at = e.claimed_at and h.message_id is null
        for update of h skip locked
      ) e where f.ctid = e.ctid`,
    values: [
      ends.map(({ company }) => company),
      ends.map(({ _id }) => _id),
      ends.map(({ claimed_at }) => claimed_at),
      ends.map(({ pause_seconds }) => pause_seconds),
    ],
  });
}

/** A follow-up whose worker died while it called the network. */
export interface UnsettledFollowUp {
  company: string;
  _id: string;
}

/** Takes follow-ups whose worker has died during the call to the network, so that nobody else does. */
export function takeUnsettledFollowUps(tx: SystemTx, holdSeconds: number): Promise<UnsettledFollowUp[]> {
  return many(tx, {
    name: 'agents.takeUnsettledFollowUps',
    text: `update follow_ups set settle_until = now() + make_interval(secs => $1)
      where ctid = any(array(select ctid from follow_ups where settle_until <= now() order by settle_until limit 100 for update skip locked))
      returning company_id as company, _id`,
    values: [holdSeconds],
  });
}
