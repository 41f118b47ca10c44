/**
 * Pages of the matching records of a long list. A frequent match fills a page from the first records of the order, where finding all
 * matches would take long. A rare match is found by an index, where reading the records in their order would take long. So the first
 * records are read, and when they do not fill the page, all matches are looked up by an index and sorted.
 */
import {
  findActivityColumn,
  isSinceInOrder,
  WINDOW_VALUES,
  windowKeyColumns,
  windowOrderSql,
  windowSqlParts,
  windowValues,
  type Window,
} from './paging.ts';

// The number of records that are read in order first, which takes five to ten milliseconds. A match that does not fill a page from them is
// rare, so an index finds few records.
export const REACH = 5_000;

/** Returns the page that `near` finds among the first records, or, when these do not fill it, the page that `lookUp` finds. */
export async function findNearFirst<R>(
  { offset, limit }: Window,
  near: () => Promise<R[]>,
  lookUp: () => Promise<R[]>,
): Promise<R[]> {
  const found = offset + limit <= REACH ? await near() : [];
  return found.length === limit ? found : lookUp();
}

interface NearSearch {
  /** The records in the order of the page: what follows `from`, with conditions that reading in this order can answer. */
  list: string;
  /** The alias of a record in `joins` and `matches`; `t` when absent. */
  as?: string;
  joins?: string;
  /** The condition that is checked for each of the first records. */
  matches: string;
  /** The select list; the keys of the page when absent. */
  columns?: string;
}

/** Returns SQL for the matches among the first REACH records of a list; `first` is the number of the first parameter of nearValues(). */
export function nearRowsSql(window: Window, first: number, near: NearSearch): string {
  const { list, as = 't', joins = '', matches, columns = windowKeyColumns(window) } = near;
  const { since, cursor, order, tail } = windowSqlParts(window, first);
  // In the order of changes the records before `since` follow all others, so they need not be read.
  const [sinceFirst, sinceLast] = isSinceInOrder(window) ? [since, ''] : ['', since];
  return `select ${columns} from (
      select ${as}.* from (select * from ${list} ${cursor} ${sinceFirst} order by ${order} limit $${first + WINDOW_VALUES}) ${as} ${joins}
      where ${matches}
    ) near where true ${sinceLast} ${tail}`;
}

export const nearValues = (window: Window): unknown[] => [...windowValues(window), REACH];

/** The columns of a match that sortedHitsSql() needs, for records with a last message. */
export const HIT = `created_at, updated_at, coalesce(last_message_at, '-infinity') as active_at, _id, _id as record_id`;

/**
 * Returns SQL for the keys of a page of all matches, which `hits` selects. With `materialized` PostgreSQL plans the look-up by itself;
 * planned together with the limit, it might read all records in their order.
 */
export function sortedHitsSql(window: Window, first: number, hits: string): string {
  const { cursor, tail } = windowSqlParts(window, first);
  return `with hits as materialized (${hits}) select ${windowKeyColumns(window)} from hits where true ${cursor} ${tail}`;
}

interface KeyPage {
  /** A query for the keys of the page. */
  keys: string;
  table: string;
  /** The alias of a record in `columns` and `joins`. */
  as: string;
  columns: string;
  /** Joins for further values of a record. */
  joins?: string;
}

/** Returns SQL for the records of a page whose keys are found first, so that rows which the page skips are read from an index only. */
export const pageByKeySql = (window: Window, { keys, table, as, columns, joins = '' }: KeyPage): string =>
  // `offset 0` forces PostgreSQL to look up each row by its key, even without statistics of a new company.
  `select ${columns} from (
      select t.* from (${keys}) k cross join lateral (select * from ${table} where company_id = $1 and _id = k._id offset 0) t
    ) ${as} ${joins} order by ${windowOrderSql(window, as)}`;

interface ActiveTable {
  table: string;
  /** The table with the times by which the records are sorted, whose rows have the alias `a`. */
  activity: string;
  /** A condition on these rows. */
  only?: string;
}

/** Returns SQL for the records of a table in the order that the page needs. Further conditions repeat the company. */
export function orderedRowsSql(window: Window, { table, activity, only = '' }: ActiveTable): string {
  const at = findActivityColumn(window);
  if (at === null) return table;
  return `(select a.${at}, a.record_id, t.* from ${activity} a
    cross join lateral (select * from ${table} where company_id = $1 and _id = a.record_id offset 0) t where a.company_id = $1 ${only})`;
}
