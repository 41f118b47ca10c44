/**
 * Limits on the size of records and answers, in bytes of JSON, because records leave the platform as JSON. A record that was stored before
 * a limit existed stays readable and may be changed as long as it does not grow.
 */
import { invalid } from './errors.ts';

/** The limit for all custom field values of one record. A page of a hundred such records still fits into one answer. */
export const MAX_VALUES_BYTES = 64 * 1024;
/** The limit for a whole record as its GET returns it. */
const MAX_RECORD_BYTES = 128 * 1024;

/** The limit for one answer, because answers are assembled in memory, many at the same time. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
/** The limit for the records of a page. The rest of the answer is for other values, such as the table that the rows belong to. */
export const MAX_PAGE_BYTES = MAX_ANSWER_BYTES - MAX_RECORD_BYTES;

const countBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

interface SizeChange {
  /** The value before the change; absent for a new record. */
  before?: unknown;
  after: unknown;
  most: number;
}

/**
 * Returns what is wrong with the size of a change, or null. A value that was too large already may be changed as long as it does not grow.
 */
export function findSizeFault({ before, after, most }: SizeChange): string | null {
  const bytes = countBytes(after);
  if (bytes <= most || (before !== undefined && bytes <= countBytes(before))) return null;
  return `is larger than ${most / 1024} kB: ${bytes} bytes of JSON`;
}

/** Checks the size of a change. Throws VALIDATION_FAILED with this path. */
export function expectSizeWithinLimit(path: string, size: SizeChange): void {
  const fault = findSizeFault(size);
  if (fault !== null) throw invalid(path, fault, 'TOO_LARGE');
}

/** The fields that can make a record large; all others have small limits of their own. */
interface GrowingRecord {
  custom_fields?: unknown;
  tags?: unknown;
  columns?: unknown;
  options?: unknown;
}

const growingParts = ({ custom_fields, tags, columns, options }: GrowingRecord) => [
  custom_fields,
  tags,
  columns,
  options,
];

/**
 * Checks the size of a whole record. Throws VALIDATION_FAILED with this path when it is too large. A record that was too large already may
 * still be changed as long as these fields do not grow.
 */
export function expectRecordSize<R extends GrowingRecord>(
  path: keyof GrowingRecord,
  record: R,
  before?: GrowingRecord,
): R {
  const fault = findSizeFault({ after: record, most: MAX_RECORD_BYTES });
  if (fault === null) return record;
  if (before && countBytes(growingParts(record)) <= countBytes(growingParts(before))) return record;
  throw invalid(path, `makes a record that ${fault}`, 'TOO_LARGE');
}

/** Checks the size of a whole record of another kind. Throws VALIDATION_FAILED with this path when it is too large. */
export function expectRecordBytes<R>(path: string, record: R): R {
  const fault = findSizeFault({ after: record, most: MAX_RECORD_BYTES });
  if (fault !== null) throw invalid(path, `makes a record that ${fault}`, 'TOO_LARGE');
  return record;
}
