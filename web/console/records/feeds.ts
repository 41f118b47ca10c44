/** Lists that are read from page to page and kept up to date by the live stream. */
import type { Page } from '@parley/sdk';
import { partialMatchKey, useMutation, useQuery, type QueryKey } from '@tanstack/react-query';
import { whenLive } from '../live/status.ts';
import { LIVE, queries } from './queries.ts';

export interface Feed<T> {
  items: readonly T[];
  /** Where the next page begins; null when everything is here. */
  nextCursor: string | null;
  /** Records were created that this list may have to show, which only the platform can tell. */
  hasNews?: boolean;
}

interface FeedRecord {
  _id: string;
}

export interface FeedView<T> {
  items: readonly T[];
  isLoading: boolean;
  error: Error | null;
  hasMore: boolean;
  isLoadingMore: boolean;
  /** Why the last further page could not be read. */
  moreError: Error | null;
  /** The first page or a further one is being read: until that ends, loadMore() does nothing. */
  isReading: boolean;
  loadMore(): void;
  /** True when a new record may belong to this list; reading the list again shows it. */
  hasNews: boolean;
  reread(): void;
}

/** Whether the list is known to be empty. */
export const hasNothing = ({ items, isLoading, error }: FeedView<unknown>): boolean =>
  !isLoading && error === null && items.length === 0;

type FeedPage<T> = Pick<Page<T>, 'result'> & { meta: Pick<Page<T>['meta'], 'nextCursor'> };
/** Reads the page behind a cursor; without one, the first page. */
export type ReadPage<T> = (after: string | undefined, signal?: AbortSignal) => Promise<FeedPage<T>>;

const EMPTY: readonly never[] = [];

interface FeedOptions {
  /** False for records that the stream does not bring: the list is read again when it is shown again. */
  isLive?: boolean;
  /** False until somebody wants to see the list: nothing is read. */
  isWanted?: boolean;
  /** False for a list that is forgotten when it is no longer shown. */
  isKept?: boolean;
}

/** Follows a list. Its first page is read once the live stream is open, so that no change is missed between the two. */
export function useFeed<T extends FeedRecord>(
  key: QueryKey,
  read: ReadPage<T>,
  { isLive = true, isWanted = true, isKept = true }: FeedOptions = {},
): FeedView<T> {
  const first = useQuery<Feed<T>>({
    queryKey: key,
    queryFn: async ({ signal }) => {
      await whenLive();
      return readFirstPage(key, () => read(undefined, signal));
    },
    // The first page alone would take away the later ones from under the eyes of somebody who comes back to the page.
    refetchOnWindowFocus: false,
    enabled: isWanted,
    ...(isLive && LIVE),
    ...(!isKept && { gcTime: 0 }),
  });
  const more = useMutation({
    mutationFn: async (after: string) => {
      const { result, meta } = await read(after);
      queries.setQueryData<Feed<T>>(key, (feed) => feed && appendPage(feed, after, result, meta.nextCursor));
    },
  });
  const next = first.data?.nextCursor ?? null;
  return {
    items: first.data?.items ?? EMPTY,
    isLoading: first.isPending,
    error: first.error,
    hasMore: next !== null,
    isLoadingMore: more.isPending,
    moreError: more.error,
    isReading: first.isFetching || more.isPending,
    loadMore: () => {
      if (next !== null && !more.isPending && !first.isFetching) more.mutate(next);
    },
    hasNews: first.data?.hasNews ?? false,
    reread: () => {
      more.reset();
      void first.refetch();
    },
  };
}

type Change<T> = (feed: Feed<T>, key: QueryKey) => Feed<T>;

/** A first page that is being read, with the changes of its feed that came meanwhile: each a Change of its kind of records. */
interface Reading {
  key: QueryKey;
  changes: unknown[];
}

const readings = new Set<Reading>();

/** Reads a first page. The answer may be older than a change that came while it was on its way, so such changes are made in it again. */
async function readFirstPage<T>(key: QueryKey, read: () => Promise<FeedPage<T>>): Promise<Feed<T>> {
  const reading: Reading = { key, changes: [] };
  readings.add(reading);
  try {
    const { result, meta } = await read();
    const changes = reading.changes as Change<T>[];
    return changes.reduce<Feed<T>>((feed, change) => change(feed, key), { items: result, nextCursor: meta.nextCursor });
  } finally {
    readings.delete(reading);
  }
}

/** Reads the first page of a feed again and leaves the later pages, because somebody may be looking at them. `at` is as in placeInFeed(). */
export async function refreshFeed<T extends FeedRecord>(
  key: QueryKey,
  read: ReadPage<T>,
  at: (item: T) => string,
): Promise<void> {
  const first = await readFirstPage(key, () => read(undefined));
  const last = first.items.at(-1);
  queries.setQueryData<Feed<T>>(key, (feed) => {
    if (!feed || !last || first.nextCursor === null) return first;
    const later = feed.items.filter((item) => isBehind(item, last, at));
    return later.length === 0 ? first : { ...first, items: [...first.items, ...later], nextCursor: feed.nextCursor };
  });
}

const isBehind = <T extends FeedRecord>(item: T, other: T, at: (item: T) => string): boolean =>
  at(item) < at(other) || (at(item) === at(other) && item._id < other._id);

/** Adds a page behind a feed. A feed that was read anew meanwhile stays as it is. */
function appendPage<T extends FeedRecord>(
  feed: Feed<T>,
  after: string,
  page: readonly T[],
  nextCursor: string | null,
): Feed<T> {
  if (feed.nextCursor !== after) return feed;
  const known = new Set(feed.items.map(({ _id }) => _id));
  return { ...feed, items: [...feed.items, ...page.filter(({ _id }) => !known.has(_id))], nextCursor };
}

/**
 * Puts a record at its place in a feed whose newest records come first: `at` is the value that the feed is sorted by. Of a feed that is not
 * loaded to its end, a record that belongs behind the loaded ones is left out, because a later page brings it.
 */
export function placeInFeed<T extends FeedRecord>(feed: Feed<T>, record: T, at: (item: T) => string): Feed<T> {
  const others = feed.items.filter(({ _id }) => _id !== record._id);
  const index = others.findIndex((item) => isBehind(item, record, at));
  if (index < 0 && feed.nextCursor !== null) return { ...feed, items: others };
  return { ...feed, items: index < 0 ? [...others, record] : others.toSpliced(index, 0, record) };
}

/** Shows a change of a record at the place where it stands, if it is there. */
export function replaceInFeed<T extends FeedRecord>(feed: Feed<T>, record: T): Feed<T> {
  const index = feed.items.findIndex(({ _id }) => _id === record._id);
  return index < 0 ? feed : { ...feed, items: feed.items.with(index, record) };
}

export function removeFromFeed<T extends FeedRecord>(feed: Feed<T>, id: string): Feed<T> {
  return feed.items.some(({ _id }) => _id === id)
    ? { ...feed, items: feed.items.filter(({ _id }) => _id !== id) }
    : feed;
}

/** Changes all feeds whose key begins with these parts. */
export function changeFeeds<T>(prefix: QueryKey, change: Change<T>): void {
  for (const [key, feed] of queries.getQueriesData<Feed<T>>({ queryKey: prefix })) {
    const next = feed && change(feed, key);
    if (next && next !== feed) queries.setQueryData(key, next);
  }
  for (const { key, changes } of readings) if (partialMatchKey(key, prefix)) changes.push(change);
}
