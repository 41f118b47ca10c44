/** Imports of contacts: their list, and the progress of each. */
import type { Import } from '@parley/sdk';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { parley } from '../client.ts';
import { whenLive } from '../live/status.ts';
import { changeFeeds, placeInFeed, useFeed, type FeedView } from './feeds.ts';
import { LIVE, queries } from './queries.ts';

const FEED = ['contact_imports'] as const;
const keyOf = (id: string): readonly string[] => ['contact_import', id];
const PAGE = 50;

export const useContactImports = (): FeedView<Import> =>
  useFeed(FEED, (after, signal) => parley.contacts.listImports({ limit: PAGE, skipCount: true, after }, { signal }));

export function useContactImport(id: string): UseQueryResult<Import> {
  return useQuery({
    queryKey: keyOf(id),
    queryFn: async ({ signal }) => {
      await whenLive();
      return parley.contacts.getImport(id, { signal });
    },
    ...LIVE,
  });
}

const createdOf = (record: Import): string => record.createdAt;

/** Shows how far an import is. An older state than the one that is shown is ignored. */
export function showContactImport(record: Import): void {
  const before = queries.getQueryData<Import>(keyOf(record._id));
  if (before && before.updatedAt > record.updatedAt) return;
  queries.setQueryData(keyOf(record._id), record);
  changeFeeds<Import>(FEED, (feed) => placeInFeed(feed, record, createdOf));
}

export function rereadContactImports(): void {
  for (const queryKey of [FEED, ['contact_import']]) void queries.invalidateQueries({ queryKey });
}
