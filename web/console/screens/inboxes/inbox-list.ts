/** The company's inboxes, newest first, and their changes. */
import type { Inbox } from '@parley/sdk';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { parley } from '../../client.ts';
import { rereadCompany } from '../../records/company.ts';
import { changeFeeds, placeInFeed, useFeed, type FeedView } from '../../records/feeds.ts';
import { queries } from '../../records/queries.ts';
import { lacksLogIn } from './connection.tsx';

const INBOXES_KEY = ['inboxes'] as const;
const keyOf = (id: string): readonly string[] => ['inbox', id];

export function useInboxList(): FeedView<Inbox> {
  const read = (after: string | undefined, signal?: AbortSignal): ReturnType<typeof parley.inboxes.list> =>
    parley.inboxes.list({ limit: 50, skipCount: true, after }, { signal });
  return useFeed<Inbox>(INBOXES_KEY, read, { isLive: false });
}

/** How often a connection is looked at again that the platform is still checking. */
const CHECK_AGAIN_MS = 2_000;

/** An account that lost its log-in stays an error until somebody has logged in, so its inbox is followed as well. */
const isUndecided = (inbox: Inbox): boolean => inbox.connection.status === 'PENDING' || lacksLogIn(inbox);

interface InboxOptions {
  /** Reads the inbox again and again while its connection is being decided, because the live stream does not bring inboxes. */
  followCheck?: boolean;
}

export const useInbox = (id: string, { followCheck = false }: InboxOptions = {}): UseQueryResult<Inbox> =>
  useQuery<Inbox>({
    queryKey: keyOf(id),
    queryFn: ({ signal }) => parley.inboxes.get(id, { signal }),
    refetchInterval: ({ state }) => (followCheck && state.data && isUndecided(state.data) ? CHECK_AGAIN_MS : false),
  });

/** Shows an inbox as it is now, wherever it is shown or named. */
export function showInbox(inbox: Inbox): void {
  queries.setQueryData(keyOf(inbox._id), inbox);
  changeFeeds<Inbox>(INBOXES_KEY, (feed) => placeInFeed(feed, inbox, ({ createdAt }) => createdAt));
  rereadCompany('inboxes');
}
