/** CSV: UTF-8 with or without a byte order mark; comma, semicolon or tab; quotes as in RFC 4180. */
import { parse } from 'csv-parse';
import { Readable } from 'node:stream';
import { inSteps, sheetFault, type Cell, type SheetRow, type SheetSource } from './sheet.ts';

// A row is held as a whole; a quote that is never closed would make the rest of the file one.
const MAX_ROW_LETTERS = 1024 * 1024;
// The first rows, from which the delimiter is guessed.
const SAMPLE_LETTERS = 64 * 1024;

export async function* readCsv(source: SheetSource): AsyncGenerator<SheetRow> {
  const texts = decode(source);
  const first = await nextSample(texts);
  const parser = parse({
    delimiter: delimiterOf(first),
    // Also within one file: an editor changes only the lines that it touches.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    // 5" is how people write five inches.
    relax_quotes: true,
    max_record_size: MAX_ROW_LETTERS,
  });
  const input = Readable.from(withFirst(first, texts), { objectMode: false, encoding: 'utf8' });
  input.on('error', (error) => parser.destroy(error));
  input.pipe(parser);
  let number = 0;
  try {
    for await (const fields of parser as AsyncIterable<string[]>) {
      yield { number, cells: fields.map(readCell) };
      number += 1;
    }
  } catch (error) {
    throw faultOf(error);
  } finally {
    input.destroy();
    parser.destroy();
  }
}

async function* decode(source: SheetSource): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const piece of inSteps(source.read(0, source.bytes))) yield checked(decodeStep(decoder, piece));
  yield checked(decodeStep(decoder, null));
}

function decodeStep(decoder: TextDecoder, piece: Buffer | null): string {
  try {
    return piece === null ? decoder.decode() : decoder.decode(piece, { stream: true });
  } catch {
    // Failure policy: the decoder says only that it can not; the sender has to know what it should be.
    throw sheetFault('is not UTF-8; save it as CSV in UTF-8', 'ENCODING');
  }
}

function checked(text: string): string {
  if (text.includes('\0')) throw sheetFault('has the character NUL in it');
  return text;
}

async function nextSample(texts: AsyncGenerator<string>): Promise<string> {
  let sample = '';
  while (sample.length < SAMPLE_LETTERS) {
    const { value, done } = await texts.next();
    if (done) break;
    sample += value;
  }
  return sample;
}

async function* withFirst(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}

/** Whichever stands most often in the first row, outside of quotes. */
function delimiterOf(sample: string): string {
  const [row = ''] = sample
    .replaceAll(/"[^"]*"/g, '')
    .trimStart()
    .split(/\r?\n|\r/, 1);
  const counts = [',', ';', '\t'].map((mark) => ({ mark, count: row.split(mark).length }));
  return counts.toSorted((a, b) => b.count - a.count)[0]?.mark ?? ',';
}

function faultOf(error: unknown): unknown {
  const { code = '', lines } = (error ?? {}) as { code?: string; lines?: number };
  if (code === 'CSV_MAX_RECORD_SIZE') return sheetFault('has a row of more than a million letters', 'TOO_LARGE');
  if (code.startsWith('CSV_')) return sheetFault(`can not be read as CSV, near line ${lines ?? 1}`);
  return error;
}

// What a spreadsheet would take for a formula or a command when it opens the file: OWASP, CSV injection.
const FORMULA = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
// -5, +5511987654321, 1,5e3: a spreadsheet computes nothing from a number, and an apostrophe would spoil it.
const PLAIN_NUMBER = /^[+-]?\d+([.,]\d+)?(e[+-]?\d+)?$/i;

/** The apostrophe that the writer put before a formula goes again: what was exported comes back as it was. */
function readCell(text: string): Cell {
  const plain = text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text;
  return plain.trim() === '' ? null : plain;
}

/** One line with its end. A text that a spreadsheet would take for a formula gets an apostrophe before it. */
export function csvLine(cells: Cell[]): string {
  return `${cells.map(writeCell).join(',')}\r\n`;
}

function writeCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  const text = FORMULA.test(cell) && !PLAIN_NUMBER.test(cell) ? `'${cell}` : cell;
  return /["\r\n,;\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
