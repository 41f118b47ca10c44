/** The port for what networks hand over whole: a mailbox keeps its mails until they are fetched, and a mail server may push them. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';

/** What the network says of how far an inbox has been read. It is stored as JSON, and only the channel knows its meaning. */
export type FetchPosition = Record<string, unknown>;

/** Where fetching goes on. */
export interface FetchPlace {
  /** The company whose share of what the platform fetches is used. */
  company: string;
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

/** The request for a file that a pushed item has brought: the channel, the size of the item, and the name that the channel gave the file. */
export interface ExtractionRequest {
  takeFrom: string;
  bytes: number;
  file: string;
}

export const isItemExtraction = (request: object): request is ExtractionRequest => 'takeFrom' in request;

/** How a network or a mail server pushes items to the path of an inbox. `translate` reads them, as those that are fetched. */
export interface PushedItems<Config = Record<string, unknown>> {
  /** The beginning of the path; a slash and the inbox's id follow. */
  path: `/hooks/${string}`;
  /** The media types of an item; the first is the right one, and the others are what programs send as well. */
  contentTypes: readonly string[];
  maxBytes: number;
  /** Whether the caller knows the secret of the inbox. */
  isAllowed(headers: IncomingHttpHeaders, config: Config): boolean;
  /** The name under which people write to the inbox. */
  findRecipient(config: Config): string;
}

/**
 * fetched: `position` is the one behind the items; `hasMore` is true when the network has further ones · refused: the network does not
 * accept the credentials any more · stopped: the server sends too much, so the inbox is an ERROR until a user saves it · failed: the caller
 * may try again later, from `position` when there is one. `error` is one sentence for people.
 */
export type FetchedItems =
  | { outcome: 'fetched'; items: FetchedItem[]; position: FetchPosition; hasMore: boolean }
  | { outcome: 'refused' | 'stopped'; error: string }
  | { outcome: 'failed'; error: string; position?: FetchPosition };

/** ended: the connection is gone, and may be opened again · not offered: the network has nothing of the kind · stopped: as above. */
export type WatchOutcome = { outcome: 'ended' | 'not offered' } | { outcome: 'stopped'; error: string };
