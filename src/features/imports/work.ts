/**
 * Working off a sheet: portion by portion, each with its progress in one transaction, so that a worker that dies repeats
 * nothing and loses nothing. Nothing is written before the whole sheet has been read once and found sound.
 */
import type { Kit } from '../../kit.ts';
import { databaseProblem, isUnavailable } from '../../platform/db.ts';
import { AppError, type ErrorCode } from '../../platform/errors.ts';
import { PIECE_BYTES } from '../../platform/multipart.ts';
import { readRows, type SheetFormat } from '../../platform/sheets.ts';
import { sheetFault, type Cell, type SheetRow, type SheetSource } from '../../platform/sheets/sheet.ts';
import type { TenantRead, TenantTx } from '../../platform/tenant.ts';
import {
  addProgress,
  endImport,
  findChunk,
  lockImport,
  setTotal,
  startImport,
  type ImportWork,
  type Progress,
} from './queries.ts';
import { MAX_SHEET_ROWS, type Import, type ImportColumn, type ImportJob, type RowError } from './schemas.ts';

export interface ImportRow {
  /** 1 is the first row after the header. */
  number: number;
  /** By field; without what is empty. */
  cells: Map<string, Cell>;
}

/** Stores a portion of rows, in the caller's transaction. Throws UNAVAILABLE to have the portion tried again. */
export type Taker = (tx: TenantTx, asked: Import, rows: ImportRow[]) => Promise<Taken>;

export type Taken = Omit<Progress, 'processed'>;

// A transaction of some tenths of a second: nobody waits noticeably for the names that it holds.
const PORTION = 1_000;
// Then somebody else's import has its turn, and a worker that is to stop can.
const TURN_MS = 5_000;
// As many as anybody reads.
const MAX_ROW_ERRORS = 100;
// Others write the same records at the same moment; more often than this and the queue waits before the next try.
const TRIES = 5;
// Each holds the texts of its workbook.
const AT_ONCE = 2;

/** Goes on where the last worker was. `again` asks for the next turn, in the transaction that ends this one. */
export function workImport(
  kit: Kit,
  job: ImportJob,
  { take, again }: { take: Taker; again(tx: TenantTx): Promise<void> },
): Promise<void> {
  return inTurn(async () => {
    const asked = await begin(kit, job);
    if (!asked) return;
    try {
      await takeRows(kit, job, { asked, take, again });
    } catch (error) {
      // Failure policy: a database that is away is left to the queue, which tries again; everything else ends the import.
      if (isUnavailable(error) || (error instanceof AppError && error.code === 'UNAVAILABLE')) throw error;
      if (!(error instanceof AppError)) kit.log.error({ err: error, import: job.import }, 'import failed');
      await kit.database.tenantTx(job.company, (tx) => endImport(tx, job.import, causeOf(error)));
    }
  });
}

function causeOf(error: unknown): { code: string; message: string } {
  const code: ErrorCode = 'INTERNAL_ERROR';
  if (!(error instanceof AppError)) return { code, message: 'Something went wrong on our side' };
  return { code: error.errors[0]?.code ?? error.code, message: error.message };
}

let running = 0;
const waiting: (() => void)[] = [];

async function inTurn(work: () => Promise<void>): Promise<void> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    await work();
  } finally {
    // Whoever waits takes the place over.
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

/** Null when there is nothing to do: it has ended, or is gone. */
async function begin(kit: Kit, { company, import: id }: ImportJob): Promise<ImportWork | null> {
  return kit.database.tenantTx(company, async (tx) => {
    const asked = await lockImport(tx, id);
    if (!asked || asked.finished_at) return null;
    if (asked.status === 'QUEUED') await startImport(tx, id);
    return asked;
  });
}

interface Turn {
  asked: ImportWork;
  take: Taker;
  again(tx: TenantTx): Promise<void>;
}

async function takeRows(kit: Kit, job: ImportJob, { asked, take, again }: Turn): Promise<void> {
  const source = storedSheet(kit.database.read(job.company), asked);
  const total = asked.total ?? (await countRows(source, asked.format));
  if (asked.total === null) await kit.database.tenantTx(job.company, (tx) => setTotal(tx, asked._id, total));
  let done = asked.processed;
  let startedMs: number | null = null;
  for await (const rows of portionsOf(source, asked, done)) {
    startedMs ??= performance.now();
    const processed = done;
    const isLast = processed + rows.length >= total;
    const isOver = performance.now() - startedMs > TURN_MS;
    const stored = await tryAgain(() =>
      kit.database.tenantTx(job.company, async (tx) => {
        const current = await lockImport(tx, asked._id);
        // Another worker took over, or the import is gone.
        if (!current || current.finished_at || current.processed !== processed) return false;
        const { errors, ...counts } = await take(tx, current, rows);
        const room = MAX_ROW_ERRORS - current.row_errors.length;
        const kept = errors.slice(0, Math.max(0, room));
        await addProgress(tx, asked._id, { ...counts, processed: rows.length, errors: kept });
        if (isLast) await endImport(tx, asked._id, null);
        else if (isOver) await again(tx);
        return true;
      }),
    );
    if (!stored || isLast || isOver) return;
    done += rows.length;
  }
  // A header and nothing else.
  await kit.database.tenantTx(job.company, (tx) => endImport(tx, asked._id, null));
}

async function tryAgain<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      // Failure policy: whoever gave way, or had a reference removed under him, looks anew at once; the queue waits longer.
      const gaveWay = databaseProblem(error) !== null || (error instanceof AppError && error.code === 'UNAVAILABLE');
      if (!gaveWay || tries >= TRIES) throw error;
    }
  }
}

/** All of it is read: what is broken at the end is known before the beginning is stored. */
async function countRows(source: SheetSource, format: SheetFormat): Promise<number> {
  let count = -1;
  for await (const _ of readRows(source, format)) {
    count += 1;
    if (count > MAX_SHEET_ROWS) throw sheetFault(`has more than ${MAX_SHEET_ROWS} rows`, 'TOO_MANY_ROWS');
  }
  return count;
}

async function* portionsOf(source: SheetSource, asked: Import, done: number): AsyncGenerator<ImportRow[]> {
  let rows: ImportRow[] = [];
  let left = done;
  for await (const row of readRows(source, asked.format)) {
    if (row.number === 0) continue;
    if (left > 0) left -= 1;
    else rows.push(rowOf(row, asked.columns));
    if (rows.length === PORTION) {
      yield rows;
      rows = [];
    }
  }
  if (rows.length > 0) yield rows;
}

function rowOf({ number, cells }: SheetRow, columns: ImportColumn[]): ImportRow {
  const taken = new Map<string, Cell>();
  for (const [index, { field }] of columns.entries()) {
    const cell = cells[index] ?? null;
    if (field !== null && cell !== null) taken.set(field, cell);
  }
  return { number, cells: taken };
}

/** Its pieces are of one size, but for the last; the last one read is kept, because a zip is read in many small steps. */
function storedSheet(read: TenantRead, { _id, bytes }: ImportWork): SheetSource {
  let kept: { position: number; bytes: Buffer } | null = null;
  const pieceAt = async (position: number): Promise<Buffer> => {
    if (kept?.position === position) return kept.bytes;
    const piece = await findChunk(read, _id, position);
    // Another worker ended the import: this one finds that out when it wants to store something.
    if (!piece) throw new AppError('UNAVAILABLE', 'the sheet of an import is gone');
    kept = { position, bytes: piece.bytes };
    return piece.bytes;
  };
  return {
    bytes,
    async *read(start, end) {
      for (let position = start; position < end;) {
        const piece = await pieceAt(Math.floor(position / PIECE_BYTES));
        const from = position % PIECE_BYTES;
        const part = piece.subarray(from, Math.min(piece.length, from + end - position));
        if (part.length === 0) return;
        position += part.length;
        yield part;
      }
    },
  };
}

export const rowErrors = (row: number, faults: { field: string | null; message: string }[]): RowError[] =>
  faults.map((fault) => ({ row, ...fault }));
