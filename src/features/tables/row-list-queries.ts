/** Ways to a page of rows, and to how many there are; row-list.ts says which is taken. */
import { many, one } from '../../platform/db.ts';
import { measuredPage, rowsByKey } from '../../platform/measured-page.ts';
import {
  sinceClause,
  sinceName,
  windowClause,
  windowLimit,
  windowName,
  windowOrder,
  windowParts,
  windowValues,
  type Since,
  type Window,
} from '../../platform/paging.ts';
import type { TenantRead } from '../../platform/tenant.ts';
import { pairLookUp } from '../../platform/words.ts';
import { ROW, type RowRecord } from './row-queries.ts';

const OF_TABLE = 'company_id = $1 and table_id = $2';

/** The records of a page; the window's parameters begin with $3. */
const recordsOf = (rows: string, window: Window, more = ''): string =>
  measuredPage({ columns: ROW + more, rows, order: windowOrder(window), limit: windowLimit(3) });

export function listRows(tx: TenantRead, tableId: string, window: Window): Promise<RowRecord[]> {
  return many(tx, {
    name: `tables.listRows.${windowName(window)}`,
    text: recordsOf(`select * from table_rows where ${OF_TABLE} ${windowClause(window, 3)}`, window),
    values: [tx.companyId, tableId, ...windowValues(window)],
    // How many have changed since is known from the moment alone.
    ...(window.since === null ? {} : { planEachTime: true }),
  });
}

// What keeps the values of a row apart (see the migration) is searched for by nobody.
const searched = (search: string): string => search.replaceAll('\u001f', '\u001e');

const matches = (search: string): string => `strpos(folded, fold(${search})) > 0`;

/** Those that match among the first `reach` of the order. Fewer than asked for: there may be more further on. */
export function listRowsNear(
  tx: TenantRead,
  tableId: string,
  window: Window,
  { search, reach }: { search: string; reach: number },
): Promise<RowRecord[]> {
  const { since, cursor, order } = windowParts(window, 3);
  return many(tx, {
    name: `tables.listRowsNear.${windowName(window)}`,
    text: recordsOf(
      `select * from (
        select * from table_rows where ${OF_TABLE} ${cursor} order by ${order} limit $9
      ) near where ${matches('$8')} ${since} order by ${order} limit $5 offset $6`,
      window,
    ),
    values: [tx.companyId, tableId, ...windowValues(window), searched(search), reach],
  });
}

export interface Search {
  search: string;
  /** Two letters or digits of ASCII are left of it, once it is folded. */
  isPair: boolean;
}

/** What the index can look up of a match; it leaves out none. */
const lookUp = (isPair: boolean, search: string): string =>
  isPair
    ? `(${pairLookUp('folded', `fold(${search})`)} or pair_mark(folded) = '+')`
    : `folded like '%' || like_literal(fold(${search})) || '%'`;

/** Those that match, looked up by their index and then put in order; each says how many there are in all. */
export function lookUpRows(
  tx: TenantRead,
  tableId: string,
  window: Window,
  { search, isPair }: Search,
): Promise<(RowRecord & { total: number })[]> {
  const { since, cursor, order } = windowParts(window, 3);
  // Kept apart, the look-up is planned for what it finds; together with the limit it would gamble on the order.
  return many(tx, {
    name: 'tables.lookUpRows',
    text: `with hits as materialized (
        select row_index, created_at, updated_at, _id from table_rows
        where ${OF_TABLE} and ${matches('$8')} and ${lookUp(isPair, '$8')} ${since}
      )
      ${recordsOf(rowsByKey('table_rows', `select _id from hits where true ${cursor} order by ${order} limit $5 offset $6`), window, ', (select count(*)::int from hits) as total')}`,
    values: [tx.companyId, tableId, ...windowValues(window), searched(search)],
    planEachTime: true,
  });
}

/** All rows. */
export async function countRows(tx: TenantRead, tableId: string): Promise<number> {
  const { count } = await one<{ count: number }>(tx, {
    name: 'tables.countRows',
    text: 'select row_count as count from tables where company_id = $1 and _id = $2',
    values: [tx.companyId, tableId],
  });
  return count;
}

/** Those that were changed since. */
export async function countRowsSince(tx: TenantRead, tableId: string, window: Since): Promise<number> {
  const { count } = await one<{ count: number }>(tx, {
    name: `tables.countRowsSince${sinceName(window)}`,
    text: `select count(*)::int as count from table_rows where ${OF_TABLE} ${sinceClause(window, 3)}`,
    values: [tx.companyId, tableId, window.since],
    planEachTime: true,
  });
  return count;
}

/** Those that match, looked up by their index. */
export async function countMatches(
  tx: TenantRead,
  tableId: string,
  window: Since,
  { search, isPair }: Search,
): Promise<number> {
  const { count } = await one<{ count: number }>(tx, {
    name: 'tables.countMatches',
    text: `select count(*)::int as count from table_rows
      where ${OF_TABLE} and ${matches('$3')} and ${lookUp(isPair, '$3')} ${sinceClause(window, 4)}`,
    values: [tx.companyId, tableId, searched(search), window.since],
    planEachTime: true,
  });
  return count;
}

/** Those that match among the next `reach` after an index, and where these end; null: there were none. */
export function countMatchesAfter(
  tx: TenantRead,
  tableId: string,
  { search, after, reach }: { search: string; after: number; reach: number },
): Promise<{ count: number; last: number | null }> {
  return one(tx, {
    name: 'tables.countMatchesAfter',
    text: `select (count(*) filter (where ${matches('$3')}))::int as count, max(row_index) as last from (
        select row_index, folded from table_rows where ${OF_TABLE} and row_index > $4 order by row_index limit $5
      ) near`,
    values: [tx.companyId, tableId, searched(search), after, reach],
  });
}
