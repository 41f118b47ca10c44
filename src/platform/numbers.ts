/** Numbers as text: JSON, sheets and filters write them, and a double holds only the first digits of a long one. */

// A double holds every decimal of fifteen digits; of sixteen only some, which then read as others.
const MAX_DIGITS = 15;
export const NUMBER_WANTED = `must be a number of at most ${MAX_DIGITS} significant digits`;

/** The digits of a number's writing that say which number it is: 12.30e5 and 0.00123 have the same. */
const significantDigits = (text: string): string =>
  text
    .replace(/e.*$/i, '')
    .replaceAll(/\D/g, '')
    .replace(/^0+|0+$/g, '');

/** True of a number, or its writing, that every reader of JSON reads as the same one. */
export const isPrecise = (number: number | string): boolean => significantDigits(String(number)).length <= MAX_DIGITS;

// Where a literal of so many characters stands outside of a text; a shorter one is always kept.
const LONG_LITERAL = /(?:^|[:[,\s])-?\d[\d.]{15}/;

interface Literal {
  source?: string;
}

/** The path of the first number in a JSON text of which digits would be lost by reading it, as `a.b[0]`; null: there is none. */
export function findLostDigits(json: string): string | null {
  if (!LONG_LITERAL.test(json)) return null;
  const lost: object = {};
  // The parser tells the writing of each number beside it.
  const mark = (_key: string, read: unknown, ...[literal]: Literal[]): unknown =>
    typeof read === 'number' && significantDigits(literal?.source ?? '') !== significantDigits(String(read))
      ? lost
      : read;
  const value: unknown = JSON.parse(json, mark);
  return findPath(value, lost, '');
}

function findPath(value: unknown, wanted: object, path: string): string | null {
  if (value === wanted) return path;
  if (typeof value !== 'object' || value === null) return null;
  const isList = Array.isArray(value);
  for (const [key, item] of Object.entries(value)) {
    const inner = isList ? `${path}[${key}]` : path ? `${path}.${key}` : key;
    const found = findPath(item, wanted, inner);
    if (found !== null) return found;
  }
  return null;
}
