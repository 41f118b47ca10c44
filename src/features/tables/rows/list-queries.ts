/** The queries for pages of rows and their number; list.ts chooses between them. */
import { many, one } from '../../../platform/db.ts';
import { nearRowsSql, nearValues } from '../../../platform/long-list.ts';
import { measuredPageSql, rowsByKeySql } from '../../../platform/measured-page.ts';
import {
  sinceClause,
  sinceNameSuffix,
  windowClause,
  windowLimitParameter,
  windowNameSuffix,
  windowOrderSql,
  windowSqlParts,
  windowValues,
  type Since,
  type Window,
} from '../../../platform/paging.ts';
import type { TenantRead } from '../../../platform/tenant.ts';
import { pairCondition } from '../../../platform/words.ts';
import { ROW, type RowRecord } from './queries.ts';

const OF_TABLE = 'company_id = $1 and table_id = $2';

/** Returns SQL for the records of a page; the parameters of its limits begin with $3. */
const selectRowsSql = (rows: string, window: Window, more = ''): string =>
  measuredPageSql({ columns: ROW + more, rows, order: windowOrderSql(window), limit: windowLimitParameter(3) });

export function listRows(tx: TenantRead, tableId: string, window: Window): Promise<RowRecord[]> {
  return many(tx, {
    name: `tables.listRows.${windowNameSuffix(window)}`,
    text: selectRowsSql(`select * from table_rows where ${OF_TABLE} ${windowClause(window, 3)}`, window),
    values: [tx.companyId, tableId, ...windowValues(window)],
    // How many rows changed since a moment depends on the moment, so PostgreSQL plans this query for each value.
    ...(window.since === null ? {} : { planEachTime: true }),
  });
}

// A control character separates the values of a row in the search column (see the migration); it is replaced, so that no search matches
// across two values.
const escapeSearch = (search: string): string => search.replaceAll('\u001f', '\u001e');

const matchesSql = (search: string): string => `strpos(folded, fold(${search})) > 0`;

export interface RowSearch {
  search: string;
  /** The search is two ASCII letters or digits after folding. */
  isPair: boolean;
}

/**
 * Lists matching rows among the first rows in the order of the list. When they are fewer than a page, more may follow after these.
 */
export function listRowsNear(
  tx: TenantRead,
  tableId: string,
  window: Window,
  { search }: RowSearch,
): Promise<RowRecord[]> {
  const list = `table_rows where ${OF_TABLE}`;
  return many(tx, {
    name: `tables.listRowsNear.${windowNameSuffix(window)}`,
    text: selectRowsSql(nearRowsSql(window, 3, { list, matches: matchesSql('$9'), columns: '*' }), window),
    values: [tx.companyId, tableId, ...nearValues(window), escapeSearch(search)],
  });
}

/** Returns a condition that the index can answer. It holds for every row that matches, and for some that do not. */
const lookUpSql = (isPair: boolean, search: string): string =>
  isPair
    ? `(${pairCondition('folded', `fold(${search})`)} or pair_mark(folded) = '+')`
    : `folded like '%' || like_literal(fold(${search})) || '%'`;

/** Finds matching rows by the index and then sorts them; each record has the number of all matches. */
export function lookUpRows(
  tx: TenantRead,
  tableId: string,
  window: Window,
  { search, isPair }: RowSearch,
): Promise<(RowRecord & { total: number })[]> {
  const { since, cursor, tail } = windowSqlParts(window, 3);
  // With `materialized` PostgreSQL plans the look-up by itself; planned together with the limit, it might read all rows in their order.
  return many(tx, {
    name: 'tables.lookUpRows',
    text: `with hits as materialized (
        select row_index, created_at, updated_at, _id from table_rows
        where ${OF_TABLE} and ${matchesSql('$8')} and ${lookUpSql(isPair, '$8')} ${since}
      )
      ${selectRowsSql(rowsByKeySql('table_rows', `select _id from hits where true ${cursor} ${tail}`), window, ', (select count(*)::int from hits) as total')}`,
    values: [tx.companyId, tableId, ...windowValues(window), escapeSearch(search)],
    planEachTime: true,
  });
}

/**
 * Finds rows that have all these words, at most four, which are folded. They belong to nobody and never did, or to the given contact, or
 * only to its business.
 */
export function findRowsWithWords(
  tx: TenantRead,
  tableId: string,
  { contact, words, limit }: { contact: string | null; words: string[]; limit: number },
): Promise<Pick<RowRecord, 'data'>[]> {
  return many(tx, {
    name: 'tables.findRowsWithWords',
    text: `select data from table_rows where ${OF_TABLE} and not lost_owner and (contact_id is null or contact_id = $3)
        and (business_id is null or business_id = (select business_id from contacts c where c.company_id = $1 and c._id = $3))
        and ${['$4', '$5', '$6', '$7'].map((word) => `(${word}::text is null or folded like '%' || like_literal(${word}) || '%')`).join(' and ')}
      limit $8`,
    values: [tx.companyId, tableId, contact, ...[0, 1, 2, 3].map((index) => words[index] ?? null), limit],
    planEachTime: true,
  });
}

/** Returns the number of all rows, as the table counts them. */
export async function countRows(tx: TenantRead, tableId: string): Promise<number> {
  const { count } = await one<{ count: number }>(tx, {
    name: 'tables.countRows',
    text: 'select row_count as count from tables where company_id = $1 and _id = $2',
    values: [tx.companyId, tableId],
  });
  return count;
}

/** Returns the number of rows that changed since a moment. */
export async function countRowsSince(tx: TenantRead, tableId: string, window: Since): Promise<number> {
  const { count } = await one<{ count: number }>(tx, {
    name: `tables.countRowsSince${sinceNameSuffix(window)}`,
    text: `select count(*)::int as count from table_rows where ${OF_TABLE} ${sinceClause(window, 3)}`,
    values: [tx.companyId, tableId, window.since],
    planEachTime: true,
  });
  return count;
}

/** Returns the number of rows that match, found by the index. */
export async function countMatches(
  tx: TenantRead,
  tableId: string,
  window: Since,
  { search, isPair }: RowSearch,
): Promise<number> {
  const { count } = await one<{ count: number }>(tx, {
    name: 'tables.countMatches',
    text: `select count(*)::int as count from table_rows
      where ${OF_TABLE} and ${matchesSql('$3')} and ${lookUpSql(isPair, '$3')} ${sinceClause(window, 4)}`,
    values: [tx.companyId, tableId, escapeSearch(search), window.since],
    planEachTime: true,
  });
  return count;
}

/** The number of matches among the next `reach` rows after an index, and the index of the last of these rows; null when there was none. */
export function countMatchesAfter(
  tx: TenantRead,
  tableId: string,
  { search, after, reach }: { search: string; after: number; reach: number },
): Promise<{ count: number; last: number | null }> {
  return one(tx, {
    name: 'tables.countMatchesAfter',
    text: `select (count(*) filter (where ${matchesSql('$3')}))::int as count, max(row_index) as last from (
        select row_index, folded from table_rows where ${OF_TABLE} and row_index > $4 order by row_index limit $5
      ) near`,
    values: [tx.companyId, tableId, escapeSearch(search), after, reach],
  });
}
