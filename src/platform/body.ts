/** Reads JSON the strict way: valid UTF-8, bounded depth, nothing that PostgreSQL could not store or a prototype could hide. */
import { isUtf8 } from 'node:buffer';
import { AppError, type FieldError } from './errors.ts';

export const MAX_DEPTH = 20;

function malformed(detail: string, path?: string): AppError {
  const errors: FieldError[] = path === undefined ? [] : [{ path: path || 'body', code: 'MALFORMED', message: detail }];
  return new AppError('MALFORMED_BODY', detail, errors);
}

/** The value of a JSON body. An empty body is undefined: a route without a body does not mind the content type. */
export function parseJson(raw: Buffer): unknown {
  if (raw.length === 0) return undefined;
  if (!isUtf8(raw)) throw malformed('The body is not UTF-8');
  let value: unknown;
  try {
    value = JSON.parse(raw.toString('utf8'));
  } catch {
    // Failure policy: the parser's own words may quote the body; the caller learns only that it is not JSON.
    throw malformed('The body is not JSON');
  }
  checkValue(value, '', 0);
  return value;
}

function checkValue(value: unknown, path: string, depth: number): void {
  if (typeof value === 'string') checkText(value, path);
  else if (typeof value === 'object' && value !== null) {
    if (depth >= MAX_DEPTH) throw malformed(`The body is nested deeper than ${MAX_DEPTH}`, path);
    if (Array.isArray(value)) value.forEach((item, index) => checkValue(item, `${path}[${index}]`, depth + 1));
    else for (const [key, item] of Object.entries(value)) checkEntry(key, item, path, depth);
  }
}

function checkEntry(key: string, item: unknown, path: string, depth: number): void {
  const inner = path ? `${path}.${key}` : key;
  if (key === '__proto__') throw malformed('A property may not be called __proto__', inner);
  checkText(key, path);
  checkValue(item, inner, depth + 1);
}

/** Refuses what a text column can not hold. */
export function checkText(text: string, path: string): void {
  if (text.includes('\0')) throw malformed('A text may not contain the character NUL', path);
  if (!text.isWellFormed()) throw malformed('A text may not contain half of a surrogate pair', path);
}
