/** Statements over all companies that decide which item is prepared next, and that store why one could not be. */
import { pickValues } from '../../platform/work/claims/fair-pick.ts';
import { leaseColumns, pickLeased, type LeasedRow, type LeasedTable } from '../../platform/work/claims/leases.ts';
import type { ClaimCapacity, RowOutcome } from '../../platform/work/claims/queue.ts';
import { exec, many } from '../../platform/store/db.ts';
import { isPicked } from '../../platform/store/picked-rows.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import type { ItemError, ItemLanguage, ItemType } from './schemas.ts';

export const KNOWLEDGE_QUEUE: LeasedTable = { table: 'knowledge_items', order: 'turn_at' };

export interface ClaimedItem extends LeasedRow {
  name: string;
  language: ItemLanguage;
  /** The text of an AUTCL item; null for one that was made from a file. */
  content: string | null;
  type: ItemType;
  description: string | null;
  /** The file; null for an AUTCL item. */
  attachment: string | null;
  revision: number;
  /** The revision whose passages searches find; null before the first. */
  indexed_revision: number | null;
  /** The number of times that the work on this revision was begun, including this time. */
  attempts: number;
}

/** Claims items, a few of each company in turn, and counts the attempt before the work begins. */
export async function claimItems(
  tx: SystemTx,
  capacity: ClaimCapacity,
): Promise<{ claimed: ClaimedItem[]; dismissed: number }> {
  const claimed = await many<ClaimedItem>(tx, {
    name: 'knowledge.claim',
    text: `${pickLeased(KNOWLEDGE_QUEUE)}
      update knowledge_items i set ${leaseColumns(KNOWLEDGE_QUEUE)}, attempts = attempts + 1
      from picked where ${isPicked('i')}
      returning i.company_id as company, i._id, name, language, content, type, description,
        attachment_id as attachment, revision,
        indexed_revision, attempts, claimed_at`,
    values: pickValues(capacity),
  });
  return { claimed, dismissed: 0 };
}

/** Queues items whose vectors were made by another model. Searches find them by their words meanwhile. */
export function queueOtherModels(tx: SystemTx, model: string): Promise<number> {
  return exec(tx, {
    name: 'knowledge.queueOtherModels',
    text: `update knowledge_items set is_waiting = true, turn_at = now(), attempts = 0, held_until = null
      where status = 'READY' and embedding_model <> $1 and not is_waiting`,
    values: [model],
  });
}

/** How the work on an item has ended. */
export interface TurnOutcome extends RowOutcome {
  company: string;
  /** The revision and the claim, so that a turn which ends late changes nothing of a later one. */
  revision: number;
  claimed_at: string;
  /** After how many seconds the work is tried again; null when it is not. */
  pause_seconds: number | null;
  /** Why the item becomes ERROR; null when it does not. */
  error: ItemError | null;
}

/** Stores why items could not be prepared. */
export function recordFailures(tx: SystemTx, failures: TurnOutcome[]): Promise<number> {
  return exec(tx, {
    name: 'knowledge.recordFailures',
    // An item that only gets new vectors is searched by its words all the same, so it stays READY.
    text: `update knowledge_items i set held_until = now() + make_interval(secs => o.pause_seconds),
        error = case when i.status = 'PROCESSING' then o.error::jsonb end,
        status = case when i.status = 'PROCESSING' and o.error is not null then 'ERROR' else i.status end,
        updated_at = case when i.status = 'PROCESSING' and o.error is not null then now() else i.updated_at end
      from unnest($1::text[], $2::text[], $3::int[], $4::timestamptz[], $5::int[], $6::text[])
        as o (company_id, _id, revision, claimed_at, pause_seconds, error)
      where i.company_id = o.company_id and i._id = o._id and i.revision = o.revision and i.claimed_at = o.claimed_at
        and not i.is_waiting`,
    values: [
      failures.map((failure) => failure.company),
      failures.map((failure) => failure._id),
      failures.map((failure) => failure.revision),
      failures.map((failure) => failure.claimed_at),
      failures.map((failure) => failure.pause_seconds),
      failures.map((failure) => failure.error && JSON.stringify(failure.error)),
    ],
  });
}
