/**
 * How large things may be. Sizes are bytes of JSON in UTF-8, because that is how a record is answered and told. What was stored
 * before a bound existed stays readable, and may be changed as long as it does not grow.
 */
import { invalid } from './errors.ts';

/** The typed values of one record together. A page of a hundred such records is what an answer still holds. */
export const MAX_VALUES_BYTES = 64 * 1024;
/** A whole record, as its GET answers it. */
const MAX_RECORD_BYTES = 128 * 1024;

/** What one request is answered with. It is put together in memory, beside those of everybody else who asks at that moment. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
/** The records of a page; the rest is for what stands beside them, such as the table above its rows. */
export const MAX_PAGE_BYTES = MAX_ANSWER_BYTES - MAX_RECORD_BYTES;

const countBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

interface Size {
  /** What the record held before; absent of a new one. */
  before?: unknown;
  after: unknown;
  most: number;
}

/** What is wrong with the size of a change, or null. A change that does not enlarge what was too large already is welcome. */
export function findSizeFault({ before, after, most }: Size): string | null {
  const bytes = countBytes(after);
  if (bytes <= most || (before !== undefined && bytes <= countBytes(before))) return null;
  return `is larger than ${most / 1024} kB: ${bytes} bytes of JSON`;
}

/** Throws VALIDATION_FAILED naming `path`. */
export function expectSize(path: string, size: Size): void {
  const fault = findSizeFault(size);
  if (fault !== null) throw invalid(path, fault, 'TOO_LARGE');
}

/** What a record can grow by: its other fields have small bounds of their own. */
interface Growing {
  custom_fields?: unknown;
  tags?: unknown;
  columns?: unknown;
  options?: unknown;
}

const growingParts = ({ custom_fields, tags, columns, options }: Growing) => [custom_fields, tags, columns, options];

/**
 * Throws VALIDATION_FAILED naming `path` where the record, as it will be answered, is too large. A record that was too large already may
 * still be changed, as long as these parts do not grow.
 */
export function expectRecordSize<R extends Growing>(path: keyof Growing, record: R, before?: Growing): R {
  const fault = findSizeFault({ after: record, most: MAX_RECORD_BYTES });
  if (fault === null) return record;
  if (before && countBytes(growingParts(record)) <= countBytes(growingParts(before))) return record;
  throw invalid(path, `makes a record that ${fault}`, 'TOO_LARGE');
}
