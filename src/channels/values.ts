/**
 * Readers for JSON that a network sends. Each reader takes any value, never throws, and returns null for a value that it cannot use.
 * PostgreSQL can store every string that they return: it refuses NUL in text, and lone surrogates in jsonb.
 */
import { declareLimit } from '../platform/values/limits.ts';

export type Json = Record<string, unknown>;

/**
 * The deepest nesting that is kept. No real notification is nested this deep; without a limit a hostile one would exhaust the stack here or
 * in the database.
 */
const MAX_DEPTH = 32;
/** The longest id that is accepted. Network ids are below 200 characters; an index entry of PostgreSQL holds at most about 2,700 bytes. */
const MAX_IDENTIFIER = 512;
/** The longest name of a person or file that is stored; it still fits into an index entry. */
const MAX_LABEL = declareLimit(256, {
  topic: 'Messages',
  what: 'Received message: name of a person or file',
  unit: 'characters',
  beyond: 'cut',
});
/** A time of this number or more is in milliseconds: as seconds it would be after the year 5138, as milliseconds it is after 1973. */
const FIRST_MILLISECONDS = 1e11;
/**
 * The earliest and the latest time that are accepted. The network did not exist before 2009, so a time outside of 2009 to 2099 is a mistake
 * and not used.
 */
const EARLIEST_MS = Date.UTC(2009, 0, 1);
const LATEST_MS = Date.UTC(2100, 0, 1);

export function asRecord(value: unknown): Json | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null;
}

/** Returns the elements of an optional list; an empty list for any other value. */
export function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Returns the elements of a list that some servers write as an object by numbers, or as its only element, which has one of these properties.
 */
export function asElements(value: unknown, properties: string[]): Json[] {
  const record = asRecord(value);
  const isElement = record !== null && properties.some((name) => Object.hasOwn(record, name));
  const elements = isElement ? [record] : record ? Object.values(record) : asList(value);
  return elements.map(asRecord).filter((element) => element !== null);
}

function toStorableText(value: string): string {
  const whole = value.isWellFormed() ? value : value.toWellFormed();
  return whole.includes('\0') ? whole.replaceAll('\0', '\ufffd') : whole;
}

/** Reads text and does not change it; a number counts as text. */
export function asText(value: unknown): string | null {
  if (typeof value === 'string') return toStorableText(value);
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : null;
}

/** Reads a name for display: trimmed, cut to its maximal length, and null when empty. */
export function asLabel(value: unknown): string | null {
  const trimmed = asText(value)?.trim().slice(0, MAX_LABEL).toWellFormed();
  return trimmed ? trimmed : null;
}

/** Reads an id. A number beyond 2^53 has lost digits and would be the id of another record, so it is refused. */
export function asIdentifier(value: unknown): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? String(value) : null;
  if (typeof value !== 'string' || value.length > MAX_IDENTIFIER) return null;
  const trimmed = toStorableText(value).trim();
  return trimmed === '' ? null : trimmed;
}

/** Reads a finite number, even when it is written as text. */
export function asNumber(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

export function asBoolean(value: unknown): boolean {
  return value === true || value === 'true';
}

/** Reads a time that is given in seconds or milliseconds, as a number or as text. */
export function asDate(value: unknown): Date | null {
  const number = asNumber(value);
  if (number === null) return null;
  const ms = Math.trunc(number >= FIRST_MILLISECONDS ? number : number * 1000);
  return ms >= EARLIEST_MS && ms < LATEST_MS ? new Date(ms) : null;
}

/** Returns a copy of a JSON value that PostgreSQL can store; values that are nested too deep become null. */
export function toStorable(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return toStorableText(value);
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null || depth >= MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((item) => toStorable(item, depth + 1));
  // Object.fromEntries defines properties, so that a key called __proto__ stays data.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [toStorableText(key), toStorable(item, depth + 1)]),
  );
}

/**
 * Parses the answer to a form (flow), which is JSON inside a string. Failure policy: a string that is not valid JSON is returned as a
 * string.
 */
export function parseResponse(value: unknown): unknown {
  if (typeof value !== 'string') return toStorable(value);
  try {
    return toStorable(JSON.parse(value));
  } catch {
    return toStorable(value);
  }
}
