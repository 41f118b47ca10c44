/** Types and limits that the readers of CSV and XLSX share. */
import { setImmediate } from 'node:timers/promises';
import { fileFault } from '../file-fault.ts';
import { declareLimit } from '../../values/limits.ts';

/** The value of a cell. Dates are texts such as 2026-11-20 or 2026-11-20T09:30:00; an empty cell is null. */
export type Cell = string | number | boolean | null;

/** The fault of a row that is too large: the column of the cell that is too large, or null when the whole row is. */
export interface RowFault {
  column: number | null;
}

export interface SheetRow {
  /** The number of the row: 0 is the header, 1 the first row after it. Rows without any value are counted but not returned. */
  number: number;
  /** The number by which a spreadsheet program shows the row: from 1, with the header and the rows above it. */
  line: number;
  cells: Cell[];
  /** Present when cells of the row are missing because they are too large. */
  fault?: RowFault;
}

/** The columns whose values are read; null for all. Of a cell in any other column the readers only find out whether it has a value. */
export type WantedColumns = ReadonlySet<number> | null;

export const isWanted = (column: number, wanted: WantedColumns): boolean => wanted === null || wanted.has(column);

/** The placeholder for a value that exists but is not read. */
export const UNREAD = '…';

export const MAX_CELL_BYTES = declareLimit(32 * 1024, {
  topic: 'Contacts',
  what: 'Sheet: cell',
  unit: 'bytes',
  beyond: 'an error of the row',
});
const MAX_ROW_BYTES = declareLimit(80 * 1024, {
  topic: 'Contacts',
  what: 'Sheet: row',
  unit: 'bytes',
  beyond: 'an error of the row',
});
// The most columns of a file, more than any table of the platform has. A single cell far to the right must not make every row that long.
const MAX_COLUMNS = declareLimit(500, {
  topic: 'Contacts',
  what: 'Sheet: columns',
  beyond: 'the sheet is refused',
});
// The most lines of a file: the limit of Excel, including empty rows, so that a file cannot keep its reader busy with empty rows.
const MAX_LINES = declareLimit(1_048_576, {
  topic: 'Contacts',
  what: 'Sheet: lines, including empty ones',
  beyond: 'the sheet is refused',
});

/** Throws when a file has too many lines. The first line is 0. */
export function checkLineNumber(line: number): void {
  if (line >= MAX_LINES) throw fileFault(`has more than ${MAX_LINES} lines`, 'TOO_MANY_ROWS');
}

// The number of bytes that are parsed without a pause. Between two steps the child process can receive messages from its parent.
const STEP_BYTES = 16 * 1024;

/** Splits pieces into small steps, with a turn of the event loop before each. */
export async function* splitIntoSteps(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    for (let start = 0; start < piece.length; start += STEP_BYTES) {
      await setImmediate();
      yield piece.subarray(start, start + STEP_BYTES);
    }
  }
}

/** Collects the cells of one row. Values beyond the size limits are dropped and recorded as the fault of the row. */
export interface RowDraft {
  /** Sets a cell. Throws when the file has too many columns. */
  set(column: number, value: Exclude<Cell, null>): void;
  tooLarge(column: number): void;
  end(number: number): SheetRow;
}

export function createRowDraft(): RowDraft {
  const cells: Cell[] = [];
  let bytes = 0;
  let fault: RowFault | undefined;
  return {
    set: (column, value) => {
      if (column >= MAX_COLUMNS) throw fileFault(`has more than ${MAX_COLUMNS} columns`, 'TOO_LARGE');
      bytes += typeof value === 'string' ? Buffer.byteLength(value) : 8;
      if (bytes > MAX_ROW_BYTES) fault ??= { column: null };
      if (fault?.column === null) return;
      while (cells.length < column) cells.push(null);
      cells[column] = value;
    },
    tooLarge: (column) => {
      if (column >= MAX_COLUMNS) throw fileFault(`has more than ${MAX_COLUMNS} columns`, 'TOO_LARGE');
      fault ??= { column };
    },
    end: (number) => ({ number, line: number + 1, cells, ...(fault ? { fault } : {}) }),
  };
}
