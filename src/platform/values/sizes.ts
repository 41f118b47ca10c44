/**
 * Limits on the size of records, in bytes of JSON, because records leave the platform as JSON. With them a page of a hundred records fits into
 * 8 MB, and an event into 96 kB.
 */
import { invalid } from './errors.ts';
import { declareLimit } from './limits.ts';

/** The limit for all custom field values of one record, and for the values of a row. */
export const MAX_VALUES_BYTES = declareLimit(48 * 1024, {
  topic: 'Records',
  what: 'Record: its custom values, or the values of a table row',
  unit: 'bytes',
  beyond: '400',
});
/** The limit for a whole record as its GET returns it. */
const MAX_RECORD_BYTES = declareLimit(80 * 1024, { topic: 'Records', what: 'Record', unit: 'bytes', beyond: '400' });
/** What the content of a message may take of its record; its ids, times and names need little. */
export const MAX_CONTENT_BYTES = declareLimit(68 * 1024, {
  topic: 'Messages',
  what: 'Received message: content',
  unit: 'bytes',
  beyond: 'a text is cut; other content becomes UNSUPPORTED',
});

export const countBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Returns what is wrong with the size of a value, or null. */
export function findSizeFault(value: unknown, most: number): string | null {
  const bytes = countBytes(value);
  return bytes <= most ? null : `is larger than ${most / 1024} kB: ${bytes} bytes of JSON`;
}

/** Checks the size of a value. Throws VALIDATION_FAILED with this path when it is too large. */
export function expectSize(path: string, value: unknown, most: number): void {
  const fault = findSizeFault(value, most);
  if (fault !== null) throw invalid(path, fault, 'TOO_LARGE');
}

/**
 * Checks the size of a whole record that a change makes larger. Throws VALIDATION_FAILED with this path, of the field that can make it large.
 * `before` and `after` are what the change replaces: a record that has grown by itself, such as by longer titles of its fields, may still
 * change as long as it does not grow further.
 */
export function expectRecordSize<R>(path: string, record: R, change?: { before: unknown; after: unknown }): R {
  if (change && countBytes(change.after) <= countBytes(change.before)) return record;
  const fault = findSizeFault(record, MAX_RECORD_BYTES);
  if (fault !== null) throw invalid(path, `makes a record that ${fault}`, 'TOO_LARGE');
  return record;
}
