/**
 * Runs that make one change in many records. The request fixes which records they are and stores the run; a worker changes them one after the
 * other, each in a transaction of its own, so that none is locked longer than by a change of it alone.
 */
import type { Origin } from '../../http/audit.ts';
import type { Storage } from '../../store/storage.ts';
import type { Acting, Database, Tenant, TenantTx } from '../../store/tenant.ts';
import { AppError, checkInside, invalid, unknownReference } from '../../values/errors.ts';
import { declareLimit } from '../../values/limits.ts';
import type { ClaimLoop } from '../claims/claim-loop.ts';
import type { Log } from '../telemetry.ts';
import type { RunKind, ShownRun } from './kind.ts';
import { addRun } from './runs.ts';
import { CHANGE_STATUSES, MAX_FAILURES, MAX_SELECTED } from './schemas.ts';
import { startRuns, toRunError } from './work.ts';

// The number of runs of a kind and company that may wait or be worked on, with 100,000 records together.
const MAX_OPEN = declareLimit(10, {
  topic: 'Messages',
  what: 'Waiting and running bulk changes of conversations, and of contacts, per company',
  beyond: '409',
});
/** How long a run can be read after its end. */
export const KEPT_DAYS = declareLimit(30, {
  topic: 'Messages',
  what: 'Bulk change: age of the result',
  unit: 'days',
  beyond: 'deleted',
});

/** What the record of such a run shows in addition to its input and the columns of all runs. */
const COLUMNS = `changed_count, failed_count, failures, error,
  json_build_object('type', case actor ->> 'type' when 'user' then 'USER' else 'KEY' end, '_id', actor ->> 'id',
    'name', actor ->> 'name') as created_by, started_at`;

/** Makes the kind of such runs. `input` is the SQL that shows what a run does, where that is not always a change. */
export const changeKind = <R extends ShownRun>({
  word,
  input = 'input as change',
  ...kind
}: Pick<RunKind<R>, 'name' | 'schema' | 'list'> & { word: string; input?: string }): RunKind<R> => ({
  ...kind,
  statuses: CHANGE_STATUSES,
  columns: `${input}, ${COLUMNS}`,
  mostOpen: MAX_OPEN,
  refuse: () => new AppError('RUNS_WAITING', `${MAX_OPEN} bulk changes of ${word}s in the company are in progress`),
  crashed: { code: 'RUN_CRASHED', message: 'The change crashed its process twice; changes already made are kept' },
});

interface Asked<F, C> {
  ids?: string[];
  filter?: F;
  change: C;
  origin: Origin;
}

interface Selection<R extends ShownRun, F, C> {
  kind: RunKind<R>;
  /** Throws when the change cannot be made in any record. */
  check?(change: C): Promise<unknown>;
  /** Returns the ids of the records that match a filter, at most so many. */
  match(filter: F, most: number): Promise<string[]>;
  /** Returns those of the ids that are records of the company, in the order in which they are changed. */
  sort(ids: string[]): Promise<string[]>;
}

/** Selects the records and stores the run. */
export async function startChange<R extends ShownRun, F extends object, C extends object>(
  tenant: Tenant,
  { ids, filter, change, origin }: Asked<F, C>,
  { kind, check, match, sort }: Selection<R, F, C>,
): Promise<R> {
  if (ids === undefined && filter === undefined) throw invalid('ids', 'or filter is required', 'REQUIRED');
  if (ids !== undefined && filter !== undefined) throw invalid('filter', 'is not allowed with ids');
  await checkInside('change', async () => check?.(change));
  const selected = ids ?? (await checkInside('filter', () => match(filter as F, MAX_SELECTED + 1)));
  if (selected.length > MAX_SELECTED)
    throw invalid('filter', `selects more than ${MAX_SELECTED} records, the most per run`, 'TOO_MANY');
  const subjects = await sort(selected);
  if (ids) expectAll(ids, subjects);
  const { type, id, name } = tenant.principal;
  const run = { input: change, subjects, total: subjects.length, actor: { type, id, name }, origin };
  return tenant.tx((tx) => addRun(tx, kind, run));
}

function expectAll(ids: string[], found: string[]): void {
  const existing = new Set(found);
  const unknown = ids.findIndex((id) => !existing.has(id));
  if (unknown >= 0) throw unknownReference(`ids[${unknown}]`);
}

interface ChangeWork<C, P> {
  kind: RunKind;
  /** The name of the record in a failure. */
  word: 'conversation' | 'contact';
  /** Prepares the change of a record outside of its transaction. */
  prepare?(acting: Acting, id: string, change: C): Promise<P>;
  /** Changes one record. Returns false if the record already had these values. */
  make(tx: TenantTx, acting: Acting, asked: AskedChange<C, P>): Promise<boolean>;
}

export interface AskedChange<C, P = undefined> {
  id: string;
  change: C;
  audit: { origin: Origin | null };
  prepared: P | undefined;
}

/** Does the runs of a kind. A record that cannot be changed is reported with the error of its own change, and the run goes on. */
export const startChangeRuns = <C, P = undefined>(
  services: { database: Database; storage: Storage; log: Log },
  { kind, word, prepare, make }: ChangeWork<C, P>,
): ClaimLoop =>
  startRuns<C>(services, {
    kind,
    perCompany: 1,
    begin: (run, acting) => {
      const findNext = (): string => run.subjects?.[0] ?? '';
      let prepared: P | undefined;
      return {
        select: async () => {
          prepared = await prepare?.(acting, findNext(), run.input);
        },
        portion: async (tx) => {
          const asked = { id: findNext(), change: run.input, audit: { origin: run.origin }, prepared };
          const isChanged = await make(tx, acting, asked);
          return { progress: { processed: 1, changed: isChanged ? 1 : 0 } };
        },
        fail: (error) => {
          const failure = { [word]: findNext(), ...toRunError(error) };
          return {
            progress: { processed: 1, failed: 1, failures: run.failures.length < MAX_FAILURES ? [failure] : [] },
          };
        },
      };
    },
  });
