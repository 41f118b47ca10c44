/**
 * Parses JSON bodies strictly: valid UTF-8, limits on depth and number of values, no text that PostgreSQL cannot store, no `__proto__`.
 */
import { isUtf8 } from 'node:buffer';
import { AppError, invalid, type FieldError } from '../values/errors.ts';
import { findLostDigits } from '../values/numbers.ts';
import { declareLimit } from '../values/limits.ts';

/** Bodies without a token are small: an e-mail address, a password, a reset token. */
export const PUBLIC_BODY_LIMIT = declareLimit(16 * 1024, {
  topic: 'Requests',
  what: 'JSON body: requests without a token',
  unit: 'bytes',
  beyond: '413',
});

export const MAX_DEPTH = declareLimit(20, { topic: 'Requests', what: 'JSON body: levels', beyond: '400' });
const MAX_KEYS = declareLimit(1_000, {
  topic: 'Requests',
  what: 'JSON body: properties of one object',
  beyond: '400',
});
// The most values in a body. Validation reports errors for each value, which costs more than parsing: a megabyte of small values would
// block the process.
const MAX_VALUES = declareLimit(10_000, { topic: 'Requests', what: 'JSON body: values', beyond: '400' });

function makeMalformedError(detail: string, path?: string): AppError {
  const errors: FieldError[] = path === undefined ? [] : [{ path: path || 'body', code: 'MALFORMED', message: detail }];
  return new AppError('MALFORMED_BODY', detail, errors);
}

/** Parses a JSON body. An empty body is undefined, so that routes without a body accept any content type. */
export function parseJson(raw: Buffer): unknown {
  if (raw.length === 0) return undefined;
  if (!isUtf8(raw)) throw makeMalformedError('The body is not UTF-8');
  const text = raw.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // Failure policy: the message of the parser may quote the body, so the caller gets only the place.
    const place = /line \d+ column \d+/.exec((error as Error).message)?.[0];
    throw makeMalformedError(`The body is not JSON${place ? `: see ${place}` : ''}`);
  }
  checkJson(value, '');
  const lost = findLostDigits(text);
  if (lost !== null)
    throw invalid(lost || 'body', 'has more digits than a number can store: send it as text', 'PRECISION');
  return value;
}

/** Refuses parsed JSON that is too large, or has texts that PostgreSQL cannot store. `path` is where it stands in the request. */
export const checkJson = (value: unknown, path: string): void =>
  checkValue(value, { path, depth: 0, budget: { values: MAX_VALUES } });

interface JsonPlace {
  path: string;
  depth: number;
  /** The number of values that the whole body may still have. */
  budget: { values: number };
}

function checkValue(value: unknown, place: JsonPlace): void {
  const { path, depth, budget } = place;
  if ((budget.values -= 1) < 0) throw makeMalformedError(`The body has more than ${MAX_VALUES} values`, path);
  if (typeof value === 'string') checkText(value, path);
  else if (typeof value === 'object' && value !== null) {
    if (depth >= MAX_DEPTH) throw makeMalformedError(`The body is nested deeper than ${MAX_DEPTH}`, path);
    if (Array.isArray(value))
      value.forEach((item, index) => checkValue(item, { path: `${path}[${index}]`, depth: depth + 1, budget }));
    else checkEntries(Object.entries(value), place);
  }
}

function checkEntries(entries: [string, unknown][], { path, depth, budget }: JsonPlace): void {
  if (entries.length > MAX_KEYS) throw makeMalformedError(`An object has more than ${MAX_KEYS} properties`, path);
  for (const [key, item] of entries) {
    const inner = path ? `${path}.${key}` : key;
    if (key === '__proto__') throw makeMalformedError('A property cannot be named __proto__', inner);
    checkText(key, path);
    checkValue(item, { path: inner, depth: depth + 1, budget });
  }
}

/** Refuses a text that PostgreSQL cannot store. */
export function checkText(text: string, path: string): void {
  if (text.includes('\0')) throw makeMalformedError('A text cannot contain the character NUL', path);
  if (!text.isWellFormed()) throw makeMalformedError('A text cannot contain half of a surrogate pair', path);
}

/** Refuses names and values of a query string that PostgreSQL cannot store. */
export function checkQuery(query: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(query)) {
    checkText(name, 'query');
    for (const text of Array.isArray(value) ? value : [value]) if (typeof text === 'string') checkText(text, name);
  }
}

/** Refuses a body for an operation that takes none. An empty object is allowed, because many clients always send one. */
export function refuseSurplus(body: unknown): void {
  if ((body ?? null) === null || JSON.stringify(body) === '{}') return;
  throw new AppError('VALIDATION_FAILED', 'This operation does not accept a body', [
    { path: 'body', code: 'ADDITIONAL_PROPERTIES', message: 'is not expected' },
  ]);
}
