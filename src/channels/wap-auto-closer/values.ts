/**
 * Total readers for JSON that a network sends: each takes anything, never throws, and answers null for what it cannot
 * use. Every string that leaves here can be stored: PostgreSQL refuses NUL in text and lone surrogates in jsonb.
 */
export type Json = Record<string, unknown>;

/** Deeper than any real notification; without a bound a hostile nesting would exhaust the stack here or in the store. */
const MAX_DEPTH = 32;
/** Network ids are below 200 characters; an index entry of PostgreSQL holds at most about 2,700 bytes. */
const MAX_IDENTIFIER = 512;
/** Names of people and files: enough for any real one, and short enough for an index. */
const MAX_LABEL = 256;
/** Numbers from here on are milliseconds: as seconds they would be the year 5138, as milliseconds they are 1973. */
const FIRST_MILLISECONDS = 1e11;
/** The network did not exist before 2009; anything outside 2009–2100 is not a time but an accident. */
const EARLIEST_MS = Date.UTC(2009, 0, 1);
const LATEST_MS = Date.UTC(2100, 0, 1);

export function record(value: unknown): Json | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null;
}

/** The elements of an optional list. */
export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function storableText(value: string): string {
  const whole = value.isWellFormed() ? value : value.toWellFormed();
  return whole.includes('\0') ? whole.replaceAll('\0', '\ufffd') : whole;
}

/** Text as it was written; a number is accepted where text belongs. */
export function text(value: unknown): string | null {
  if (typeof value === 'string') return storableText(value);
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : null;
}

/** A short name for display: trimmed, cut, null when empty. */
export function label(value: unknown): string | null {
  const trimmed = text(value)?.trim().slice(0, MAX_LABEL).toWellFormed();
  return trimmed ? trimmed : null;
}

/** An id. A number beyond 2^53 has lost digits and would name something else, so it is refused. */
export function identifier(value: unknown): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? String(value) : null;
  if (typeof value !== 'string' || value.length > MAX_IDENTIFIER) return null;
  const trimmed = storableText(value).trim();
  return trimmed === '' ? null : trimmed;
}

/** A finite number, also when it is written as text. */
export function quantity(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

export function flag(value: unknown): boolean {
  return value === true || value === 'true';
}

/** A moment given in seconds or milliseconds, as number or text. */
export function instant(value: unknown): Date | null {
  const number = quantity(value);
  if (number === null) return null;
  const ms = Math.trunc(number >= FIRST_MILLISECONDS ? number : number * 1000);
  return ms >= EARLIEST_MS && ms < LATEST_MS ? new Date(ms) : null;
}

/** A copy of a JSON value that can be stored; what lies deeper than the bound becomes null. */
export function storable(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return storableText(value);
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null || depth >= MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((item) => storable(item, depth + 1));
  // fromEntries defines properties, so that a key called __proto__ stays data.
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [storableText(key), storable(item, depth + 1)]));
}
