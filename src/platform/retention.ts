/**
 * What has grown old is deleted by stretches of its table's pages: each page is looked at once, whatever the deletes before left
 * and whatever the planner believes of the table.
 */
import { one } from './db.ts';
import type { SystemTx } from './tenant.ts';

/** Pages of a table, from the first to before the last. */
export interface Stretch {
  from: number;
  to: number;
}

// Some 8 MB at a time: a transaction of milliseconds.
const PAGES = 1_000;

/** The rows of a stretch whose bounds are `$2` and `$3`. */
export const IN_STRETCH = 'ctid >= $2::tid and ctid < $3::tid';
export const stretchBounds = ({ from, to }: Stretch): string[] => [`(${from},0)`, `(${to},0)`];

export async function purgeByPages(
  tx: SystemTx,
  table: string,
  purge: (stretch: Stretch) => Promise<unknown>,
): Promise<void> {
  const { pages } = await one<{ pages: number }>(tx, {
    name: 'retention.countPages',
    text: `select (pg_relation_size($1::regclass) / current_setting('block_size')::int)::int as pages`,
    values: [table],
  });
  for (let from = 0; from < pages; from += PAGES) await purge({ from, to: from + PAGES });
}
