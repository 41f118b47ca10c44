/** Ways to a page of rows, and to how many there are; row-list.ts says which is taken. */
import { many, one } from '../../platform/db.ts';
import { measuredPage, rowsByKey } from '../../platform/paging.ts';
import type { TenantRead } from '../../platform/tenant.ts';
import { pairLookUp } from '../../platform/words.ts';
import { ROW, type RowRecord } from './row-queries.ts';

export interface RowOrder {
  column: 'created_at' | 'row_index';
  descending: boolean;
  /** Of the last row before the page: its time and id, or its index. */
  cursor: string[] | null;
  limit: number;
  offset: number;
}

/** Cursor and order; the cursor's parameters are $3 and $4, which are there in any case. */
function orderClause({ column, descending, cursor }: RowOrder): { after: string; order: string } {
  const [compare, direction] = descending ? ['<', 'desc'] : ['>', 'asc'];
  const unused = 'and $3::text is null and $4::text is null';
  if (column === 'row_index') {
    const after = cursor ? `and row_index ${compare} $3::text::int and $4::text is null` : unused;
    return { after, order: `order by row_index ${direction}` };
  }
  const after = cursor ? `and (created_at, _id) ${compare} ($3::text::timestamptz, $4::text)` : unused;
  return { after, order: `order by created_at ${direction}, _id ${direction}` };
}

const OF_TABLE = 'company_id = $1 and table_id = $2';
const cursorValues = ({ cursor }: RowOrder): unknown[] => [cursor?.[0] ?? null, cursor?.[1] ?? null];
const nameOf = ({ column, descending, cursor }: RowOrder): string =>
  `${column}.${descending ? 'desc' : 'asc'}${cursor ? '.after' : ''}`;

const recordsOf = (rows: string, { column, descending }: RowOrder, more = ''): string => {
  const direction = descending ? 'desc' : 'asc';
  const order = column === 'row_index' ? `t.row_index ${direction}` : `t.created_at ${direction}, t._id ${direction}`;
  return measuredPage({ columns: ROW + more, rows, order, limit: '$5' });
};

export function listRows(tx: TenantRead, tableId: string, order: RowOrder): Promise<RowRecord[]> {
  const clause = orderClause(order);
  return many(tx, {
    name: `tables.listRows.${nameOf(order)}`,
    text: recordsOf(
      `select * from table_rows where ${OF_TABLE} ${clause.after} ${clause.order} limit $5 offset $6`,
      order,
    ),
    values: [tx.companyId, tableId, ...cursorValues(order), order.limit, order.offset],
  });
}

// What keeps the values of a row apart (see the migration) is searched for by nobody.
const searched = (search: string): string => search.replaceAll('\u001f', '\u001e');

const matches = (search: string): string => `strpos(folded, fold(${search})) > 0`;

/** Those that match among the first `reach` of the order. Fewer than asked for: there may be more further on. */
export function listRowsNear(
  tx: TenantRead,
  tableId: string,
  order: RowOrder & { search: string; reach: number },
): Promise<RowRecord[]> {
  const clause = orderClause(order);
  return many(tx, {
    name: `tables.listRowsNear.${nameOf(order)}`,
    text: recordsOf(
      `select * from (
        select * from table_rows where ${OF_TABLE} ${clause.after} ${clause.order} limit $8
      ) near where ${matches('$7')} ${clause.order} limit $5 offset $6`,
      order,
    ),
    values: [
      tx.companyId,
      tableId,
      ...cursorValues(order),
      order.limit,
      order.offset,
      searched(order.search),
      order.reach,
    ],
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
  order: RowOrder & Search,
): Promise<(RowRecord & { total: number })[]> {
  const { after, order: by } = orderClause(order);
  // Kept apart, the look-up is planned for what it finds; together with the limit it would gamble on the order.
  return many(tx, {
    name: 'tables.lookUpRows',
    text: `with hits as materialized (
        select row_index, created_at, _id from table_rows
        where ${OF_TABLE} and ${matches('$7')} and ${lookUp(order.isPair, '$7')}
      )
      ${recordsOf(rowsByKey('table_rows', `select _id from hits where true ${after} ${by} limit $5 offset $6`), order, ', (select count(*)::int from hits) as total')}`,
    values: [tx.companyId, tableId, ...cursorValues(order), order.limit, order.offset, searched(order.search)],
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

/** Those that match, looked up by their index. */
export async function countMatches(tx: TenantRead, tableId: string, { search, isPair }: Search): Promise<number> {
  const { count } = await one<{ count: number }>(tx, {
    name: 'tables.countMatches',
    text: `select count(*)::int as count from table_rows
      where ${OF_TABLE} and ${matches('$3')} and ${lookUp(isPair, '$3')}`,
    values: [tx.companyId, tableId, searched(search)],
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
