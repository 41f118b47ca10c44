/**
 * The statements of the queue tables whose claims are leases. Such a table has the columns is_waiting (the row is in the queue), claimed_at
 * (which claim holds it) and held_until (when the claim ends, or the time until which the row rests), a partial index for `pickInTurn`, and
 * one that answers `dueSql`.
 */
import { exec } from '../../store/db.ts';
import { isPicked } from '../../store/picked-rows.ts';
import type { SystemTx } from '../../store/tenant.ts';
import { pickInTurn } from './fair-pick.ts';
import type { ClaimedRow, Lease, RowOutcome } from './queue.ts';

export interface LeasedTable {
  table: string;
  /** The value of the column `kind` in the rows of this queue, where several queues share the table. */
  kind?: string;
  /** A column that gives the order within a company. */
  order: string;
  /** The column with the id that identifies a row within its company; `_id` when absent. */
  id?: string;
  /** An SQL expression for the time at which a row that does not wait returns to the queue; `held_until` when absent. */
  dueAt?: string;
  /** A further condition for returning to the queue. */
  open?: string;
  /** The time for which a claim holds; 30 when absent. */
  leaseSeconds?: number;
}

export interface LeasedRow extends ClaimedRow {
  /** When the row was claimed, so that an outcome that comes late changes nothing of a later claim. */
  claimed_at: string;
}

const LEASE_SECONDS = 30;
// Returning so many rows to the queue takes some milliseconds.
const REQUEUED_AT_ONCE = 1_000;

const leaseEnd = ({ leaseSeconds = LEASE_SECONDS }: LeasedTable): string =>
  `now() + interval '${leaseSeconds} seconds'`;

const dueSql = ({ dueAt = 'held_until', open = 'true' }: LeasedTable): string =>
  `${open} and not is_waiting and ${dueAt} <= now()`;

const waitingSql = ({ kind }: LeasedTable): string =>
  kind === undefined ? 'is_waiting' : `kind = '${kind}' and is_waiting`;

/** The beginning of a statement that claims rows: `picked` has them, and the values of `pickValues` come first. */
export const pickLeased = (queue: LeasedTable): string =>
  `with recursive ${pickInTurn({ ...queue, waiting: waitingSql(queue), columns: queue.id ?? '_id' })}`;

/** The changes by which a row is claimed. */
export const leaseColumns = (queue: LeasedTable): string =>
  `is_waiting = false, claimed_at = clock_timestamp(), held_until = ${leaseEnd(queue)}`;

/** The condition and the statements that the claim loop needs of a queue with leases. */
export function openLeases<Row extends LeasedRow>(
  system: SystemTx,
  queue: LeasedTable,
): Required<Lease<Row>> & { waiting: string } {
  const { table, id = '_id', dueAt = 'held_until', leaseSeconds = LEASE_SECONDS } = queue;
  const due = dueSql(queue);
  return {
    leaseSeconds,
    waiting: `exists (select from ${table} where ${waitingSql(queue)}) or exists (select from ${table} where ${due})`,
    requeue: () =>
      exec(system, {
        name: `claims.requeue.${table}`,
        text: `with picked as (
            select company_id, ${id} from ${table} where ${due} order by ${dueAt} limit ${REQUEUED_AT_ONCE} for update skip locked
          )
          update ${table} q set is_waiting = true, held_until = null, claimed_at = null from picked where ${isPicked('q', id)}`,
        values: [],
      }),
    // A row that somebody has locked is renewed the next time. One that has ended meanwhile has no lease any more.
    renew: (rows) =>
      exec(system, {
        name: `claims.renew.${table}`,
        text: `with picked as (
            select k.company_id, k.${id} from unnest($1::text[], $2::text[], $3::timestamptz[]) as h (company_id, ${id}, claimed_at)
              join ${table} k on ${isPicked('k', id, 'h')} and k.claimed_at = h.claimed_at and k.held_until is not null
            for no key update of k skip locked
          )
          update ${table} q set held_until = ${leaseEnd(queue)} from picked where ${isPicked('q', id)}`,
        values: [
          rows.map(({ company }) => company),
          rows.map(({ _id }) => _id),
          rows.map(({ claimed_at }) => claimed_at),
        ],
      }),
  };
}

/** How a turn of work has ended whose row stays in its queue until all is done. */
export interface TurnOutcome extends RowOutcome, LeasedRow {
  /** The seconds for which nobody works on the row; null when its next turn can begin at once. */
  pause_seconds: number | null;
  /** Whether this turn counts as an attempt that has failed. */
  is_failure: boolean;
}

/** Puts rows that are still open at the end of their company's queue. Their table has the columns turn_at and attempts as well. */
export function recordTurns(
  system: SystemTx,
  { table, open = 'true' }: LeasedTable,
  outcomes: TurnOutcome[],
): Promise<number> {
  return exec(system, {
    name: `claims.recordTurns.${table}`,
    text: `update ${table} q set is_waiting = o.pause_seconds is null, turn_at = now(), claimed_at = null,
        attempts = case when o.is_failure then q.attempts else 0 end, held_until = now() + make_interval(secs => o.pause_seconds)
      from unnest($1::text[], $2::text[], $3::timestamptz[], $4::int[], $5::boolean[])
        as o (company_id, _id, claimed_at, pause_seconds, is_failure)
      where q.company_id = o.company_id and q._id = o._id and q.claimed_at = o.claimed_at and ${open}`,
    values: [
      outcomes.map(({ company }) => company),
      outcomes.map(({ _id }) => _id),
      outcomes.map(({ claimed_at }) => claimed_at),
      outcomes.map(({ pause_seconds }) => pause_seconds),
      outcomes.map(({ is_failure }) => is_failure),
    ],
  });
}
