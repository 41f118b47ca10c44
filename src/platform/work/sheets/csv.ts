/** Reads and writes CSV: comma, semicolon or tab, or the delimiter that a first line such as `sep=;` names; quotes as in RFC 4180. */
import type { ByteSource } from '../../store/byte-source.ts';
import { cutRows } from './csv-rows.ts';
import { decodeSheet } from './encoding.ts';
import type { Cell, SheetRow, WantedColumns } from './sheet.ts';

// The number of characters from which the delimiter is guessed.
const SAMPLE_LETTERS = 64 * 1024;

export async function* readCsv(source: ByteSource, wanted: WantedColumns): AsyncGenerator<SheetRow> {
  const texts = decodeSheet(source);
  try {
    const first = await readSample(texts);
    const { delimiter, rest } = readDelimiter(first);
    const cutter = cutRows(delimiter, wanted, parseCsvCell);
    yield* cutter.take(rest);
    for await (const text of texts) yield* cutter.take(text);
    yield* cutter.end();
  } finally {
    await texts.return(undefined);
  }
}

async function readSample(texts: AsyncGenerator<string>): Promise<string> {
  let sample = '';
  while (sample.length < SAMPLE_LETTERS) {
    const { value, done } = await texts.next();
    if (done) break;
    sample += value;
  }
  return sample;
}

/** The first line of a sheet for Excel may name the delimiter. Excel does not show this line, and does not count it. */
const NAMED_DELIMITER = /^"?sep=([^\w"\r\n])"?(?:\r\n|\n|\r|$)/i;

function readDelimiter(sample: string): { delimiter: string; rest: string } {
  const [line = '', delimiter] = NAMED_DELIMITER.exec(sample) ?? [];
  return { delimiter: delimiter ?? guessDelimiter(sample), rest: sample.slice(line.length) };
}

/** Guesses the delimiter: the one that occurs most often in the first row, outside of quotes. */
function guessDelimiter(sample: string): string {
  const [row = ''] = sample
    .replaceAll(/"[^"]*"/g, '')
    .trimStart()
    .split(/\r?\n|\r/, 1);
  const counts = [',', ';', '\t'].map((mark) => ({ mark, count: row.split(mark).length }));
  return counts.toSorted((a, b) => b.count - a.count)[0]?.mark ?? ',';
}

// Matches texts that a spreadsheet program would run as a formula or a command (see OWASP, CSV injection).
const FORMULA = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
// Matches numbers such as -5, +5511987654321 and 1,5e3, which are harmless and need no apostrophe, though they begin like a formula.
const PLAIN_NUMBER = /^[+-]?\d+([.,]\d+)?(e[+-]?\d+)?$/i;

/**
 * Converts a text to a cell. Removes the apostrophe that csvLine() puts before formulas, so that an exported file can be imported
 * unchanged.
 */
function parseCsvCell(text: string): Cell {
  const plain = text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text;
  return plain.trim() === '' ? null : plain;
}

/** Formats one line of a CSV. A text that a spreadsheet program would run as a formula gets an apostrophe before it. */
export function csvLine(cells: Cell[]): string {
  return `${cells.map(formatCsvCell).join(',')}\r\n`;
}

function formatCsvCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  const text = FORMULA.test(cell) && !PLAIN_NUMBER.test(cell) ? `'${cell}` : cell;
  return /["\r\n,;\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
