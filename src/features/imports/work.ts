/**
 * Processes the rows of a sheet in portions. Each portion is stored in one transaction with its progress, so that a worker that dies
 * repeats nothing and loses nothing. No row is stored before the whole sheet was read once without an error.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Kit } from '../../kit.ts';
import { ChildEnded } from '../../platform/work/child.ts';
import { toDatabaseProblem, isUnavailable } from '../../platform/store/db.ts';
import { repeatOvertaken } from '../../platform/store/overtaken.ts';
import { AppError, type ErrorCode } from '../../platform/values/errors.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import { storeRowErrors } from './row-errors.ts';
import { addProgress, endImport, lockImport, setTotal, type ImportWork, type Progress } from './queries.ts';
import { openImportReader, type ImportReader } from './reader.ts';
import type { ReadRow } from './reading.ts';
import type { Import, ImportJob, RowError } from './schemas.ts';
import { storedSheet } from './stored-sheet.ts';

/** The functions with which one kind of import (contacts, or rows of a table) handles the rows of a sheet. */
export interface RowImporter<S = unknown, V = unknown> {
  /**
   * Loads the definitions that values are checked against, such as custom fields or columns. In a transaction it also locks a table against
   * changes of its columns.
   */
  slots(tx: TenantRead | TenantTx, asked: Import): Promise<S>;
  /** Stores a portion of rows that were checked against these slots. Throws UNAVAILABLE when the portion should be tried again. */
  take(tx: TenantTx, asked: Import, rows: ReadRow<V>[], slots: S): Promise<ImportedRows>;
}

export type ImportedRows = Omit<Progress, 'processed' | 'errors'> & { errors: RowError[] };

// Errors that may disappear when the same portion is stored again. After the last try the import fails, or pauses before the next ones.
const RETRIED_ERRORS = new Set<ErrorCode>(['UNAVAILABLE', 'UNKNOWN_REFERENCE', 'STORAGE_FULL']);

export interface ImportSession {
  importer: RowImporter;
  signal: AbortSignal;
  /** Whether the import should stop now, because another one waits for its place or the worker stops. */
  isOver(): Promise<boolean>;
}

/**
 * Continues an import after its last stored portion, until it ends or its turn is over. Throws an error that only prevents it for now, such
 * as a database that is away or a child process that died.
 */
export async function workOnImport(kit: Kit, job: ImportJob, work: ImportSession): Promise<void> {
  const asked = await kit.database.tenantTx(job.company, (tx) => lockImport(tx, job.import));
  if (!asked || asked.finished_at) return;
  const source = storedSheet(kit.database.read(job.company), asked);
  const reader = openImportReader(kit.readers, { owner: job.company, source, signal: work.signal, isAwaited: false });
  try {
    await importPortions(kit, { ...work, asked, reader });
  } catch (error) {
    // Failure policy: after an error that may pass the import is tried again; any other error ends it.
    if (isPassingError(error)) throw error;
    const problem = toProblem(error);
    if (!problem) kit.log.error({ err: error, import: job.import }, 'import failed');
    await kit.database.tenantTx(job.company, (tx) => {
      announceImport(tx, job.import);
      return endImport(tx, job.import, toImportError(problem));
    });
  } finally {
    reader.close();
  }
}

const isPassingError = (error: unknown): boolean => isUnavailable(error) || error instanceof ChildEnded;

/** Returns the error for the caller; null when the error is a defect of this project. */
const toProblem = (error: unknown): AppError | null => (error instanceof AppError ? error : toDatabaseProblem(error));

function isRetried(error: unknown): boolean {
  const problem = toProblem(error);
  return problem !== null && RETRIED_ERRORS.has(problem.code);
}

function toImportError(problem: AppError | null): { code: string; message: string } {
  const code: ErrorCode = 'INTERNAL_ERROR';
  if (!problem) return { code, message: 'Something went wrong on our side' };
  return { code: problem.errors[0]?.code ?? problem.code, message: problem.message };
}

async function importPortions(
  kit: Kit,
  work: ImportSession & { asked: ImportWork; reader: ImportReader },
): Promise<void> {
  const { asked, reader, importer } = work;
  const { company, _id, kind } = asked;
  const total = await reader.survey(asked.format, asked.columns);
  if (asked.total === null) await kit.database.tenantTx(company, (tx) => setTotal(tx, _id, total));
  let slots = await importer.slots(kit.database.read(company), asked);
  let done = asked.processed;
  const read = (from: number): Promise<ReadRow[]> => {
    const rows = reader.portion(kind, slots, from);
    // Failure policy: the error is thrown where the rows are awaited. When no one awaits them any more, it is dropped.
    rows.catch(() => undefined);
    return rows;
  };
  for (let next = read(done); ;) {
    const rows = await next;
    const isLast = rows.length === 0 || done + rows.length >= total;
    // The child already reads the next portion while this one is stored.
    if (!isLast) next = read(done + rows.length);
    const stored = await repeatOvertaken(() => storePortion(kit, work, { rows, slots, done, isLast }), isRetried);
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
  /** The fields and options that the rows were checked against. */
  slots: unknown;
  /** How many rows of the sheet come before this portion. */
  done: number;
  isLast: boolean;
}

/**
 * Returns GONE when another worker took over or the import ended. Returns new slots when fields or options have changed since the rows were
 * checked.
 */
function storePortion(
  kit: Kit,
  { asked: { company, _id }, importer }: ImportSession & { asked: ImportWork },
  { rows, slots, done, isLast }: Portion,
): Promise<'STORED' | 'GONE' | { slots: unknown }> {
  return kit.database.tenantTx(company, async (tx) => {
    const current = await lockImport(tx, _id);
    if (!current || current.finished_at || current.processed !== done) return 'GONE';
    const now = await importer.slots(tx, current);
    if (!isDeepStrictEqual(now, slots)) return { slots: now };
    if (rows.length > 0) {
      const { errors, ...counts } = await importer.take(tx, current, rows, slots);
      await addProgress(tx, _id, {
        ...counts,
        processed: rows.length,
        errors: await storeRowErrors(tx, current, errors),
      });
    }
    if (isLast) await endImport(tx, _id, null);
    announceImport(tx, _id);
    return 'STORED';
  });
}

const announceImport = (tx: TenantTx, _id: string): void =>
  tx.changed([{ company: tx.companyId, kind: 'IMPORT', ids: [_id] }]);
