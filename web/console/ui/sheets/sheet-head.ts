/** Reads the first rows of a sheet in the browser, so that its columns can be seen before it is imported. */
import { readWorkbookRows } from './workbook.ts';

/** The titles of the columns, and the rows below them that are shown as examples. */
export interface SheetHead {
  titles: readonly string[];
  examples: readonly (readonly string[])[];
}

/** The first row has the titles. */
const ROWS = 4;
/** More of a CSV is not needed for its first rows. */
const HEAD_BYTES = 262_144;

/** Returns null for a sheet that this page cannot read; the platform may still. */
export async function readSheetHead(file: File): Promise<SheetHead | null> {
  try {
    const isWorkbook = (await file.slice(0, 2).text()) === 'PK';
    const [titles, ...examples] = isWorkbook ? await readWorkbookRows(file, ROWS) : await readCsvRows(file);
    return titles?.some(Boolean) ? { titles: titles.map((title) => title.trim()), examples } : null;
  } catch {
    // Failure policy: without its head, the sheet is imported with the columns that the platform recognises.
    return null;
  }
}

async function readCsvRows(file: File): Promise<string[][]> {
  const text = decode(await file.slice(0, HEAD_BYTES).arrayBuffer());
  const [named = '', separator] = /^"?sep=([^\w"\r\n])"?(?:\r?\n|$)/i.exec(text) ?? [];
  return parseCsv(text.slice(named.length), separator ?? findSeparator(text));
}

/** Decodes the text as an import does, so that wrong letters are seen before it starts: UTF-8, or else Windows-1252. */
function decode(bytes: ArrayBuffer): string {
  try {
    // The last character may be cut off.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
  } catch {
    // Failure policy: what is not UTF-8 is read as spreadsheet programs save it.
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** Returns whichever of the separators stands most often in the first line. */
function findSeparator(text: string): string {
  const [line = ''] = text.replaceAll(/"[^"]*"/g, '').split('\n', 1);
  const counted = [',', ';', '\t'].map((each) => ({ each, count: line.split(each).length }));
  return counted.toSorted((a, b) => b.count - a.count)[0]?.each ?? ',';
}

function parseCsv(text: string, separator: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let at = 0; at < text.length && rows.length < ROWS; at += 1) {
    const letter = text.charAt(at);
    if (isQuoted) {
      if (letter !== '"') cell += letter;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else isQuoted = false;
    } else if (letter === '"') isQuoted = true;
    else if (letter === separator || letter === '\n') {
      row.push(cell.replace(/\r$/, ''));
      cell = '';
      if (letter === '\n') {
        if (row.some(Boolean)) rows.push(row);
        row = [];
      }
    } else cell += letter;
  }
  if (rows.length < ROWS && (cell || row.length > 0)) rows.push([...row, cell]);
  return rows;
}
