/** Lists pages of rows, by time or by index, all of them or those that contain a text. */
import { findNearFirst, REACH } from '../../../platform/long-list.ts';
import { makePage, readSearch, pageWindow, type Page, type Since, type Window } from '../../../platform/paging.ts';
import type { TenantRead } from '../../../platform/tenant.ts';
import { foldText, isLetterPair } from '../../../platform/words.ts';
import {
  countMatches,
  countMatchesAfter,
  countRows,
  countRowsSince,
  listRows,
  listRowsNear,
  lookUpRows,
  type RowSearch,
} from './list-queries.ts';
import type { RowRecord } from './queries.ts';
import type { RowQuery } from '../schemas.ts';

// The number of matches among the first REACH rows above which reading all rows is quicker than finding each match by the index.
const FREQUENT = REACH / 100;
// Counting matches of a frequent text reads all rows, this many in one statement, which stays far below its time-out.
const COUNT_PORTION = 100_000;

export async function pageTableRows(read: TenantRead, tableId: string, query: RowQuery): Promise<Page<RowRecord>> {
  const window = pageWindow(`rows:${tableId}`, query);
  const text = readSearch(query);
  const search = text === null ? null : { search: text, isPair: isLetterPair(foldText(text)) };
  const { rows, total } = await findRows(read, tableId, search, window);
  return makePage(query, window, rows, async () => {
    if (total !== null) return total;
    if (search !== null) return countFoundRows(read, tableId, search, window);
    return window.since === null ? countRows(read, tableId) : countRowsSince(read, tableId, window);
  });
}

interface FoundRows {
  rows: RowRecord[];
  /** The number of matches on all pages, if it is already known. */
  total: number | null;
}

async function findRows(
  read: TenantRead,
  tableId: string,
  search: RowSearch | null,
  window: Window,
): Promise<FoundRows> {
  if (search === null) return { rows: await listRows(read, tableId, window), total: null };
  let total: number | null = null;
  const lookUp = async (): Promise<RowRecord[]> => {
    const found = await lookUpRows(read, tableId, window, search);
    const isFirst = window.after === null && window.offset === 0;
    total = found[0]?.total ?? (isFirst ? 0 : null);
    return found.map(({ total: _total, ...row }) => row);
  };
  const rows = await findNearFirst(window, () => listRowsNear(read, tableId, window, search), lookUp);
  return { rows, total };
}

async function countFoundRows(read: TenantRead, tableId: string, asked: RowSearch, window: Since): Promise<number> {
  // A search together with a time needs the index; the loop below can only search.
  if (window.since !== null) return countMatches(read, tableId, window, asked);
  const { search } = asked;
  const first = await countMatchesAfter(read, tableId, { search, after: 0, reach: REACH });
  if (first.count < FREQUENT && first.last !== null) return countMatches(read, tableId, window, asked);
  let { count, last } = first;
  while (last !== null) {
    const next = await countMatchesAfter(read, tableId, { search, after: last, reach: COUNT_PORTION });
    count += next.count;
    last = next.last;
  }
  return count;
}
