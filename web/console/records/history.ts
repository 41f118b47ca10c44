/** What happened to a conversation, the newest first. */
import type { HistoryEntry } from '@parley/sdk';
import { parley } from '../client.ts';
import { changeFeeds, placeInFeed, useFeed, type FeedView } from './feeds.ts';
import { queries } from './queries.ts';

const FEEDS = 'history';
const PAGE = 50;

export const useHistory = (conversation: string): FeedView<HistoryEntry> =>
  useFeed([FEEDS, conversation], (after, signal) =>
    parley.conversations.listHistory(conversation, { limit: PAGE, skipCount: true, after }, { signal }),
  );

export const showHistoryEntry = (entry: HistoryEntry): void =>
  changeFeeds<HistoryEntry>([FEEDS, entry.conversation], (feed) =>
    placeInFeed(feed, entry, ({ createdAt }) => createdAt),
  );

export const rereadHistory = (): void => void queries.invalidateQueries({ queryKey: [FEEDS] });
