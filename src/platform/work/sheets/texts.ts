/**
 * Reads the shared texts of a workbook, which cells refer to by number. There may be two million texts with half
 * a gigabyte, so only the needed texts are kept, in buffers outside of the heap, whose size is known exactly.
 */
import { fileFault } from '../file-fault.ts';
import { MAX_CELL_BYTES } from './sheet.ts';
import type { Workbook } from './workbook.ts';
import { readXml, type TagHandlers } from './xml.ts';
import { declareLimit } from '../../values/limits.ts';

/** The result for a text that is longer than a cell may be. The result for a blank or missing text is null. */
export const TOO_LONG = Symbol('too long');
export type SharedText = string | typeof TOO_LONG | null;

const PATH = 'xl/sharedStrings.xml';
const MAX_TEXTS = declareLimit(2_000_000, {
  topic: 'Contacts',
  what: 'Sheet: different texts of an XLSX file',
  beyond: 'the sheet is refused',
});
// The most bytes of texts in memory, enough for 100,000 rows with 20 texts of some 50 characters each.
const MAX_HELD_BYTES = declareLimit(128 * 1024 * 1024, {
  topic: 'Contacts',
  what: 'Sheet: all texts of an XLSX file',
  unit: 'bytes',
  beyond: 'the sheet is refused',
});
const BLOCK_BYTES = 4 * 1024 * 1024;

/** A set of numbers below two million, one bit for each. */
export interface BitSet {
  add(number: number): void;
  has(number: number): boolean;
  /** The largest number in the set, or -1. */
  last(): number;
}

export function createBitSet(): BitSet {
  let words = new Uint32Array(256);
  let last = -1;
  return {
    add: (number) => {
      if (number >= MAX_TEXTS) return;
      const word = number >>> 5;
      if (word >= words.length) {
        const larger = new Uint32Array(Math.max(word + 1, words.length * 2));
        larger.set(words);
        words = larger;
      }
      words[word] = (words[word] ?? 0) | (1 << (number & 31));
      last = Math.max(last, number);
    },
    has: (number) => number < MAX_TEXTS && ((words[number >>> 5] ?? 0) & (1 << (number & 31))) !== 0,
    last: () => last,
  };
}

/** Adds the numbers of all shared texts that are not blank to the set. */
export async function findFilledTexts(workbook: Workbook, filled: BitSet): Promise<void> {
  await walkTexts(workbook, Infinity, (number, text) => {
    if (text !== null) filled.add(number);
  });
}

/** Reads all shared texts of a small workbook. */
export async function readTexts(workbook: Workbook): Promise<SharedText[]> {
  const texts: SharedText[] = [];
  await walkTexts(workbook, Infinity, (_, text) => texts.push(text));
  return texts;
}

/**
 * Loads the shared texts with these numbers and returns a function that looks them up. Throws an error about the file when the texts
 * together are too large.
 */
export async function loadTexts(workbook: Workbook, wanted: BitSet): Promise<(number: number) => SharedText> {
  const blocks: Buffer[] = [];
  const count = wanted.last() + 1;
  // `places` holds the position of each text plus one, or 0 for a blank text; `lengths` its length in bytes, or LONG.
  const places = new Float64Array(count);
  const lengths = new Uint16Array(count);
  let end = 0;
  await walkTexts(workbook, count, (number, text) => {
    if (!wanted.has(number) || text === null) return;
    const bytes = text === TOO_LONG ? 0 : Buffer.byteLength(text);
    // A text never spans two blocks.
    if ((end % BLOCK_BYTES) + bytes > BLOCK_BYTES) end += BLOCK_BYTES - (end % BLOCK_BYTES);
    if (end + bytes > MAX_HELD_BYTES) throw fileFault('has more than 128 MB of texts in its columns', 'TOO_LARGE');
    const block = (blocks[Math.floor(end / BLOCK_BYTES)] ??= Buffer.allocUnsafeSlow(BLOCK_BYTES));
    if (text !== TOO_LONG) block.write(text, end % BLOCK_BYTES);
    places[number] = end + 1;
    lengths[number] = text === TOO_LONG ? LONG : bytes;
    end += bytes;
  });
  return (number) => {
    const place = places[number] ?? 0;
    const length = lengths[number] ?? 0;
    if (place === 0) return null;
    if (length === LONG) return TOO_LONG;
    const start = (place - 1) % BLOCK_BYTES;
    return blocks[Math.floor((place - 1) / BLOCK_BYTES)]?.toString('utf8', start, start + length) ?? null;
  };
}

// The length that marks a text as too long. Loaded texts are always shorter than this.
const LONG = 65_535;

/** Calls `take` for each text with a number below `until`. A text that is too long is not kept in memory. */
async function walkTexts(
  workbook: Workbook,
  until: number,
  take: (number: number, text: SharedText) => unknown,
): Promise<void> {
  let number = 0;
  let text = '';
  let bytes = 0;
  let isText = false;
  let isReading = false;
  const handlers: TagHandlers = {
    open(name) {
      if (name === 'si') text = '';
      if (name === 'si') bytes = 0;
      else if (name === 'rPh') isReading = true;
      else if (name === 't') isText = !isReading;
    },
    text(part) {
      if (!isText) return;
      bytes += Buffer.byteLength(part);
      text = bytes > MAX_CELL_BYTES ? '' : text + part;
    },
    close(name) {
      if (name === 't') isText = false;
      else if (name === 'rPh') isReading = false;
      else if (name === 'si') {
        if (number >= MAX_TEXTS) throw fileFault(`has more than ${MAX_TEXTS} different texts`, 'TOO_LARGE');
        if (number < until) take(number, bytes > MAX_CELL_BYTES ? TOO_LONG : decodeText(text));
        number += 1;
      }
    },
  };
  const part = workbook.part(PATH);
  if (!part) return;
  for await (const _ of readXml(part, handlers)) if (number >= until) return;
}

/** Decodes characters that a workbook writes as _x000D_, because XML cannot contain them. Returns null for a blank text. */
export function decodeText(text: string): string | null {
  const plain = text.includes('_x')
    ? text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
    : text;
  if (plain.includes('\0') || !plain.isWellFormed()) throw fileFault('has a character in it that is none');
  return plain.trim() === '' ? null : plain;
}
