/** The company's keys, newest first, and their changes. */
import type { ApiKey } from '@parley/sdk';
import { parley } from '../../client.ts';
import { changeFeeds, placeInFeed, useFeed, type FeedView } from '../../records/feeds.ts';

const KEYS_KEY = ['api-keys'] as const;

export function useKeys(): FeedView<ApiKey> {
  const read = (after: string | undefined, signal?: AbortSignal): ReturnType<typeof parley.apiKeys.list> =>
    parley.apiKeys.list({ limit: 50, skipCount: true, after }, { signal });
  return useFeed<ApiKey>(KEYS_KEY, read, { isLive: false });
}

export function showKey(key: ApiKey): void {
  changeFeeds<ApiKey>(KEYS_KEY, (feed) => placeInFeed(feed, key, ({ createdAt }) => createdAt));
}

export type KeyState = 'ACTIVE' | 'REVOKED' | 'EXPIRED';

export function findState({ revoked_at, expires_at }: ApiKey): KeyState {
  if (revoked_at !== null) return 'REVOKED';
  return expires_at !== null && Date.parse(expires_at) <= Date.now() ? 'EXPIRED' : 'ACTIVE';
}
