/** What the user is notified of: the list, how much is unread, and the user's choice. */
import type { Notification, NotificationCounts, NotificationSettings, NotificationSettingsChange } from '@parley/sdk';
import { useMutation, useQuery, type UseMutationResult, type UseQueryResult } from '@tanstack/react-query';
import { parley } from '../client.ts';
import { whenLive } from '../live/status.ts';
import { changeFeeds, placeInFeed, removeFromFeed, useFeed, type FeedView } from './feeds.ts';
import { LIVE, queries } from './queries.ts';

const FEEDS = ['notifications'] as const;
const COUNT = ['notification-count'] as const;
const SETTINGS = ['notification-settings'] as const;
const PAGE = 30;
const UNREAD = 'UNREAD';
const isKind = (shown: unknown): boolean => shown !== UNREAD && shown !== 'ALL';

type Kind = Notification['kind'];

/** The notifications of a kind, or all. */
export const useNotifications = (kind: Kind | null): FeedView<Notification> =>
  useFeed([...FEEDS, kind ?? 'ALL'], (after, signal) =>
    parley.notifications.list({ ...(kind && { kind }), limit: PAGE, skipCount: true, after }, { signal }),
  );

export const useUnread = (): FeedView<Notification> =>
  useFeed([...FEEDS, UNREAD], (after, signal) =>
    parley.notifications.list({ unread: true, limit: PAGE, skipCount: true, after }, { signal }),
  );

export const useUnreadNotifications = (): number => useUnreadCounts()?.unread ?? 0;

/** Undefined until they have been counted. */
export function useUnreadCounts(): NotificationCounts | undefined {
  const { data } = useQuery<NotificationCounts>({
    queryKey: COUNT,
    queryFn: async ({ signal }) => {
      await whenLive();
      return parley.notifications.count({ signal });
    },
    ...LIVE,
  });
  return data;
}

/** However many notifications change, they are counted once in this time at most. */
const COUNT_PAUSE_MS = 200;
let countTimer: number | undefined;

function countSoon(): void {
  countTimer ??= window.setTimeout(() => {
    countTimer = undefined;
    void queries.invalidateQueries({ queryKey: COUNT });
  }, COUNT_PAUSE_MS);
}

export function showNotification(notification: Notification): void {
  const { _id, kind, read_at } = notification;
  changeFeeds<Notification>(FEEDS, (feed, [, shown]) =>
    (shown === UNREAD && read_at !== null) || (isKind(shown) && shown !== kind)
      ? removeFromFeed(feed, _id)
      : placeInFeed(feed, notification, ({ createdAt }) => createdAt),
  );
  countSoon();
}

export function rereadNotifications(): void {
  for (const queryKey of [FEEDS, COUNT, SETTINGS]) void queries.invalidateQueries({ queryKey });
}

/** Marks notifications as read: those with these ids, or all that the user has now. */
export async function markNotificationsAsRead(ids: string[] | null): Promise<void> {
  const { result } = ids ? { result: [] } : await parley.notifications.list({ limit: 1, skipCount: true });
  const until = result[0]?.createdAt;
  if (ids === null && until === undefined) return;
  queries.setQueryData<NotificationCounts>(
    COUNT,
    await parley.notifications.markAsRead(ids ? { ids } : { until: until ?? '' }),
  );
}

export const useNotificationSettings = (): UseQueryResult<NotificationSettings> =>
  useQuery({ queryKey: SETTINGS, queryFn: ({ signal }) => parley.notificationSettings.get({ signal }) });

/** Where the user wants a kind. */
export async function findChoice(kind: Kind): Promise<NotificationSettings[Kind]> {
  const settings = await queries.ensureQueryData({
    queryKey: SETTINGS,
    queryFn: () => parley.notificationSettings.get(),
  });
  return settings[kind];
}

export const useNotificationChoice = (): UseMutationResult<NotificationSettings, Error, NotificationSettingsChange> =>
  useMutation({
    mutationFn: (change) => parley.notificationSettings.update(change),
    onSuccess: (settings) => void queries.setQueryData(SETTINGS, settings),
  });
