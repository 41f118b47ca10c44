/** Tables that the company defines itself: their list, and the rows of each. */
import type { Import, Row, Table, TablesListRowsQuery } from '@parley/sdk';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { parley } from '../client.ts';
import { whenLive } from '../live/status.ts';
import { changeFeeds, placeInFeed, removeFromFeed, replaceInFeed, useFeed, type Feed, type FeedView } from './feeds.ts';
import { LIVE, queries } from './queries.ts';

const FEEDS = ['tables'] as const;
const ROW_FEEDS = 'rows';
const keyOf = (id: string): readonly string[] => ['table', id];
const PAGE = 50;
const ROW_PAGE = 100;
const CONTACT_PAGE = 10;

/** Lists the tables that a search finds, the newest first; "" finds all. */
export const useTables = (search: string): FeedView<Table> =>
  useFeed(
    [...FEEDS, search],
    (after, signal) =>
      parley.tables.list({ search: search || undefined, limit: PAGE, skipCount: true, after }, { signal }),
    { isLive: false },
  );

const FOUND = 20;

/** Finds tables by a part of their names; without a text, the newest. */
export const findTables = async (search: string | undefined, signal: AbortSignal): Promise<readonly Table[]> =>
  (await parley.tables.list({ search, limit: FOUND, skipCount: true }, { signal })).result;

export function useTable(id: string): UseQueryResult<Table> {
  return useQuery({
    queryKey: keyOf(id),
    queryFn: async ({ signal }): Promise<Table> => {
      const { rows: _rows, ...table } = await parley.tables.get(id, { limit: 1, skipCount: true }, { signal });
      return table;
    },
  });
}

export function showTable(table: Table): void {
  queries.setQueryData(keyOf(table._id), table);
  changeFeeds<Table>(FEEDS, (feed, [, search]) =>
    search === '' ? placeInFeed(feed, table, ({ createdAt }) => createdAt) : replaceInFeed(feed, table),
  );
}

export function forgetTable(id: string): void {
  queries.removeQueries({ queryKey: keyOf(id) });
  queries.removeQueries({ queryKey: [ROW_FEEDS, id] });
  changeFeeds<Table>(FEEDS, (feed) => removeFromFeed(feed, id));
}

/** Reads a table again with its rows, after many of them have changed. */
export function rereadTable(id: string): void {
  for (const queryKey of [keyOf(id), [ROW_FEEDS, id], FEEDS]) void queries.invalidateQueries({ queryKey });
}

/** Which rows are shown, and in which order. */
export interface RowChoice {
  search: string;
  /** Filters as the API takes them; undefined for none. */
  filters: string | undefined;
  sort: NonNullable<TablesListRowsQuery['sort']>;
}

export const useRows = (table: string, { search, filters, sort }: RowChoice): FeedView<Row> =>
  useFeed([ROW_FEEDS, table, { search, filters, sort }], (after, signal) =>
    parley.tables.listRows(
      table,
      { search: search || undefined, filters, sort, limit: ROW_PAGE, skipCount: true, after },
      { signal },
    ),
  );

/** Lists the rows of all tables that refer to a contact. */
export const useContactRows = (contact: string): FeedView<Row> =>
  useFeed(
    ['contact-rows', contact],
    (after, signal) =>
      parley.contacts.listTableRows(contact, { limit: CONTACT_PAGE, skipCount: true, after }, { signal }),
    { isLive: false },
  );

export const rereadContactRows = (): void => void queries.invalidateQueries({ queryKey: ['contact-rows'] });

const changeRows = (table: string, change: (feed: Feed<Row>) => Feed<Row>): void =>
  changeFeeds<Row>([ROW_FEEDS, table], change);

/** Shows a change of a row where it stands. An answer may be older than what the live stream has brought meanwhile. */
export const showRow = (row: Row): void =>
  changeRows(row.table, (feed) =>
    feed.items.some((item) => item._id === row._id && item.updatedAt > row.updatedAt) ? feed : replaceInFeed(feed, row),
  );

/** Shows a row that somebody has written or changed: a new one at its place. A search, or a filter, offers to be read again. */
export function showLiveRow(row: Row): void {
  let isNew = false;
  changeFeeds<Row>([ROW_FEEDS, row.table], (feed, [, , shown]) => {
    const { search, filters, sort } = shown as RowChoice;
    if (feed.items.some(({ _id }) => _id === row._id)) return replaceInFeed(feed, row);
    if (search !== '' || filters !== undefined) return { ...feed, hasNews: true };
    isNew ||= row.createdAt === row.updatedAt;
    const place = findPlace(feed.items, row, sort);
    // A later page brings a row that stands behind the loaded ones.
    const isLater = place === feed.items.length && feed.nextCursor !== null;
    return isLater ? feed : { ...feed, items: feed.items.toSpliced(place, 0, row) };
  });
  if (isNew) recountRows(row.table);
}

/** Where a new row belongs. The rows of an import arrive in any order, and those that were written here are above the others. */
function findPlace(rows: readonly Row[], { row_index: index }: Row, sort: RowChoice['sort']): number {
  if (sort === 'row_index') return rows.findLastIndex((each) => each.row_index < index) + 1;
  if (sort !== '-row_index') return 0;
  const next = rows.findIndex((each) => each.row_index < index);
  return next < 0 ? rows.length : next;
}

/** The stream names a removed row, but not its table. */
export function forgetRowById(id: string): void {
  changeFeeds<Row>([ROW_FEEDS], (feed, [, table]) => {
    if (feed.items.some(({ _id }) => _id === id)) recountRows(String(table));
    return removeFromFeed(feed, id);
  });
}

export const rereadRows = (): void => void queries.invalidateQueries({ queryKey: [ROW_FEEDS] });

const recountRows = (table: string): void => void queries.invalidateQueries({ queryKey: keyOf(table) });

/** Shows a new row above the others, where it was written, until the list is read again. */
export function addRow(row: Row): void {
  changeRows(row.table, (feed) => ({
    ...feed,
    // The live stream may have brought it already.
    items: [row, ...feed.items.filter(({ _id }) => _id !== row._id)],
  }));
  countRows(row.table, 1);
}

export function forgetRow({ table, _id }: Row): void {
  changeRows(table, (feed) => removeFromFeed(feed, _id));
  countRows(table, -1);
}

function countRows(id: string, more: number): void {
  const table = queries.getQueryData<Table>(keyOf(id));
  if (table) showTable({ ...table, row_count: table.row_count + more });
}

const importKeyOf = (id: string): readonly string[] => ['table_import', id];

/** Follows an import of rows. */
export function useTableImport(table: string, id: string): UseQueryResult<Import> {
  return useQuery({
    queryKey: importKeyOf(id),
    queryFn: async ({ signal }) => {
      await whenLive();
      return parley.tables.getImport(table, id, { signal });
    },
    ...LIVE,
  });
}

/** Shows how far an import is. An older state than the one that is shown is ignored. */
export function showTableImport(record: Import): void {
  const before = queries.getQueryData<Import>(importKeyOf(record._id));
  if (!before || before.updatedAt <= record.updatedAt) queries.setQueryData(importKeyOf(record._id), record);
}

export const rereadTableImports = (): void => void queries.invalidateQueries({ queryKey: ['table_import'] });
