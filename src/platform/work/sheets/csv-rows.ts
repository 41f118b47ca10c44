/**
 * Splits the text of a CSV into rows (RFC 4180 and common deviations) while the text arrives. Cells and rows have size
 * limits: a cell that is too large is dropped and recorded as the fault of its row, and the next row is read normally.
 */
import { fileFault } from '../file-fault.ts';
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

export interface RowCutter {
  /** Takes the next part of the text and returns the rows that are complete with it. */
  take(text: string): SheetRow[];
  /** Ends the text and returns the last row, which needs no line break after it. */
  end(): SheetRow[];
}

const QUOTE = 34;
const LF = 10;
const CR = 13;

/**
 * The state of the parser. START: at the beginning of a cell. PLAIN: in a cell without quotes.
 * QUOTED: inside quotes. AFTER: after a quote that ends the cell or is the first of two.
 */
type CutterPlace = 'START' | 'PLAIN' | 'QUOTED' | 'AFTER';

interface CuttingState {
  mark: number;
  wanted: WantedColumns;
  read(text: string): Cell;
  place: CutterPlace;
  line: number;
  column: number;
  cell: string;
  bytes: number;
  /** True while a cell of an unwanted column has only blanks. */
  isBlank: boolean;
  /** True after a carriage return: a line feed directly after it belongs to the same line break. */
  sawReturn: boolean;
  /** The current row; null while it has no value. */
  draft: RowDraft | null;
  rows: SheetRow[];
}

export function cutRows(delimiter: string, wanted: WantedColumns, read: (text: string) => Cell): RowCutter {
  const cutting: CuttingState = {
    mark: delimiter.charCodeAt(0),
    wanted,
    read,
    place: 'START',
    line: 0,
    column: 0,
    cell: '',
    bytes: 0,
    isBlank: true,
    sawReturn: false,
    draft: null,
    rows: [],
  };
  return {
    take: (text) => {
      for (let at = 0; at < text.length;) at = processCharacters(cutting, text, at);
      return cutting.rows.splice(0);
    },
    end: () => {
      const { place, line, column } = cutting;
      if (place === 'QUOTED') throw fileFault(`cannot be read as CSV: a quote in row ${line + 1} is never closed`);
      if (place !== 'START' || column > 0) endRow(cutting);
      return cutting.rows.splice(0);
    },
  };
}

/** Processes one special character, or several ordinary ones in a row. Returns the position of the next character. */
function processCharacters(cutting: CuttingState, text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (cutting.sawReturn) {
    cutting.sawReturn = false;
    if (code === LF) return at + 1;
  }
  if (cutting.place === 'QUOTED') return processQuoted(cutting, text, at);
  if (cutting.place === 'AFTER') {
    if (code !== QUOTE) return endQuotes(cutting, code, at);
    addToCell(cutting, '"');
    cutting.place = 'QUOTED';
    return at + 1;
  }
  if (cutting.place === 'START' && code === QUOTE) {
    cutting.place = 'QUOTED';
    return at + 1;
  }
  if (endAtDelimiter(cutting, code)) return at + 1;
  cutting.place = 'PLAIN';
  const end = findEndOfPlainText(text, at + 1, cutting.mark);
  addToCell(cutting, text.slice(at, end));
  return end;
}

function processQuoted(cutting: CuttingState, text: string, at: number): number {
  const end = text.indexOf('"', at);
  addToCell(cutting, text.slice(at, end === -1 ? text.length : end));
  if (end === -1) return text.length;
  cutting.place = 'AFTER';
  return end + 1;
}

/**
 * Handles the character after a closing quote. When the cell continues, its quotes are part of the text: "a" b is a text with two quotes.
 */
function endQuotes(cutting: CuttingState, code: number, at: number): number {
  if (endAtDelimiter(cutting, code)) return at + 1;
  if (!isCellTooLong(cutting)) cutting.cell = `"${cutting.cell}`;
  addToCell(cutting, '"');
  cutting.place = 'PLAIN';
  return at;
}

/** Ends the cell or the row at a delimiter or a line break; returns false for any other character. */
function endAtDelimiter(cutting: CuttingState, code: number): boolean {
  if (code === cutting.mark) endCell(cutting);
  else if (code === LF || code === CR) {
    cutting.sawReturn = code === CR;
    endRow(cutting);
  } else return false;
  return true;
}

const isCellTooLong = ({ bytes }: CuttingState): boolean => bytes > MAX_CELL_BYTES;

function addToCell(cutting: CuttingState, text: string): void {
  if (isCellTooLong(cutting)) return;
  if (!isWanted(cutting.column, cutting.wanted)) {
    cutting.isBlank &&= text.trim() === '';
    return;
  }
  cutting.bytes += Buffer.byteLength(text);
  cutting.cell = isCellTooLong(cutting) ? '' : cutting.cell + text;
}

function endCell(cutting: CuttingState): void {
  const { column, cell } = cutting;
  if (isCellTooLong(cutting)) (cutting.draft ??= createRowDraft()).tooLarge(column);
  else {
    const value = cutting.isBlank ? cutting.read(cell) : UNREAD;
    if (value !== null) (cutting.draft ??= createRowDraft()).set(column, value);
  }
  cutting.place = 'START';
  cutting.column = column + 1;
  cutting.cell = '';
  cutting.bytes = 0;
  cutting.isBlank = true;
}

function endRow(cutting: CuttingState): void {
  endCell(cutting);
  checkLineNumber(cutting.line);
  if (cutting.draft) cutting.rows.push(cutting.draft.end(cutting.line));
  cutting.draft = null;
  cutting.line += 1;
  cutting.column = 0;
}

function findEndOfPlainText(text: string, from: number, mark: number): number {
  let at = from;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === mark || code === LF || code === CR) break;
  }
  return at;
}
