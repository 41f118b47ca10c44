/** The port for networks that keep what arrives until it is fetched, such as mailboxes. */
import type { Readable } from 'node:stream';

/** What the network says of how far an inbox has been read. It is stored as JSON, and only the channel knows its meaning. */
export type FetchPosition = Record<string, unknown>;

/** Where fetching goes on. */
export interface FetchPlace {
  /** The position behind what was fetched; null before the first fetch. */
  position: FetchPosition | null;
  /** The end of what the network kept when it accepted the inbox; null for an inbox that was accepted before that was noted. */
  start: FetchPosition | null;
}

/** One thing that arrived. */
export interface FetchedItem {
  /** Names the item at the network; the channel fetches its files by it later. */
  reference: string;
  /** The name under which people write to the inbox, such as a mail address. */
  recipient: string;
  /** When the network received the item; null when it does not say. */
  receivedAt: Date | null;
  raw: Buffer;
  /** The position behind the item, at which the next call may begin when the caller has no time for the further items. */
  position: FetchPosition;
  /** True when only the beginning was fetched, because the item is too large. */
  isCut: boolean;
  /** Why the network never handed out the item, in one sentence for people. Such an item is kept aside. */
  failure?: string;
}

/** An item in the process that translates it, where its bytes are read piece by piece. */
export interface TranslatedItem extends Omit<FetchedItem, 'raw' | 'position' | 'failure'> {
  /** The network's address of the inbox. */
  address: string;
  raw: Readable;
}

/** The request for a translation: the channel, the size of the item, and what its network says of it. */
export interface TranslationRequest {
  translate: string;
  bytes: number;
  item: Omit<TranslatedItem, 'raw'>;
}

export const isTranslation = (request: object): request is TranslationRequest => 'translate' in request;

/**
 * fetched: `position` is the one behind the items; `hasMore` is true when the network has further ones · refused: the network does not
 * accept the credentials any more · failed: the caller may try again later, from `position` when there is one. `error` is one sentence for people.
 */
export type FetchedItems =
  | { outcome: 'fetched'; items: FetchedItem[]; position: FetchPosition; hasMore: boolean }
  | { outcome: 'refused'; error: string }
  | { outcome: 'failed'; error: string; position?: FetchPosition };
