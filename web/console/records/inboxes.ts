/** The company's inboxes, newest first, and whether each works. */
import type { Inbox, InboxHealth } from '@parley/sdk';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { parley } from '../client.ts';
import { whenLive } from '../live/status.ts';
import { replaceInCompany, rereadCompany } from './company.ts';
import { changeFeeds, placeInFeed, useFeed, type FeedView } from './feeds.ts';
import { LIVE, queries } from './queries.ts';

const FEEDS = ['inboxes'] as const;
const RECORDS = 'inbox';
const HEALTH = 'inbox-health';
const keyOf = (id: string): readonly string[] => [RECORDS, id];

/** Messages may pass many times a second. The health of their inbox is read again after this time, once for all of them. */
const HEALTH_PAUSE_MS = 2_000;

export const useInboxList = (): FeedView<Inbox> =>
  useFeed<Inbox>(FEEDS, (after, signal) => parley.inboxes.list({ limit: 50, skipCount: true, after }, { signal }));

export const useInbox = (id: string): UseQueryResult<Inbox> =>
  useQuery<Inbox>({
    queryKey: keyOf(id),
    queryFn: async ({ signal }) => {
      await whenLive();
      return parley.inboxes.get(id, { signal });
    },
    ...LIVE,
  });

export const useInboxHealth = (id: string): UseQueryResult<InboxHealth> =>
  useQuery({
    queryKey: [HEALTH, id],
    queryFn: async ({ signal }) => {
      await whenLive();
      return parley.inboxes.getHealth(id, { signal });
    },
  });

/** Shows an inbox as it is now, wherever it is shown or named. */
export function showInbox(inbox: Inbox): void {
  queries.setQueryData(keyOf(inbox._id), inbox);
  changeFeeds<Inbox>(FEEDS, (feed) => placeInFeed(feed, inbox, ({ createdAt }) => createdAt));
  replaceInCompany('inboxes', inbox);
  rereadHealthSoon(inbox._id);
}

const awaited = new Set<string>();

/** Reads the health of an inbox again where it is shown, because a message of it has come, gone or failed. */
export function rereadHealthSoon(id: string): void {
  if (
    awaited.has(id) ||
    !queries
      .getQueryCache()
      .find({ queryKey: [HEALTH, id] })
      ?.isActive()
  )
    return;
  awaited.add(id);
  setTimeout(() => {
    awaited.delete(id);
    void queries.invalidateQueries({ queryKey: [HEALTH, id] });
  }, HEALTH_PAUSE_MS);
}

export function rereadInboxes(): void {
  for (const key of [FEEDS, [RECORDS], [HEALTH]]) void queries.invalidateQueries({ queryKey: key });
  rereadCompany('inboxes');
}
