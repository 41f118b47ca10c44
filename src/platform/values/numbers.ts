/** Checks that numbers written as text keep all their digits, because JavaScript numbers hold only about 15 of them. */
import { declareLimit } from './limits.ts';

// The most digits of a number: a double can represent every decimal number of 15 digits, but not every one of 16.
const MAX_DIGITS = declareLimit(15, { topic: 'Records', what: 'Number: significant digits', beyond: '400' });
export const NUMBER_WANTED = `must be a number of at most ${MAX_DIGITS} significant digits`;

/** Returns the digits of a number without leading and trailing zeros, point and exponent: both 12.30e5 and 0.00123 give 123. */
const significantDigits = (text: string): string =>
  text
    .replace(/e.*$/i, '')
    .replaceAll(/\D/g, '')
    .replace(/^0+|0+$/g, '');

/** Returns true for a number that every JSON parser reads without loss of digits. */
export const isPrecise = (number: number | string): boolean => significantDigits(String(number)).length <= MAX_DIGITS;

// Matches a number of at least 16 characters outside of a string; a shorter one never loses digits.
const LONG_LITERAL = /(?:^|[:[,\s])-?\d[\d.]{15}/;

interface NumberLiteral {
  source?: string;
}

/** Returns the path (such as `a.b[0]`) of the first number in a JSON text that would lose digits when parsed; null when there is none. */
export function findLostDigits(json: string): string | null {
  if (!LONG_LITERAL.test(json)) return null;
  const lost: object = {};
  // JSON.parse passes the source text of each number to this function.
  const mark = (_key: string, read: unknown, ...[literal]: NumberLiteral[]): unknown =>
    typeof read === 'number' && significantDigits(literal?.source ?? '') !== significantDigits(String(read))
      ? lost
      : read;
  const value: unknown = JSON.parse(json, mark);
  return findPathOfValue(value, lost, '');
}

function findPathOfValue(value: unknown, wanted: object, path: string): string | null {
  if (value === wanted) return path;
  if (typeof value !== 'object' || value === null) return null;
  const isList = Array.isArray(value);
  for (const [key, item] of Object.entries(value)) {
    const inner = isList ? `${path}[${key}]` : path ? `${path}.${key}` : key;
    const found = findPathOfValue(item, wanted, inner);
    if (found !== null) return found;
  }
  return null;
}
