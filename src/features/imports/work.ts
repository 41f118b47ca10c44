/** Processes the rows of a sheet in portions. No row is stored before the whole sheet was read once without an error. */
import { isDeepStrictEqual } from 'node:util';
import type { Kit } from '../../kit.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { ErrorCode } from '../../platform/values/errors.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import { ChildEnded } from '../../platform/work/child.ts';
import type { ClaimLoop } from '../../platform/work/claims/claim-loop.ts';
import type { RunError } from '../../platform/work/runs/kind.ts';
import type { ClaimedRun, Progress } from '../../platform/work/runs/queries.ts';
import { isPassing, startRuns, toProblem, toRunError, type RunTurn } from '../../platform/work/runs/work.ts';
import { IMPORTS } from './imports.ts';
import { openImportReader } from './reader.ts';
import type { ReadRow } from './reading.ts';
import { storeRowErrors } from './row-errors.ts';
import type { ImportInput, ImportKind, RowError } from './schemas.ts';
import { storedSheet } from './stored-sheet.ts';

// Each import has a child process that holds parts of its sheet in memory; two children read at a time (platform/work/child-readers.ts).
const PER_COMPANY = declareLimit(1, {
  topic: 'Contacts',
  what: 'Imports that run at the same time, per company and process',
  beyond: 'the next one waits',
});

/** The functions with which one kind of import (contacts, or rows of a table) handles the rows of a sheet. */
export interface RowImporter<S = unknown, V = unknown> {
  /**
   * Loads the definitions that values are checked against, such as custom fields or columns. In a transaction it also locks a table against
   * changes of its columns.
   */
  slots(tx: TenantRead | TenantTx, asked: ImportInput): Promise<S>;
  /** Stores a portion of rows that were checked against these slots. Throws UNAVAILABLE when the portion should be tried again. */
  take(tx: TenantTx, asked: ImportInput, rows: ReadRow<V>[], slots: S): Promise<ImportedRows>;
}

export type ImportedRows = Required<Pick<Progress, 'created' | 'changed' | 'failed'>> & { errors: RowError[] };

export type RowImporters = Record<ImportKind, RowImporter>;

/** Starts the loop that works on imports. A portion has rows of the sheet, which are read while the portion before is stored. */
export const startImports = (kit: Kit, importers: RowImporters): ClaimLoop =>
  startRuns<ImportInput>(kit, {
    kind: IMPORTS,
    perCompany: PER_COMPANY,
    isSlowToBegin: true,
    begin: (run, acting, signal) => {
      const source = storedSheet(acting.read, { _id: run._id, bytes: run.input.bytes });
      const reader = openImportReader(kit.readers, { owner: run.company, source, signal, isAwaited: false });
      return importPortions({ run, read: acting.read, reader, importer: importers[run.input.kind] });
    },
  });

// Errors that may disappear when the same portion is stored again. After the last try the import fails, or pauses before the next ones.
const RETRIED_ERRORS = new Set<ErrorCode>(['UNAVAILABLE', 'UNKNOWN_REFERENCE', 'STORAGE_FULL']);

const isRetried = (error: unknown): boolean => RETRIED_ERRORS.has(toProblem(error)?.code ?? 'INTERNAL_ERROR');

/** Returns the error as the record shows it: of a file, what is wrong with it. */
const toImportError = (error: unknown): RunError => {
  const shown = toRunError(error);
  return { ...shown, code: toProblem(error)?.errors[0]?.code ?? shown.code };
};

interface Importing {
  run: ClaimedRun<ImportInput>;
  read: TenantRead;
  reader: ReturnType<typeof openImportReader>;
  importer: RowImporter;
}

function importPortions({ run, read, reader, importer }: Importing): RunTurn {
  const { input } = run;
  let total: number | null = null;
  // The fields and options that the rows are checked against.
  let slots: unknown;
  let rows: ReadRow[] = [];
  let next: Promise<ReadRow[]> | null = null;
  let isLast = false;
  const readFrom = (from: number): Promise<ReadRow[]> => {
    const reading = reader.portion(input.kind, slots, from);
    // Failure policy: the error is thrown where the rows are awaited. When no one awaits them any more, it is dropped.
    reading.catch(() => undefined);
    return reading;
  };
  return {
    select: async () => {
      if (total === null) {
        total = await reader.survey(input.format, input.columns);
        slots = await importer.slots(read, input);
      }
      rows = await (next ?? readFrom(run.processed));
      const done = run.processed + rows.length;
      isLast = rows.length === 0 || done >= total;
      next = isLast ? null : readFrom(done);
    },
    portion: async (tx) => {
      const now = await importer.slots(tx, input);
      if (!isDeepStrictEqual(now, slots)) {
        // The rows were checked against others, so they are read again.
        [slots, next] = [now, null];
        return { progress: null };
      }
      const end = isLast ? { error: null } : null;
      if (rows.length === 0) return { progress: { processed: 0, total }, end };
      const { errors, ...counts } = await importer.take(tx, input, rows, slots);
      const failures = await storeRowErrors(tx, run, errors);
      return { progress: { ...counts, processed: rows.length, total, failures }, end };
    },
    isRetried,
    fail: (error) =>
      isPassing(error) || error instanceof ChildEnded ? null : { progress: null, end: { error: toImportError(error) } },
    close: () => reader.close(),
  };
}
