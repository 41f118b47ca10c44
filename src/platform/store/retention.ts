/**
 * Deletes old rows by ranges of table pages, so that each page is read exactly once, whatever earlier deletes left behind and whatever
 * statistics the planner has.
 */
import { one } from './db.ts';
import type { SystemTx } from './tenant.ts';

/** A range of a table's pages: `from` inclusive, `to` exclusive. */
export interface PageRange {
  from: number;
  to: number;
}

// The pages of one transaction: some 8 MB, which take milliseconds.
const PAGES = 1_000;

/** The SQL condition for rows of a range whose bounds are `$2` and `$3`. */
export const IN_STRETCH = 'ctid >= $2::tid and ctid < $3::tid';
export const pageRangeBounds = ({ from, to }: PageRange): string[] => [`(${from},0)`, `(${to},0)`];

export async function purgeByPages(
  tx: SystemTx,
  table: string,
  purge: (stretch: PageRange) => Promise<unknown>,
): Promise<void> {
  const { pages } = await one<{ pages: number }>(tx, {
    name: 'retention.countPages',
    text: `select (pg_relation_size($1::regclass) / current_setting('block_size')::int)::int as pages`,
    values: [table],
  });
  for (let from = 0; from < pages; from += PAGES) await purge({ from, to: from + PAGES });
}
