/** Lists pages of rows, by time or by index, all of them or those that contain a text. */
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

// The number of rows that are read in order first, which takes some five milliseconds.
// A text that does not fill a page from them is rare, so the index finds few rows.
const REACH = 5_000;
// The number of matches among the first REACH rows above which reading all rows is quicker than finding each match by the index.
const FREQUENT = REACH / 100;
// Counting matches of a frequent text reads all rows, this many in one statement, which stays far below its time-out.
const COUNT_PORTION = 100_000;

export async function pageTableRows(read: TenantRead, tableId: string, query: RowQuery): Promise<Page<RowRecord>> {
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
  /** The number of matches on all pages, if it is already known. */
  total: number | null;
}

/**
 * A frequent text fills a page from the first rows, where finding all matches would take long. A rare text is found by the index, where
 * reading all rows would take long.
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
  // A search together with a time needs the index; the loop below can only search.
  if (window.since !== null) return countMatches(read, tableId, window, { search, isPair: isPair(foldText(search)) });
  const first = await countMatchesAfter(read, tableId, { search, after: 0, reach: REACH });
  if (first.count < FREQUENT && first.last !== null)
    return countMatches(read, tableId, window, { search, isPair: isPair(foldText(search)) });
  let { count, last } = first;
  while (last !== null) {
    const next = await countMatchesAfter(read, tableId, { search, after: last, reach: COUNT_PORTION });
    count += next.count;
    last = next.last;
  }
  return count;
}
