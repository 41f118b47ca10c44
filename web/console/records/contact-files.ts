/** The messages with a file that were exchanged with a contact, the newest first. */
import type { Message } from '@parley/sdk';
import { parley } from '../client.ts';
import { changeFeeds, placeInFeed, useFeed, type FeedView } from './feeds.ts';
import { queries } from './queries.ts';

const FEEDS = 'contact-files';
const PAGE = 10;

export const useContactFiles = (contact: string): FeedView<Message> =>
  useFeed([FEEDS, contact], (after, signal) =>
    parley.messages.search({ contact, has_file: true, limit: PAGE, skipCount: true, after }, { signal }),
  );

/** Shows a message with a file in the list of its contact, if that is known. */
export function showFile(message: Message): void {
  if (message.attachment === null) return;
  changeFeeds<Message>([FEEDS, message.contact], (feed) => placeInFeed(feed, message, ({ createdAt }) => createdAt));
}

export const rereadFiles = (): void => void queries.invalidateQueries({ queryKey: [FEEDS] });
