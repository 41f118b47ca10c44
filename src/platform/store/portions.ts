/**
 * Splits work on many records into portions. A portion is limited by the bytes of its records as well as by their number, so that a
 * statement over large records also ends in time, and work that is interrupted continues where it stopped.
 */

/**
 * The most bytes of records that one statement rewrites. A rewritten record is entered into each index of its table again, so a megabyte
 * would take about a second on a small machine.
 */
export const REWRITTEN_BYTES = 512 * 1024;
/** The bytes of a portion that is read or deleted, which takes some tenths of a second and this much memory. */
export const READ_BYTES = 8 * 1024 * 1024;

interface Portion {
  /** A query for `_id`, `bytes` and the columns of `order`, limited to the most records that a portion may have. */
  rows: string;
  order: string;
  most: number;
}

/** Returns SQL that selects the _id of the first rows with at most `most` bytes together; the first row in any case. */
export const selectPortionSql = ({ rows, order, most }: Portion): string =>
  `select _id from (
    select _id, sum(bytes) over (order by ${order} rows unbounded preceding) - bytes as before from (${rows}) near
  ) portion where before < ${most}`;

/**
 * Repeats `work`, which handles one portion, until it returns null, 0 or false because nothing is left. It gets what the portion before
 * returned: the place where that one ended, or the number of records that it changed.
 */
export async function workInPortions<P>(work: (last: P | null) => Promise<P | null>): Promise<void> {
  let last: P | null = null;
  do last = (await work(last)) || null;
  while (last !== null);
}

/** Reads portion after portion until one is empty. `read` gets the last record of the portion before. */
export async function* walkPortions<R extends object>(read: (last: R | null) => Promise<R[]>): AsyncGenerator<R[]> {
  for (let rows = await read(null), last; (last = rows.at(-1)); rows = await read(last)) yield rows;
}
