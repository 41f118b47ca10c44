/** The notes about a contact, the newest first. */
import type { ContactNote } from '@parley/sdk';
import { parley } from '../client.ts';
import { changeFeeds, placeInFeed, removeFromFeed, useFeed, type FeedView } from './feeds.ts';
import { queries } from './queries.ts';

const FEEDS = 'contact-notes';
const PAGE = 10;

export const useNotes = (contact: string): FeedView<ContactNote> =>
  useFeed([FEEDS, contact], (after, signal) =>
    parley.contacts.listNotes(contact, { limit: PAGE, skipCount: true, after }, { signal }),
  );

/** Shows a note, unless a newer version is shown already: a response may arrive after a later event of the live stream. */
export function showNote(note: ContactNote): void {
  changeFeeds<ContactNote>([FEEDS], (feed, [, contact]) => {
    if (contact !== note.contact) return removeFromFeed(feed, note._id);
    const known = feed.items.find(({ _id }) => _id === note._id);
    return known && known.updatedAt > note.updatedAt ? feed : placeInFeed(feed, note, ({ createdAt }) => createdAt);
  });
}

export const forgetNote = (id: string): void => changeFeeds<ContactNote>([FEEDS], (feed) => removeFromFeed(feed, id));

export const rereadNotes = (): void => void queries.invalidateQueries({ queryKey: [FEEDS] });
