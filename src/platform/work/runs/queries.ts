/** All SQL of runs. The statements of a kind have its name, because each kind shows other columns. */
import type { Origin } from '../../http/audit.ts';
import { exec, many, one, oneValue } from '../../store/db.ts';
import type { Page, Window } from '../../store/paging.ts';
import { listPage } from '../../store/plain-list.ts';
import { isPicked } from '../../store/picked-rows.ts';
import { IN_STRETCH, pageRangeBounds, type PageRange } from '../../store/retention.ts';
import type { SystemTx, TenantRead, TenantTx } from '../../store/tenant.ts';
import type { Actor } from '../../values/actor.ts';
import { pickValues } from '../claims/fair-pick.ts';
import { leaseColumns, pickLeased, type LeasedRow, type LeasedTable } from '../claims/leases.ts';
import type { ClaimCapacity } from '../claims/queue.ts';
import type { RunError, RunKind, ShownRun } from './kind.ts';

const listColumns = ({
  columns,
}: RunKind): string => `_id, company_id as company, status, total, processed, finished_at,
  created_at as "createdAt", updated_at as "updatedAt", ${columns}`;

export interface NewRun {
  _id: string;
  input: object;
  /** The records to work on, in this order; null where the kind finds them itself. */
  subjects: string[] | null;
  /** Null until a worker has counted the records. */
  total: number | null;
  actor: Pick<Actor, 'type' | 'id' | 'name'>;
  origin: Origin | null;
}

/** Stores a run. One with nothing to do has ended. The status of one that waits is the first one of its kind. */
export function insertRun<R extends ShownRun>(tx: TenantTx, kind: RunKind<R>, run: NewRun): Promise<R> {
  return one(tx, {
    name: `runs.insert.${kind.name}`,
    text: `insert into runs (company_id, _id, kind, input, subjects, total, actor, origin, status, is_waiting, finished_at)
      values ($1, $2, '${kind.name}', $3, $4, $5, $6, $7, case when $5::int = 0 then 'COMPLETED' else '${kind.statuses[0]}' end, $5::int is distinct from 0,
        case when $5::int = 0 then now() end)
      returning ${listColumns(kind)}`,
    values: [
      tx.companyId,
      run._id,
      JSON.stringify(run.input),
      run.subjects,
      run.total,
      JSON.stringify(run.actor),
      run.origin && JSON.stringify(run.origin),
    ],
  });
}

/** Returns the ids of the company's runs of the kind that have not ended. */
export async function listOpenRuns(tx: TenantRead, { name }: RunKind): Promise<string[]> {
  const rows = await many<{ _id: string }>(tx, {
    name: 'runs.listOpen',
    text: 'select _id from runs where company_id = $1 and kind = $2 and finished_at is null',
    values: [tx.companyId, name],
  });
  return rows.map(({ _id }) => _id);
}

/** Returns the runs of the kind with these ids. Those that do not exist are left out. */
export function findRuns<R extends ShownRun>(tx: TenantRead, kind: RunKind<R>, ids: string[]): Promise<R[]> {
  return many(tx, {
    name: `runs.find.${kind.name}`,
    text: `select ${listColumns(kind)} from runs where company_id = $1 and _id = any($2::text[]) and kind = '${kind.name}'`,
    values: [tx.companyId, ids],
  });
}

export function listRuns<R extends ShownRun>(
  tx: TenantRead,
  kind: RunKind<R>,
  status: string | null,
  window: Window,
): Promise<Page<R>> {
  return listPage(tx, window, {
    name: 'runs',
    variant: `.${kind.name}`,
    columns: listColumns(kind),
    from: 'runs',
    filter: `company_id = $1 and kind = '${kind.name}' and ${kind.listed ?? 'true'} and ($2::text is null or status = $2)`,
    values: [tx.companyId, status],
  });
}

/** How a run ends. */
export interface RunEnd {
  status: 'COMPLETED' | 'CANCELLED' | 'FAILED';
  error: RunError | null;
}

/** Ends a run. Returns zero when the company has no such run of the kind, or when it has ended. */
export function endRun(tx: TenantTx, { name }: RunKind, id: string, { status, error }: RunEnd): Promise<number> {
  return exec(tx, {
    name: 'runs.end',
    text: `update runs set status = $4, error = $5, finished_at = now(), updated_at = now(), is_waiting = false, held_until = null
      where company_id = $1 and _id = $2 and kind = $3 and finished_at is null`,
    values: [tx.companyId, id, name, status, error && JSON.stringify(error)],
  });
}

/** What a portion has done. */
export interface Progress {
  processed: number;
  created?: number;
  changed?: number;
  failed?: number;
  failures?: object[];
  /** Where the next portion begins, for kinds without subjects. */
  place?: object | null;
  /** The number of records, for kinds that count them late. */
  total?: number | null;
}

/** Counts what was done. Returns zero when the run has ended, or when another process has counted it. */
export function countPortion(
  tx: TenantTx,
  { _id, processed }: Pick<ClaimedRun, '_id' | 'processed'>,
  { created = 0, changed = 0, failed = 0, failures = [], place = null, total = null, ...done }: Progress,
): Promise<number> {
  return exec(tx, {
    name: 'runs.countPortion',
    text: `update runs set processed = processed + $4, created_count = created_count + $5, changed_count = changed_count + $6,
        failed_count = failed_count + $7, failures = case when $8::jsonb is null then failures else failures || $8::jsonb end,
        place = coalesce($9::jsonb, place), total = coalesce($10, total), attempts = 1, updated_at = now()
      where company_id = $1 and _id = $2 and processed = $3 and finished_at is null`,
    values: [
      tx.companyId,
      _id,
      processed,
      done.processed,
      created,
      changed,
      failed,
      failures.length > 0 ? JSON.stringify(failures) : null,
      place && JSON.stringify(place),
      total,
    ],
  });
}

/** The queue of the runs of a kind. People wait for the runs of a worker that has died, so its claims end early. */
export const runQueue = ({ name }: RunKind): LeasedTable => ({
  table: 'runs',
  kind: name,
  order: 'turn_at',
  open: 'finished_at is null',
  leaseSeconds: 20,
});

/** A run that this process works on, and how far it is. */
export interface ClaimedRun<I = unknown> extends LeasedRow {
  input: I;
  /** The subjects that are left; null where the kind finds them itself. */
  subjects: string[] | null;
  /** Where the next portion begins, as the last one has left it; null at the beginning. */
  place: object | null;
  actor: Actor | null;
  origin: Origin | null;
  total: number | null;
  processed: number;
  /** The failures that its record shows. */
  failures: object[];
  /** The number of times that the work was begun without progress, including this time. */
  attempts: number;
  created_at: string;
}

/** Claims runs of a kind, a few of each company in turn, and counts the attempt before the work begins. */
export async function claimRuns<I>(
  tx: SystemTx,
  kind: RunKind,
  capacity: ClaimCapacity,
): Promise<{ claimed: ClaimedRun<I>[]; dismissed: number }> {
  const queue = runQueue(kind);
  const claimed = await many<ClaimedRun<I>>(tx, {
    name: `runs.claim.${kind.name}`,
    text: `${pickLeased(queue)}
      update runs r set ${leaseColumns(queue)}, attempts = attempts + 1, status = 'RUNNING', started_at = coalesce(started_at, now()),
        updated_at = case when started_at is null then now() else updated_at end
      from picked where ${isPicked('r')}
      returning r.company_id as company, r._id, input, subjects[processed + 1:] as subjects, place, actor, origin, total, processed,
        failures, attempts, created_at, claimed_at`,
    values: pickValues(capacity),
  });
  return { claimed, dismissed: 0 };
}

/** Whether a run of another company waits for a worker, or is due. */
export function isAnotherWaiting(tx: SystemTx, { name }: RunKind, company: string): Promise<boolean> {
  return oneValue(tx, {
    name: 'runs.isAnotherWaiting',
    text: `select exists (select from runs
      where finished_at is null and kind = $1 and company_id <> $2 and (is_waiting or held_until <= now())) as waiting`,
    values: [name, company],
  });
}

/** Lists runs of all companies that have made no progress for a day. */
export function listForgottenRuns(
  tx: SystemTx,
  { name }: RunKind,
  limit: number,
): Promise<{ company: string; _id: string }[]> {
  return many(tx, {
    name: 'runs.listForgotten',
    text: `select company_id as company, _id from runs
      where finished_at is null and kind = $1 and updated_at < now() - interval '1 day' order by company_id limit $2`,
    values: [name, limit],
  });
}

/** Deletes the runs of a kind that ended so many days ago, in a range of the table's pages. */
export function deleteOldRuns(tx: SystemTx, { name }: RunKind, days: number, range: PageRange): Promise<number> {
  return exec(tx, {
    name: 'runs.deleteOld',
    text: `delete from runs where ${IN_STRETCH} and kind = $4 and finished_at < now() - make_interval(days => $1)`,
    values: [days, ...pageRangeBounds(range), name],
  });
}
