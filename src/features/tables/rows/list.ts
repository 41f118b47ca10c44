/** Lists pages of rows, by time or by index, all of them or those that contain a text and match filters. */
import { invalid } from '../../../platform/values/errors.ts';
import { parseFilters, readFilterText } from '../../../platform/store/filters/items.ts';
import { findNearFirst, REACH } from '../../../platform/store/long-list.ts';
import {
  isSinceInOrder,
  makePage,
  readSearch,
  pageWindow,
  type Page,
  type Since,
  type Window,
} from '../../../platform/store/paging.ts';
import type { TenantRead } from '../../../platform/store/tenant.ts';
import { describeValues } from '../../../platform/values/words.ts';
import {
  buildConditions,
  countMatches,
  countMatchesAfter,
  countRows,
  countRowsSince,
  listMatchingInOrder,
  listRows,
  listRowsNear,
  lookUpRows,
  type RowFilter,
  type RowMatch,
} from './list-queries.ts';
import type { RowRecord } from './queries.ts';
import type { Column, RowQuery, Table } from '../schemas.ts';

// The number of matches among the first REACH rows above which reading all rows is quicker than finding each match by the index.
const FREQUENT = REACH / 100;
// Counting frequent matches reads all rows, this many in one statement, which stays far below its time-out.
const COUNT_PORTION = 100_000;

/** Returns a page of a table's rows. Throws what is wrong with the filters, such as VALIDATION_FAILED at `filters[2].field`. */
export async function pageTableRows(
  read: TenantRead,
  table: Pick<Table, '_id' | 'columns'>,
  query: RowQuery,
): Promise<Page<RowRecord>> {
  const window = pageWindow(`rows:${table._id}`, query);
  const search = readSearch(query);
  const match = { texts: search === null ? [] : [search], filters: readRowFilters(table.columns, query.filters) };
  const isAll = match.texts.length === 0 && match.filters.length === 0;
  const { rows, total } = isAll
    ? { rows: await listRows(read, table._id, window), total: null }
    : await findRows(read, table._id, match, window);
  return makePage(window, rows, async () => {
    if (total !== null) return total;
    if (!isAll) return countFoundRows(read, table._id, match, window);
    return window.since === null ? countRows(read, table._id) : countRowsSince(read, table._id, window);
  });
}

/** Reads filters on the columns of a table. Throws VALIDATION_FAILED naming the item. */
function readRowFilters(columns: readonly Column[], text: string | undefined): RowFilter[] {
  return parseFilters(text).map((item) => {
    const column = columns.find(({ key }) => key === item.field);
    if (!column) throw invalid(`${item.path}.field`, describeColumns(columns), 'ENUM');
    const { key, type } = column;
    return { key, type, operator: item.operator, value: readFilterText(type, item) };
  });
}

const describeColumns = (columns: readonly Column[]): string =>
  columns.length === 0
    ? 'refers to a column, but this table has none'
    : `must be the key of a column: ${describeValues(columns.map(({ key }) => key))}`;

interface FoundRows {
  rows: RowRecord[];
  /** The number of matches on all pages, if it is already known. */
  total: number | null;
}

export async function findRows(read: TenantRead, tableId: string, match: RowMatch, window: Window): Promise<FoundRows> {
  if (buildConditions(match).indexed === null && isSinceInOrder(window))
    return { rows: await listMatchingInOrder(read, tableId, window, match), total: null };
  let total: number | null = null;
  const lookUp = async (): Promise<RowRecord[]> => {
    const found = await lookUpRows(read, tableId, window, match);
    const isFirst = window.after === null && window.offset === 0;
    total = found[0]?.total ?? (isFirst ? 0 : null);
    return found.map(({ total: _total, ...row }) => row);
  };
  const rows = await findNearFirst(window, () => listRowsNear(read, tableId, window, match), lookUp);
  return { rows, total };
}

async function countFoundRows(read: TenantRead, tableId: string, match: RowMatch, window: Since): Promise<number> {
  // The loop below does not compare times.
  if (window.since !== null) return countMatches(read, tableId, window, match);
  const first = await countMatchesAfter(read, tableId, match, { after: 0, reach: REACH });
  const isRare = first.count < FREQUENT && buildConditions(match).indexed !== null;
  if (isRare && first.last !== null) return countMatches(read, tableId, window, match);
  let { count, last } = first;
  while (last !== null) {
    const next = await countMatchesAfter(read, tableId, match, { after: last, reach: COUNT_PORTION });
    count += next.count;
    last = next.last;
  }
  return count;
}
