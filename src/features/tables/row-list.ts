/** Pages of rows: in the order of their making or of their index, all of them or those in which a text stands. */
import { pageFrom, readSearch, pageWindow, type Page, type Since, type Window } from '../../platform/paging.ts';
import type { TenantRead } from '../../platform/tenant.ts';
import { foldText, isPair } from '../../platform/words.ts';
import {
  countMatches,
  countMatchesAfter,
  countRows,
  countRowsSince,
  listRows,
  listRowsNear,
  lookUpRows,
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
  const window = pageWindow(`rows:${tableId}`, query);
  const search = readSearch(query);
  const { rows, total } = await findRows(read, tableId, search, window);
  return pageFrom(query, window, rows, async () => {
    if (total !== null) return total;
    if (search !== null) return countFound(read, tableId, search, window);
    return window.since === null ? countRows(read, tableId) : countRowsSince(read, tableId, window);
  });
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
async function findRows(read: TenantRead, tableId: string, search: string | null, window: Window): Promise<Found> {
  if (search === null) return { rows: await listRows(read, tableId, window), total: null };
  const near = await listRowsNear(read, tableId, window, { search, reach: REACH });
  if (near.length === window.limit) return { rows: near, total: null };
  const found = await lookUpRows(read, tableId, window, { search, isPair: isPair(foldText(search)) });
  const isFirst = window.after === null && window.offset === 0;
  return { rows: found.map(({ total: _total, ...row }) => row), total: found[0]?.total ?? (isFirst ? 0 : null) };
}

async function countFound(read: TenantRead, tableId: string, search: string, window: Since): Promise<number> {
  // A look-up joins both; the walk below asks for the search alone.
  if (window.since !== null) return countMatches(read, tableId, window, { search, isPair: isPair(foldText(search)) });
  const first = await countMatchesAfter(read, tableId, { search, after: 0, reach: REACH });
  if (first.count < FREQUENT && first.last !== null)
    return countMatches(read, tableId, window, { search, isPair: isPair(foldText(search)) });
  let { count, last } = first;
  while (last !== null) {
    const next = await countMatchesAfter(read, tableId, { search, after: last, reach: COUNTED });
    count += next.count;
    last = next.last;
  }
  return count;
}
