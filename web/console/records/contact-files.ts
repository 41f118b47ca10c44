/** The messages with a file that were exchanged with a contact, the newest first. */
import type { Message } from '@parley/sdk';
import { parley } from '../client.ts';
import { changeFeeds, placeInFeed, removeFromFeed, useFeed, type FeedView } from './feeds.ts';
import { queries } from './queries.ts';

const FEEDS = 'contact-files';
const PAGE = 10;

export const useContactFiles = (contact: string): FeedView<Message> =>
  useFeed([FEEDS, contact], (after, signal) =>
    parley.messages.search({ contact, has_file: true, limit: PAGE, skipCount: true, after }, { signal }),
  );

/** Lists a message while it has a file: one that is revoked loses its file. */
export const showFile = (message: Message): void =>
  changeFeeds<Message>([FEEDS, message.contact], (feed) =>
    message.attachment === null
      ? removeFromFeed(feed, message._id)
      : placeInFeed(feed, message, ({ createdAt }) => createdAt),
  );

export const rereadFiles = (): void => void queries.invalidateQueries({ queryKey: [FEEDS] });
