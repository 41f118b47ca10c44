/**
 * Working off a sheet: portion by portion, each with its progress in one transaction, so that a worker that dies repeats
 * nothing and loses nothing. Nothing is written before the whole sheet has been read once and found sound.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Kit } from '../../kit.ts';
import { ChildEnded } from '../../platform/child.ts';
import { databaseProblem, isUnavailable } from '../../platform/db.ts';
import { AppError, type ErrorCode } from '../../platform/errors.ts';
import type { TenantRead, TenantTx } from '../../platform/tenant.ts';
import { keepErrors } from './row-errors.ts';
import { addProgress, endImport, lockImport, setTotal, type ImportWork, type Progress } from './queries.ts';
import { openImportReader, type ImportReader } from './reader.ts';
import type { ReadRow } from './reading.ts';
import type { Import, ImportJob, RowError } from './schemas.ts';
import { storedSheet } from './stored-sheet.ts';

/** What a room does with the rows of its kind. */
export interface Taker<S = unknown, V = unknown> {
  /** What values have to fit now; asked in a transaction, it stays so until that ends. */
  slots(tx: TenantRead | TenantTx, asked: Import): Promise<S>;
  /** Stores a portion of rows that were read with these slots. Throws UNAVAILABLE to have the portion tried again. */
  take(tx: TenantTx, asked: Import, rows: ReadRow<V>[], slots: S): Promise<Taken>;
}

export type Taken = Omit<Progress, 'processed' | 'errors'> & { errors: RowError[] };

// Others write the same records at the same moment; more often than this and the import waits before its next try.
const TRIES = 5;
// What a second look at the same rows may find otherwise.
const MAY_PASS = new Set<ErrorCode>(['UNAVAILABLE', 'UNKNOWN_REFERENCE', 'STORAGE_FULL']);

export interface Work {
  taker: Taker;
  signal: AbortSignal;
  /** Whether somebody else's import should go on in the place of this one. */
  isOver(): Promise<boolean>;
}

/**
 * Goes on where the last worker was, until the import has ended or its turn is over. Throws what keeps it from going on for now:
 * a database that is away, or a child that died of it.
 */
export async function workImport(kit: Kit, job: ImportJob, work: Work): Promise<void> {
  const asked = await kit.database.tenantTx(job.company, (tx) => lockImport(tx, job.import));
  if (!asked || asked.finished_at) return;
  const source = storedSheet(kit.database.read(job.company), asked);
  const reader = openImportReader(kit.sheets, { owner: job.company, source, signal: work.signal });
  try {
    await takeRows(kit, { ...work, asked, reader });
  } catch (error) {
    // Failure policy: what may pass is left to the next try; everything else ends the import.
    if (isPassing(error)) throw error;
    const problem = problemOf(error);
    if (!problem) kit.log.error({ err: error, import: job.import }, 'import failed');
    await kit.database.tenantTx(job.company, (tx) => endImport(tx, job.import, causeOf(problem)));
  } finally {
    reader.close();
  }
}

function isPassing(error: unknown): boolean {
  return (
    isUnavailable(error) || error instanceof ChildEnded || (error instanceof AppError && error.code === 'UNAVAILABLE')
  );
}

/** Null for a defect of this project. */
const problemOf = (error: unknown): AppError | null => (error instanceof AppError ? error : databaseProblem(error));

function causeOf(problem: AppError | null): { code: string; message: string } {
  const code: ErrorCode = 'INTERNAL_ERROR';
  if (!problem) return { code, message: 'Something went wrong on our side' };
  return { code: problem.errors[0]?.code ?? problem.code, message: problem.message };
}

async function takeRows(kit: Kit, work: Work & { asked: ImportWork; reader: ImportReader }): Promise<void> {
  const { asked, reader, taker } = work;
  const { company, _id, kind } = asked;
  const total = await reader.survey(asked.format, asked.columns);
  if (asked.total === null) await kit.database.tenantTx(company, (tx) => setTotal(tx, _id, total));
  let slots = await taker.slots(kit.database.read(company), asked);
  let done = asked.processed;
  const read = (from: number): Promise<ReadRow[]> => {
    const rows = reader.portion(kind, slots, from);
    // Failure policy: it is told when the rows are awaited, if they still are.
    rows.catch(() => undefined);
    return rows;
  };
  for (let next = read(done); ;) {
    const rows = await next;
    const isLast = rows.length === 0 || done + rows.length >= total;
    // The child reads on while this portion is stored.
    if (!isLast) next = read(done + rows.length);
    const stored = await tryAgain(() => store(kit, work, { rows, slots, done, isLast }));
    if (stored === 'GONE') return;
    if (stored === 'STORED') done += rows.length;
    else {
      slots = stored.slots;
      next = read(done);
      continue;
    }
    if (isLast || (await work.isOver())) return;
  }
}

interface Portion {
  rows: ReadRow[];
  /** The fields and options with which the rows were read. */
  slots: unknown;
  /** How many rows come before them. */
  done: number;
  isLast: boolean;
}

/** GONE: another worker took over, or the import is gone. New slots: what values have to fit has changed since they were read. */
function store(
  kit: Kit,
  { asked: { company, _id }, taker }: Work & { asked: ImportWork },
  { rows, slots, done, isLast }: Portion,
): Promise<'STORED' | 'GONE' | { slots: unknown }> {
  return kit.database.tenantTx(company, async (tx) => {
    const current = await lockImport(tx, _id);
    if (!current || current.finished_at || current.processed !== done) return 'GONE';
    const now = await taker.slots(tx, current);
    if (!isDeepStrictEqual(now, slots)) return { slots: now };
    if (rows.length > 0) {
      const { errors, ...counts } = await taker.take(tx, current, rows, slots);
      await addProgress(tx, _id, { ...counts, processed: rows.length, errors: await keepErrors(tx, current, errors) });
    }
    if (isLast) await endImport(tx, _id, null);
    return 'STORED';
  });
}

async function tryAgain<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      // Failure policy: whoever gave way, or had a reference removed under him, looks anew at once; the import waits longer.
      const problem = problemOf(error);
      if (!problem || !MAY_PASS.has(problem.code) || tries >= TRIES) throw error;
    }
  }
}
