/** Statements over all companies that decide which run is worked on next, and that store how a turn has ended. */
import type { Actor } from '../../../platform/values/actor.ts';
import type { Origin } from '../../../platform/http/audit.ts';
import { pickValues } from '../../../platform/work/claims/fair-pick.ts';
import { leaseColumns, pickLeased, type LeasedRow, type LeasedTable } from '../../../platform/work/claims/leases.ts';
import type { ClaimCapacity, RowOutcome } from '../../../platform/work/claims/queue.ts';
import { exec, many } from '../../../platform/store/db.ts';
import type { SystemTx } from '../../../platform/store/tenant.ts';
import type { ConversationChange } from './schemas.ts';

export const RUN_QUEUE: LeasedTable = { table: 'conversation_runs', order: 'turn_at', open: 'finished_at is null' };

export interface ClaimedRun extends LeasedRow {
  change: ConversationChange;
  actor: Actor;
  origin: Origin;
  /** The number of times that the work was begun without progress, including this time. */
  attempts: number;
}

/** Claims runs, a few of each company in turn, and counts the attempt before the work begins. */
export async function claimRuns(
  tx: SystemTx,
  capacity: ClaimCapacity,
): Promise<{ claimed: ClaimedRun[]; dismissed: number }> {
  const claimed = await many<ClaimedRun>(tx, {
    name: 'conversations.runs.claim',
    text: `${pickLeased(RUN_QUEUE)}
      update conversation_runs set ${leaseColumns(RUN_QUEUE)}, attempts = attempts + 1, status = 'RUNNING', started_at = coalesce(started_at, now())
      where ctid = any(array(select ctid from picked))
      returning company_id as company, _id, change, actor, origin, attempts, claimed_at`,
    values: pickValues(capacity),
  });
  return { claimed, dismissed: 0 };
}

/** How a turn of a run has ended. */
export interface TurnOutcome extends RowOutcome {
  company: string;
  /** When the run was claimed, so that a turn which ends late changes nothing of a later one. */
  claimed_at: string;
  /** The seconds for which nobody works on the run; null when its next turn can begin at once. */
  pause_seconds: number | null;
  /** Whether this turn counts as an attempt that has failed. */
  is_failure: boolean;
}

/** Puts runs that have not ended at the end of their company's queue. */
export function recordTurns(tx: SystemTx, outcomes: TurnOutcome[]): Promise<number> {
  return exec(tx, {
    name: 'conversations.runs.recordTurns',
    text: `update conversation_runs r set is_waiting = o.pause_seconds is null, turn_at = now(),
        attempts = case when o.is_failure then r.attempts else 0 end, held_until = now() + make_interval(secs => o.pause_seconds)
      from unnest($1::text[], $2::text[], $3::timestamptz[], $4::int[], $5::boolean[])
        as o (company_id, _id, claimed_at, pause_seconds, is_failure)
      where r.company_id = o.company_id and r._id = o._id and r.claimed_at = o.claimed_at and r.finished_at is null`,
    values: [
      outcomes.map((outcome) => outcome.company),
      outcomes.map((outcome) => outcome._id),
      outcomes.map((outcome) => outcome.claimed_at),
      outcomes.map((outcome) => outcome.pause_seconds),
      outcomes.map((outcome) => outcome.is_failure),
    ],
  });
}
