/** Reads the first sheet of a workbook (ECMA-376) as a stream of rows. */
import type { ByteSource } from '../../store/byte-source.ts';
import { fileFault } from '../file-fault.ts';
import { isPrecise } from '../../values/numbers.ts';
import { readWorkbookParts, type WorkbookParts } from './parts.ts';
import {
  checkLineNumber,
  createRowDraft,
  isWanted,
  MAX_CELL_BYTES,
  UNREAD,
  type Cell,
  type RowDraft,
  type SheetRow,
  type WantedColumns,
} from './sheet.ts';
import { decodeText, TOO_LONG, type SharedText } from './texts.ts';
import { openWorkbook, type Workbook } from './workbook.ts';
import { readXml } from './xml.ts';

// Excel's last column is XFD.
const LAST_COLUMN = 16_384;

/** Looks up the value of a cell in this column that refers to the shared text with this number. */
export type TextLookup = (number: number, column: number) => SharedText;

/** Reads the rows of a workbook. `prepare` reads the shared texts before the rows are read. */
export async function* readXlsx(
  source: ByteSource,
  wanted: WantedColumns,
  prepare: (workbook: Workbook) => Promise<TextLookup>,
): AsyncGenerator<SheetRow> {
  const workbook = await openWorkbook(source);
  try {
    const parts = await readWorkbookParts(workbook);
    const lookUp = await prepare(workbook);
    const sheet = workbook.part(parts.sheetPath);
    if (!sheet) throw fileFault('is a workbook without a sheet', 'NOT_A_SHEET');
    const { handlers, take } = collectRows({ ...parts, wanted, lookUp });
    for await (const _ of readXml(sheet, handlers)) yield* take();
  } finally {
    workbook.close();
  }
}

interface XlsxReading extends WorkbookParts {
  wanted: WantedColumns;
  lookUp: TextLookup;
}

interface OpenCell {
  column: number;
  type: string;
  style: number;
  text: string;
  bytes: number;
}

function appendCellText(cell: OpenCell, text: string): void {
  cell.bytes += Buffer.byteLength(text);
  cell.text = cell.bytes > MAX_CELL_BYTES ? '' : cell.text + text;
}

/** Adds a cell to the row and returns the row. A row is null until it has a cell with a value. */
function addCellToRow(draft: RowDraft | null, cell: OpenCell, reading: XlsxReading): RowDraft | null {
  const value = readCellValue(cell, reading);
  if (value === null) return draft;
  const begun = draft ?? createRowDraft();
  if (value === TOO_LONG) begun.tooLarge(cell.column);
  else begun.set(cell.column, value);
  return begun;
}

function collectRows(reading: XlsxReading) {
  let rows: SheetRow[] = [];
  let number = -1;
  let draft: RowDraft | null = null;
  let nextColumn = 0;
  let cell: OpenCell | null = null;
  // `isValue` is true inside <v> or <t>. Phonetic readings of Japanese texts (<rPh>) repeat the text and are skipped.
  let isValue = false;
  let isReading = false;
  const openRow = (reference: string | undefined): void => {
    const given = Number(reference) - 1;
    number = Number.isSafeInteger(given) && given > number ? given : number + 1;
    checkLineNumber(number);
    draft = null;
    nextColumn = 0;
  };
  return {
    take(): SheetRow[] {
      const taken = rows;
      rows = [];
      return taken;
    },
    handlers: {
      open(name: string, attributes: Record<string, string>): void {
        if (name === 'row') openRow(attributes['r']);
        else if (name === 'c') {
          const column = parseColumn(attributes['r']) ?? nextColumn;
          nextColumn = column + 1;
          cell = { column, type: attributes['t'] ?? 'n', style: Number(attributes['s'] ?? 0), text: '', bytes: 0 };
        } else if (name === 'rPh') isReading = true;
        else if ((name === 'v' || name === 't') && cell && !isReading) isValue = true;
      },
      text(text: string): void {
        if (isValue && cell) appendCellText(cell, text);
      },
      close(name: string): void {
        if (name === 'v' || name === 't') isValue = false;
        else if (name === 'rPh') isReading = false;
        else if (name === 'c' && cell) {
          draft = addCellToRow(draft, cell, reading);
          cell = null;
        } else if (name === 'row' && draft) {
          rows.push(draft.end(number));
          draft = null;
        }
      },
    },
  };
}

/** Converts a reference such as B7 to its column number, here 1; undefined when the cell has no reference. */
function parseColumn(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0];
  if (letters === undefined) return undefined;
  const column = letters.split('').reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
  if (column > LAST_COLUMN) throw fileFault('has a cell beyond the last column');
  return column - 1;
}

function readCellValue({ column, type, style, text, bytes }: OpenCell, reading: XlsxReading): Cell | typeof TOO_LONG {
  if (bytes > MAX_CELL_BYTES) return TOO_LONG;
  if (text.trim() === '') return null;
  if (type === 's') return /^\s*\d{1,9}\s*$/.test(text) ? reading.lookUp(Number(text), column) : null;
  if (type === 'str' || type === 'inlineStr') {
    const plain = decodeText(text);
    return plain === null || isWanted(column, reading.wanted) ? plain : UNREAD;
  }
  if (type === 'd') return text;
  if (type === 'b') return text === '1';
  // The cell holds an error value such as #N/A, the result of a formula without a value.
  if (type === 'e') return null;
  const number = Number(text);
  if (!Number.isFinite(number)) throw fileFault('has a number in it that is none');
  if (reading.dateStyles.has(style)) return toDateCell(number, reading.from1904);
  return isPrecise(text) ? number : roundNumber(text.trim(), number);
}

/**
 * Converts a number with more digits than a spreadsheet shows. A fraction is rounded, because its last digits come
 * from rounding errors (0.30000000000000004). A whole number may be an id, so it is kept as text with all its digits.
 */
const roundNumber = (text: string, number: number): Cell =>
  Number.isInteger(number) ? text : Number(number.toPrecision(15));

const DAY_MS = 86_400_000;
// Day 0 of the two date systems. The system from 1900 contains a 29 February 1900, which never existed, so its dates are right only from
// March 1900 on.
const START_1900 = Date.UTC(1899, 11, 30);
const START_1904 = Date.UTC(1904, 0, 1);
// The number of the day 31 December 9999.
const LAST_DAY = 2_958_465;

function toDateCell(days: number, from1904: boolean): Cell {
  if (days < 0 || days > LAST_DAY) return days;
  const seconds = Math.round(((from1904 ? START_1904 : START_1900) + days * DAY_MS) / 1000);
  const text = new Date(seconds * 1000).toISOString();
  return Number.isInteger(days) ? text.slice(0, 10) : text.slice(0, 19);
}
