/** Statements over all companies that decide which import is worked on next, and that store how a turn has ended. */
import { pickValues } from '../../platform/work/claims/fair-pick.ts';
import { leaseColumns, pickLeased, type LeasedRow, type LeasedTable } from '../../platform/work/claims/leases.ts';
import type { ClaimCapacity, RowOutcome } from '../../platform/work/claims/queue.ts';
import { exec, many, one } from '../../platform/store/db.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import type { ImportKind } from './schemas.ts';

// A worker that dies keeps people waiting for their rows.
export const IMPORT_QUEUE: LeasedTable = {
  table: 'imports',
  order: 'turn_at',
  open: 'finished_at is null',
  leaseSeconds: 20,
};

export interface ClaimedImport extends LeasedRow {
  kind: ImportKind;
  /** The number of times that the import was started without progress, including this time. */
  attempts: number;
}

/** Claims imports, a few of each company in turn, and counts the attempt before the work begins. */
export async function claimImports(
  tx: SystemTx,
  capacity: ClaimCapacity,
): Promise<{ claimed: ClaimedImport[]; dismissed: number }> {
  const claimed = await many<ClaimedImport>(tx, {
    name: 'imports.claim',
    text: `${pickLeased(IMPORT_QUEUE)}
      update imports set ${leaseColumns(IMPORT_QUEUE)}, attempts = attempts + 1, status = 'RUNNING',
        started_at = coalesce(started_at, now()), updated_at = case when status = 'QUEUED' then now() else updated_at end
      where ctid = any(array(select ctid from picked))
      returning company_id as company, _id, kind, attempts, claimed_at`,
    values: pickValues(capacity),
  });
  return { claimed, dismissed: 0 };
}

/** Whether an import of another company waits for a worker, or is due. */
export async function isAnotherWaiting(tx: SystemTx, company: string): Promise<boolean> {
  const { waiting } = await one<{ waiting: boolean }>(tx, {
    name: 'imports.isAnotherWaiting',
    text: `select exists (select from imports
      where finished_at is null and company_id <> $1 and (is_waiting or held_until <= now())) as waiting`,
    values: [company],
  });
  return waiting;
}

/** How a turn of an import has ended. */
export interface TurnOutcome extends RowOutcome {
  company: string;
  claimed_at: string;
  /** The seconds for which nobody works on the import; null when its next turn can begin at once. */
  pause_seconds: number | null;
  /** Whether this turn counts as an attempt that has failed. */
  is_failure: boolean;
}

/** Puts imports that have not ended at the end of their company's queue. */
export function recordTurns(tx: SystemTx, outcomes: TurnOutcome[]): Promise<number> {
  return exec(tx, {
    name: 'imports.recordTurns',
    text: `update imports i set is_waiting = o.pause_seconds is null, turn_at = now(), claimed_at = null,
        attempts = case when o.is_failure then i.attempts else 0 end, held_until = now() + make_interval(secs => o.pause_seconds)
      from unnest($1::text[], $2::text[], $3::timestamptz[], $4::int[], $5::boolean[])
        as o (company_id, _id, claimed_at, pause_seconds, is_failure)
      where i.company_id = o.company_id and i._id = o._id and i.claimed_at = o.claimed_at and i.finished_at is null`,
    values: [
      outcomes.map((outcome) => outcome.company),
      outcomes.map((outcome) => outcome._id),
      outcomes.map((outcome) => outcome.claimed_at),
      outcomes.map((outcome) => outcome.pause_seconds),
      outcomes.map((outcome) => outcome.is_failure),
    ],
  });
}
