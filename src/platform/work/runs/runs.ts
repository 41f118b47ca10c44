/**
 * Runs: long work on many records. A request stores a run, and a worker does it a portion at a time (work.ts). The API has the operations of
 * this file for each kind.
 */
import { lockLimit } from '../../store/limit-lock.ts';
import { makePage, pageWindow, type Page, type PageQuery } from '../../store/paging.ts';
import { purgeByPages } from '../../store/retention.ts';
import type { Database, Tenant, TenantRead, TenantTx } from '../../store/tenant.ts';
import { notFound } from '../../values/errors.ts';
import { newId } from '../../values/ids.ts';
import type { RunKind, ShownRun } from './kind.ts';
import {
  countRuns,
  deleteOldRuns,
  endRun,
  findRuns,
  insertRun,
  listOpenRuns,
  listRuns,
  type NewRun,
} from './queries.ts';

/** Stores a run in the caller's transaction and queues it. Throws when the company has too many open runs of the kind. */
export async function addRun<R extends ShownRun>(tx: TenantTx, kind: RunKind<R>, run: Omit<NewRun, '_id'>): Promise<R> {
  await lockLimit(tx, kind.list);
  const open = await listOpenRuns(tx, kind);
  if (open.length >= kind.mostOpen) throw kind.refuse(open);
  const _id = newId();
  tx.created(_id);
  tx.wakes(kind.list);
  return insertRun(tx, kind, { ...run, _id });
}

export async function readRun<R extends ShownRun>(read: TenantRead, kind: RunKind<R>, id: string): Promise<R> {
  const [run] = await findRuns(read, kind, [id]);
  if (!run) throw notFound();
  return run;
}

export async function pageRuns<R extends ShownRun>(
  { read }: Tenant,
  kind: RunKind<R>,
  query: PageQuery & { status?: string },
): Promise<Page<R>> {
  const { status = null } = query;
  const window = pageWindow(kind.list, query);
  const rows = await listRuns(read, kind, status, window);
  return makePage(query, window, rows, () => countRuns(read, kind, status, window));
}

/** Ends a run after the portion that is being done. A run that has ended stays as it is. */
export async function cancelRun<R extends ShownRun>(tenant: Tenant, kind: RunKind<R>, id: string): Promise<R> {
  return tenant.tx(async (tx) => {
    if ((await endRun(tx, kind, id, { status: 'CANCELLED', error: null })) > 0) announceRun(tx, id);
    return readRun(tx, kind, id);
  });
}

/** Names the run to the change feed. */
export const announceRun = (tx: TenantTx, id: string): void =>
  tx.changed([{ company: tx.companyId, kind: 'RUN', ids: [id] }]);

/** Deletes the runs of a kind that ended so many days ago. */
export async function purgeRuns(database: Database, kind: RunKind, days: number): Promise<void> {
  const system = database.system('upkeep');
  await purgeByPages(system, 'runs', (range) => deleteOldRuns(system, kind, days, range));
}
