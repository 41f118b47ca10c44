/** What readers of sheets have in common. */
import { setImmediate } from 'node:timers/promises';
import { AppError, invalid } from '../errors.ts';

/** Where a sheet's bytes are: an upload, or its pieces in the database. */
export interface SheetSource {
  bytes: number;
  /** From `start` until before `end`. */
  read(start: number, end: number): AsyncIterable<Buffer>;
}

/** Dates are texts: 2026-11-20, or 2026-11-20T09:30:00. What is empty is null. */
export type Cell = string | number | boolean | null;

/** What is wrong with a row as such: the column of a cell that is too large, or null where the row is. */
export interface RowFault {
  column: number | null;
}

export interface SheetRow {
  /** 0 is the header, 1 the first row after it; rows without any value are counted and left out. */
  number: number;
  cells: Cell[];
  /** Its cells are incomplete. */
  fault?: RowFault;
}

/** Which columns are read; null: all. Of the others it is only known whether they have a value. */
export type WantedColumns = ReadonlySet<number> | null;

export const isWanted = (column: number, wanted: WantedColumns): boolean => wanted === null || wanted.has(column);

/** What stands for a value that is there but not read. */
export const UNREAD = '…';

export const MAX_CELL_BYTES = 32 * 1024;
const MAX_ROW_BYTES = 128 * 1024;
// Wider than any table here; a stray cell at the far right must not make every row as wide.
const MAX_COLUMNS = 500;
// As many as a spreadsheet has, empty ones included: no file may hold its reader up with rows that say nothing.
const MAX_LINES = 1_048_576;

/** Throws when a sheet has more lines than any; 0 is the first. */
export function checkLine(line: number): void {
  if (line >= MAX_LINES) throw sheetFault(`has more than ${MAX_LINES} lines`, 'TOO_MANY_ROWS');
}

// Parsed in one go; the word of the parent, that it is enough, is heard in between.
const STEP_BYTES = 16 * 1024;

/** Pieces in small steps, with a turn of the event loop before each. */
export async function* inSteps(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    for (let start = 0; start < piece.length; start += STEP_BYTES) {
      await setImmediate();
      yield piece.subarray(start, start + STEP_BYTES);
    }
  }
}

/** Collects the cells of one row within its bounds; what goes beyond them is dropped, and noted as the row's fault. */
export interface RowDraft {
  /** Throws when the sheet is wider than any. */
  set(column: number, value: Exclude<Cell, null>): void;
  tooLarge(column: number): void;
  end(number: number): SheetRow;
}

export function draftRow(): RowDraft {
  const cells: Cell[] = [];
  let bytes = 0;
  let fault: RowFault | undefined;
  return {
    set: (column, value) => {
      if (column >= MAX_COLUMNS) throw sheetFault(`has more than ${MAX_COLUMNS} columns`, 'TOO_LARGE');
      bytes += typeof value === 'string' ? Buffer.byteLength(value) : 8;
      if (bytes > MAX_ROW_BYTES) fault ??= { column: null };
      if (fault?.column === null) return;
      while (cells.length < column) cells.push(null);
      cells[column] = value;
    },
    tooLarge: (column) => {
      if (column >= MAX_COLUMNS) throw sheetFault(`has more than ${MAX_COLUMNS} columns`, 'TOO_LARGE');
      fault ??= { column };
    },
    end: (number) => ({ number, cells, ...(fault ? { fault } : {}) }),
  };
}

export const sheetFault = (message: string, code = 'MALFORMED'): AppError => invalid('file', message, code);

/** What a parser throws about a broken file; an error of our own, and a defect of ours, stay what they are. */
export const isBroken = (error: unknown): boolean =>
  !(error instanceof AppError) && !(error instanceof TypeError && !('code' in error));
