/** Knowledge: the list of its items, one with its text, and the passages that a search finds. */
import type {
  KnowledgeItem,
  KnowledgeListQuery,
  KnowledgeSearchResult,
  ListedKnowledgeItem,
  Synonyms,
} from '@parley/sdk';
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useEffect } from 'react';
import { parley } from '../client.ts';
import { changeFeeds, placeInFeed, removeFromFeed, replaceInFeed, useFeed, type FeedView } from './feeds.ts';
import { queries } from './queries.ts';

const FEEDS = ['knowledge'] as const;
const SEARCHES = 'knowledge-search';
const keyOf = (id: string): readonly string[] => ['knowledge-item', id];
const PAGE = 50;

/** How often an item is read again that the platform prepares, because the live stream does not bring items. */
const PREPARING_MS = 1_500;
/** As many items are followed at once; the others of the list are followed when these are ready. */
const MOST_FOLLOWED = 10;

/** What a list of items shows; without any of these it shows all of them. */
export type KnowledgeChoice = Pick<KnowledgeListQuery, 'search' | 'status' | 'type' | 'file_type'>;

/** Lists items, the newest first, and follows those that are being prepared. */
export function useKnowledge(choice: KnowledgeChoice): FeedView<ListedKnowledgeItem> {
  const feed = useFeed<ListedKnowledgeItem>(
    [...FEEDS, choice],
    (after, signal) => parley.knowledge.list({ ...choice, limit: PAGE, skipCount: true, after }, { signal }),
    { isLive: false },
  );
  const preparing = feed.items.filter(({ status }) => status === 'PROCESSING').map(({ _id }) => _id);
  useFollowed(preparing.slice(0, MOST_FOLLOWED));
  return feed;
}

/** Reads items again and again while they are shown. */
function useFollowed(ids: readonly string[]): void {
  const followed = ids.join();
  useEffect(() => {
    if (followed === '') return undefined;
    const read = (id: string): Promise<void> =>
      // Failure policy: an item that cannot be read now is read again a moment later.
      parley.knowledge.get(id).then(showItem, () => {});
    const timer = setInterval(() => void Promise.all(followed.split(',').map(read)), PREPARING_MS);
    return () => clearInterval(timer);
  }, [followed]);
}

export const useKnowledgeItem = (id: string): UseQueryResult<KnowledgeItem> =>
  useQuery({
    queryKey: keyOf(id),
    queryFn: ({ signal }) => parley.knowledge.get(id, { signal }),
    refetchInterval: ({ state }) => (state.data?.status === 'PROCESSING' ? PREPARING_MS : false),
  });

const FOUND = 20;

/** Finds items by a part of their names, descriptions or tags; without a text, the newest. */
export async function findKnowledge(
  search: string | undefined,
  signal: AbortSignal,
): Promise<readonly ListedKnowledgeItem[]> {
  return (await parley.knowledge.list({ search, limit: FOUND, skipCount: true }, { signal })).result;
}

/** Finds passages for a question; without one, nothing is searched. The passages of the question before are shown until then. */
export const usePassages = (query: string): UseQueryResult<KnowledgeSearchResult> =>
  useQuery({
    queryKey: [SEARCHES, query],
    queryFn: ({ signal }) => parley.knowledge.search({ query }, { signal }),
    enabled: query !== '',
    placeholderData: keepPreviousData,
  });

const SYNONYMS = ['synonyms'];

export const useSynonyms = (): UseQueryResult<Synonyms> =>
  useQuery({ queryKey: SYNONYMS, queryFn: ({ signal }) => parley.knowledge.synonyms({ signal }) });

/** Shows synonyms that were saved, and searches anew. */
export function showSynonyms(synonyms: Synonyms): void {
  queries.setQueryData(SYNONYMS, synonyms);
  void queries.invalidateQueries({ queryKey: [SEARCHES] });
}

/** Shows a new item or a change of one. */
export function showItem(item: KnowledgeItem): void {
  queries.setQueryData(keyOf(item._id), item);
  changeFeeds<ListedKnowledgeItem>(FEEDS, (feed, [, choice]) =>
    // Only the platform can tell what a filter finds.
    Object.keys(choice as KnowledgeChoice).length === 0
      ? placeInFeed(feed, item, ({ createdAt }) => createdAt)
      : replaceInFeed(feed, item),
  );
  void queries.invalidateQueries({ queryKey: [SEARCHES] });
}

export function forgetItem(id: string): void {
  queries.removeQueries({ queryKey: keyOf(id) });
  changeFeeds<ListedKnowledgeItem>(FEEDS, (feed) => removeFromFeed(feed, id));
  void queries.invalidateQueries({ queryKey: [SEARCHES] });
}
