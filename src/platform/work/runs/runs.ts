/**
 * Runs: long work on many records. A request stores a run, and a worker does it a portion at a time (work.ts). The API has the operations of
 * this file for each kind.
 */
import { lockLimit } from '../../store/limit-lock.ts';
import { pageWindow, type Page, type PageQuery } from '../../store/paging.ts';
import { workInPortions } from '../../store/portions.ts';
import { purgeByPages } from '../../store/retention.ts';
import type { Database, Tenant, TenantRead, TenantTx } from '../../store/tenant.ts';
import { expectFound } from '../../values/errors.ts';
import { newId } from '../../values/ids.ts';
import type { RunError, RunKind, ShownRun } from './kind.ts';
import {
  deleteOldRuns,
  endRun,
  findRuns,
  insertRun,
  listForgottenRuns,
  listOpenRuns,
  listRuns,
  type NewRun,
  type RunEnd,
} from './queries.ts';

/**
 * Stores a run in the caller's transaction and queues it. Throws when the company has too many open runs of the kind. `_id` is given where
 * something that refers to the run is stored before it.
 */
export async function addRun<R extends ShownRun>(
  tx: TenantTx,
  kind: RunKind<R>,
  { _id = newId(), ...run }: Omit<NewRun, '_id'> & { _id?: string },
): Promise<R> {
  await lockLimit(tx, kind.name);
  await expectFewOpen(tx, kind);
  tx.created(_id);
  tx.wakes(kind.name);
  return insertRun(tx, kind, { ...run, _id });
}

/** Throws when the company has as many open runs of the kind as it may have. */
export async function expectFewOpen(read: TenantRead, kind: RunKind): Promise<void> {
  const open = await listOpenRuns(read, kind);
  if (open.length >= kind.mostOpen) throw kind.refuse(open);
}

export async function readRun<R extends ShownRun>(read: TenantRead, kind: RunKind<R>, id: string): Promise<R> {
  return expectFound((await findRuns(read, kind, [id]))[0]);
}

export async function pageRuns<R extends ShownRun>(
  { read }: Tenant,
  kind: RunKind<R>,
  query: PageQuery & { status?: string },
): Promise<Page<R>> {
  return listRuns(read, kind, query.status ?? null, pageWindow(kind.list, query));
}

/** Ends a run after the portion that is being done. A run that has ended stays as it is. */
export async function cancelRun<R extends ShownRun>(tenant: Tenant, kind: RunKind<R>, id: string): Promise<R> {
  return tenant.tx(async (tx) => {
    await finishRun(tx, kind, id, { status: 'CANCELLED', error: null });
    return readRun(tx, kind, id);
  });
}

/** Ends a run. Returns false when it has ended before. */
export async function finishRun(tx: TenantTx, kind: RunKind, id: string, end: RunEnd): Promise<boolean> {
  if ((await endRun(tx, kind, id, end)) === 0) return false;
  await kind.clean?.(tx, id);
  return true;
}

/** Deletes the runs of a kind that ended so many days ago. */
export async function purgeRuns(database: Database, kind: RunKind, days: number): Promise<void> {
  const system = database.system('upkeep');
  await purgeByPages(system, 'runs', (range) => deleteOldRuns(system, kind, days, range));
}

// The runs that are listed at once.
const PORTION = 100;

/** Ends runs that no worker could finish: what they need was away for a day, or their worker died each time. */
export async function giveUpRuns(database: Database, kind: RunKind, error: RunError): Promise<void> {
  await workInPortions(async () => {
    const forgotten = await listForgottenRuns(database.system('upkeep'), kind, PORTION);
    for (const { company, _id } of forgotten)
      await database.tenantTx(company, (tx) => finishRun(tx, kind, _id, { status: 'FAILED', error }));
    return forgotten.length;
  });
}
