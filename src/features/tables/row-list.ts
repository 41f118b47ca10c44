/** Pages of rows: in the order of their making or of their index, all of them or those in which a text stands. */
import { invalid } from '../../platform/errors.ts';
import { pageFrom, windowOf, type Page } from '../../platform/paging.ts';
import type { TenantRead } from '../../platform/tenant.ts';
import { foldText, isPair } from '../../platform/words.ts';
import {
  countMatches,
  countMatchesAfter,
  countRows,
  listRows,
  listRowsNear,
  lookUpRows,
  type RowOrder,
} from './row-list-queries.ts';
import type { RowRecord } from './row-queries.ts';
import type { RowQuery } from './schemas.ts';

// A walk of this many takes some five milliseconds. What fills no page here is rare: then there is little to look up.
const REACH = 5_000;
// Of the first REACH: beyond one in a hundred, looking at all rows in their order is quicker than looking each of them up.
const FREQUENT = REACH / 100;
// To count what is frequent all rows are looked at; so many in one statement keep far within its time.
const COUNTED = 100_000;

export async function pageRowsOf(read: TenantRead, tableId: string, query: RowQuery): Promise<Page<RowRecord>> {
  const order = orderOf(query);
  const search = query.search ?? null;
  const { rows, total } = await findRows(read, tableId, search, order);
  const page = await pageFrom({ ...query, sort: '-createdAt' }, rows, async () => {
    if (total !== null) return total;
    return search === null ? countRows(read, tableId) : countFound(read, tableId, search);
  });
  const last = page.result.at(-1);
  if (order.column === 'created_at' || !page.meta.nextCursor || !last) return page;
  return { ...page, meta: { ...page.meta, nextCursor: String(last.row_index) } };
}

interface Found {
  rows: RowRecord[];
  /** Of all pages, where it is known by now. */
  total: number | null;
}

/**
 * What is frequent fills a page within a short walk, and looking all of it up would take long; what is rare is looked up by
 * its index, and walking would take long.
 */
async function findRows(read: TenantRead, tableId: string, search: string | null, order: RowOrder): Promise<Found> {
  if (search === null) return { rows: await listRows(read, tableId, order), total: null };
  const near = await listRowsNear(read, tableId, { ...order, search, reach: REACH });
  if (near.length === order.limit) return { rows: near, total: null };
  const found = await lookUpRows(read, tableId, { ...order, search, isPair: isPair(foldText(search)) });
  const isFirst = order.cursor === null && order.offset === 0;
  return { rows: found.map(({ total: _total, ...row }) => row), total: found[0]?.total ?? (isFirst ? 0 : null) };
}

async function countFound(read: TenantRead, tableId: string, search: string): Promise<number> {
  const first = await countMatchesAfter(read, tableId, { search, after: 0, reach: REACH });
  if (first.count < FREQUENT && first.last !== null)
    return countMatches(read, tableId, { search, isPair: isPair(foldText(search)) });
  let { count, last } = first;
  while (last !== null) {
    const next = await countMatchesAfter(read, tableId, { search, after: last, reach: COUNTED });
    count += next.count;
    last = next.last;
  }
  return count;
}

function orderOf(query: RowQuery): RowOrder {
  const { sort, after } = query;
  const descending = sort.startsWith('-');
  if (sort === 'createdAt' || sort === '-createdAt') {
    const window = windowOf({ ...query, sort });
    const cursor = window.after ? [window.after.createdAt, window.after.id] : null;
    return { column: 'created_at', descending, cursor, limit: window.limit, offset: window.offset };
  }
  if (after !== undefined && !/^\d{1,9}$/.test(after)) throw invalid('after', 'is not a cursor of this list');
  const { limit, offset } = windowOf({ ...query, sort: 'createdAt', after: undefined });
  const cursor = after === undefined ? null : [after];
  return { column: 'row_index', descending, cursor, limit, offset: cursor ? 0 : offset };
}
