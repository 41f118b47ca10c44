/** The first sheet of a workbook (ECMA-376), as a stream of rows. */
import { sheetFault, type Cell, type SheetRow, type SheetSource } from './sheet.ts';
import { readParts, type Parts } from './parts.ts';
import { openWorkbook } from './workbook.ts';
import { readXml } from './xml.ts';

// Excel's last column is XFD.
const LAST_COLUMN = 16_384;

export async function* readXlsx(source: SheetSource): AsyncGenerator<SheetRow> {
  const workbook = await openWorkbook(source);
  try {
    const parts = await readParts(workbook);
    const sheet = workbook.part(parts.sheetPath);
    if (!sheet) throw sheetFault('is a workbook without a sheet', 'NOT_A_SHEET');
    const { handlers, take } = collectRows(parts);
    for await (const _ of readXml(sheet, handlers)) yield* take();
  } finally {
    workbook.close();
  }
}

interface OpenCell {
  column: number;
  type: string;
  style: number;
  text: string;
}

function collectRows(parts: Parts) {
  let rows: SheetRow[] = [];
  let number = -1;
  let cells: Cell[] = [];
  let cell: OpenCell | null = null;
  // Inside <v> or <t>; the readings of Japanese writing (<rPh>) repeat what stands beside them.
  let isValue = false;
  let isReading = false;
  return {
    take(): SheetRow[] {
      const taken = rows;
      rows = [];
      return taken;
    },
    handlers: {
      open(name: string, attributes: Record<string, string>): void {
        if (name === 'row') {
          const given = Number(attributes['r']) - 1;
          number = Number.isSafeInteger(given) && given > number ? given : number + 1;
          cells = [];
        } else if (name === 'c') {
          const column = columnOf(attributes['r']) ?? cells.length;
          cell = { column, type: attributes['t'] ?? 'n', style: Number(attributes['s'] ?? 0), text: '' };
        } else if (name === 'rPh') isReading = true;
        else if ((name === 'v' || name === 't') && cell && !isReading) isValue = true;
      },
      text(text: string): void {
        if (isValue && cell) cell.text += text;
      },
      close(name: string): void {
        if (name === 'v' || name === 't') isValue = false;
        else if (name === 'rPh') isReading = false;
        else if (name === 'c' && cell) {
          const value = valueOf(cell, parts);
          if (value !== null) setCell(cells, cell.column, value);
          cell = null;
        } else if (name === 'row' && cells.length > 0) rows.push({ number, cells });
      },
    },
  };
}

function setCell(cells: Cell[], column: number, value: Cell): void {
  while (cells.length < column) cells.push(null);
  cells[column] = value;
}

/** B7 → 1; undefined where the cell does not say where it is. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0];
  if (letters === undefined) return undefined;
  const column = letters.split('').reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
  if (column > LAST_COLUMN) throw sheetFault('has a cell beyond the last column');
  return column - 1;
}

function valueOf({ type, style, text }: OpenCell, { texts, dateStyles, from1904 }: Parts): Cell {
  if (text.trim() === '') return null;
  if (type === 's') return cleaned(texts[Number(text)] ?? '');
  if (type === 'str' || type === 'inlineStr') return cleaned(text);
  if (type === 'd') return text;
  if (type === 'b') return text === '1';
  // #N/A and its kind: a formula without a value.
  if (type === 'e') return null;
  const number = Number(text);
  if (!Number.isFinite(number)) throw sheetFault('has a number in it that is none');
  return dateStyles.has(style) ? dateOf(number, from1904) : number;
}

/** _x000D_ is how a workbook writes a character that XML can not. */
function cleaned(text: string): Cell {
  const plain = text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  if (plain.includes('\0') || !plain.isWellFormed()) throw sheetFault('has a character in it that is none');
  return plain.trim() === '' ? null : plain;
}

const DAY_MS = 86_400_000;
// Day 0 of the two calendars. The first believes in a 29 February 1900, so its days are right from March 1900 on.
const START_1900 = Date.UTC(1899, 11, 30);
const START_1904 = Date.UTC(1904, 0, 1);
// The end of 9999.
const LAST_DAY = 2_958_465;

function dateOf(days: number, from1904: boolean): Cell {
  if (days < 0 || days > LAST_DAY) return days;
  const seconds = Math.round(((from1904 ? START_1904 : START_1900) + days * DAY_MS) / 1000);
  const text = new Date(seconds * 1000).toISOString();
  return Number.isInteger(days) ? text.slice(0, 10) : text.slice(0, 19);
}
