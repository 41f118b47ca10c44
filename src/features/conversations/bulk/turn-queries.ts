/** Statements over all companies that decide which run is worked on next. */
import type { Actor } from '../../../platform/values/actor.ts';
import type { Origin } from '../../../platform/http/audit.ts';
import { pickValues } from '../../../platform/work/claims/fair-pick.ts';
import { leaseColumns, pickLeased, type LeasedRow, type LeasedTable } from '../../../platform/work/claims/leases.ts';
import type { ClaimCapacity } from '../../../platform/work/claims/queue.ts';
import { many } from '../../../platform/store/db.ts';
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
