/** The keys of the grid, as people know them from spreadsheets. */
import type { Column } from '@parley/sdk';
import type { ClipboardEvent, KeyboardEvent } from 'react';
import { NUMBER_COLUMN, type Cursor, type Step } from './cursor.ts';
import type { Line, Sheet } from './sheet.ts';
import { parseClipboard, toClipboard, toText, toValue } from './values.ts';

/** As many rows as a key of a page moves by. */
const PAGE_ROWS = 10;
const ALL = Number.MAX_SAFE_INTEGER;

const STEPS = new Map<string, Step>([
  ['ArrowUp', { rows: -1, columns: 0 }],
  ['ArrowDown', { rows: 1, columns: 0 }],
  ['ArrowLeft', { rows: 0, columns: -1 }],
  ['ArrowRight', { rows: 0, columns: 1 }],
  ['PageUp', { rows: -PAGE_ROWS, columns: 0 }],
  ['PageDown', { rows: PAGE_ROWS, columns: 0 }],
  ['Home', { rows: 0, columns: -ALL }],
  ['End', { rows: 0, columns: ALL }],
]);

export interface Scene {
  columns: readonly Column[];
  sheet: Sheet;
  cursor: Cursor;
  /** Whether the person may write into the row. */
  mayWrite(line: Line): boolean;
}

/** Returns where a key leads; null when it leads nowhere inside of the grid. */
function findStep({ key, ctrlKey, metaKey, shiftKey }: KeyboardEvent, { columns, cursor }: Scene): Step | null {
  const isFar = ctrlKey || metaKey;
  if (key === 'Tab') {
    const next = cursor.place.column + (shiftKey ? -1 : 1);
    // At the end of a row Tab leaves the grid, so that nobody is kept in it.
    return next > NUMBER_COLUMN && next < columns.length ? { rows: 0, columns: shiftKey ? -1 : 1 } : null;
  }
  const step = STEPS.get(key);
  if (!step || !isFar) return step ?? null;
  if (key === 'Home' || key === 'End') return { rows: key === 'Home' ? -ALL : ALL, columns: step.columns };
  return { rows: step.rows * ALL, columns: step.columns * ALL };
}

export function pressKey(event: KeyboardEvent, scene: Scene): void {
  const { columns, sheet, cursor, mayWrite } = scene;
  const step = findStep(event, scene);
  const line = sheet.lines[cursor.index];
  if (step) {
    event.preventDefault();
    cursor.step(step);
    return;
  }
  const column = columns[cursor.place.column];
  if (!line || !column) return;
  if (event.key === 'Escape') sheet.takeBack(line._id, column.key);
  if (mayWrite(line) && changeCell(event, { line, column, scene })) event.preventDefault();
}

/** Returns whether the key changes the cell. */
function changeCell(
  { key, ctrlKey, metaKey, altKey }: KeyboardEvent,
  { line, column, scene: { sheet, cursor } }: { line: Line; column: Column; scene: Scene },
): boolean {
  if (ctrlKey || metaKey || altKey) return false;
  const { value } = sheet.read(line, column.key);
  if (key === 'Enter' || key === 'F2') cursor.edit();
  else if (key === 'Delete' || key === 'Backspace') {
    if (value !== null) sheet.write(line, { [column.key]: null });
  } else if (key === ' ' && column.type === 'BOOLEAN') sheet.write(line, { [column.key]: value !== true });
  else if (key.length === 1) cursor.edit(key);
  else return false;
  return true;
}

export function copyCell(event: ClipboardEvent, { columns, sheet, cursor }: Scene): void {
  const line = sheet.lines[cursor.index];
  const column = columns[cursor.place.column];
  if (!line || !column || cursor.change) return;
  event.preventDefault();
  event.clipboardData.setData('text/plain', toClipboard(toText(column, sheet.read(line, column.key).value)));
}

/** Writes what was copied from here or from a spreadsheet, from the cell to the right and downwards. */
export function pasteCells(event: ClipboardEvent, { columns, sheet, cursor, mayWrite }: Scene): void {
  if (cursor.change || cursor.place.column === NUMBER_COLUMN) return;
  event.preventDefault();
  for (const [row, texts] of parseClipboard(event.clipboardData.getData('text/plain')).entries()) {
    const line = sheet.lines[cursor.index + row];
    if (!line || !mayWrite(line)) continue;
    const cells = texts.flatMap((text, place) => {
      const column = columns[cursor.place.column + place];
      return column ? [[column.key, toValue(column, text)] as const] : [];
    });
    sheet.write(line, Object.fromEntries(cells));
  }
}
