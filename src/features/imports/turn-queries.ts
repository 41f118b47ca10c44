/** Statements over all companies that decide which import is worked on next. */
import { pickValues } from '../../platform/work/claims/fair-pick.ts';
import { leaseColumns, pickLeased, type LeasedRow, type LeasedTable } from '../../platform/work/claims/leases.ts';
import type { ClaimCapacity } from '../../platform/work/claims/queue.ts';
import { many, one } from '../../platform/store/db.ts';
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
