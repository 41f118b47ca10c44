/** Reads and writes CSV: UTF-8 with or without a byte order mark; comma, semicolon or tab; quotes as in RFC 4180. */
import type { ByteSource } from '../../store/byte-source.ts';
import { fileFault } from '../file-fault.ts';
import { cutRows } from './csv-rows.ts';
import { splitIntoSteps, type Cell, type SheetRow, type WantedColumns } from './sheet.ts';

// The number of characters from which the delimiter is guessed.
const SAMPLE_LETTERS = 64 * 1024;

export async function* readCsv(source: ByteSource, wanted: WantedColumns): AsyncGenerator<SheetRow> {
  const texts = decodeUtf8(source);
  try {
    const first = await readSample(texts);
    const cutter = cutRows(guessDelimiter(first), wanted, parseCsvCell);
    yield* cutter.take(first);
    for await (const text of texts) yield* cutter.take(text);
    yield* cutter.end();
  } finally {
    await texts.return(undefined);
  }
}

async function* decodeUtf8(source: ByteSource): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const piece of splitIntoSteps(source.read(0, source.bytes))) yield refuseNul(decodePiece(decoder, piece));
  yield refuseNul(decodePiece(decoder, null));
}

function decodePiece(decoder: TextDecoder, piece: Buffer | null): string {
  try {
    return piece === null ? decoder.decode() : decoder.decode(piece, { stream: true });
  } catch {
    // Failure policy: the decoder's message does not help the caller, so the error says which encoding is expected.
    throw fileFault('is not UTF-8; save it as CSV in UTF-8', 'ENCODING');
  }
}

function refuseNul(text: string): string {
  if (text.includes('\0')) throw fileFault('has the character NUL in it');
  return text;
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
