/** Businesses: their list, and one, whose name stands where a contact has it. */
import type { Business } from '@parley/sdk';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { parley } from '../client.ts';
import { changeFeeds, placeInFeed, removeFromFeed, replaceInFeed, useFeed, type FeedView } from './feeds.ts';
import { queries } from './queries.ts';

const keyOf = (id: string | null): readonly unknown[] => ['business', id];

export function useBusiness(id: string | null): UseQueryResult<Business> {
  return useQuery({
    queryKey: keyOf(id),
    queryFn: ({ signal }) => parley.businesses.get(id ?? '', { signal }),
    enabled: id !== null,
  });
}

const FEEDS = ['businesses'] as const;
const PAGE = 50;

/** Lists the businesses that a search finds, the newest first; "" finds all. */
export function useBusinesses(search: string): FeedView<Business> {
  return useFeed([...FEEDS, search], (after, signal) =>
    parley.businesses.list({ search: search || undefined, limit: PAGE, skipCount: true, after }, { signal }),
  );
}

const createdOf = (business: Business): string => business.createdAt;

export function showBusiness(business: Business): void {
  queries.setQueryData(keyOf(business._id), business);
  changeFeeds<Business>(FEEDS, (feed, [, search]) =>
    search === '' ? placeInFeed(feed, business, createdOf) : replaceInFeed(feed, business),
  );
}

export function forgetBusiness(id: string): void {
  queries.removeQueries({ queryKey: keyOf(id) });
  changeFeeds<Business>(FEEDS, (feed) => removeFromFeed(feed, id));
}

/** As many as a person looks through. */
const FOUND = 10;

export async function findBusinesses(search: string | undefined, signal: AbortSignal): Promise<readonly Business[]> {
  return (await parley.businesses.list({ search, limit: FOUND, skipCount: true }, { signal })).result;
}
