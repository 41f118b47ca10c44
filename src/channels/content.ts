/** The content of messages, both received and sent. */
import type { Readable } from 'node:stream';

export const CONTENT_TYPES = [
  'TEXT',
  'IMAGE',
  'AUDIO',
  'VIDEO',
  'DOCUMENT',
  'STICKER',
  'TEMPLATE',
  'INTERACTIVE',
  'LOCATION',
  'CONTACTS',
  'REACTION',
  'UNSUPPORTED',
] as const;
export type ContentType = (typeof CONTENT_TYPES)[number];

export interface MessageMedia {
  networkId: string | null;
  mimeType: string | null;
  fileName: string | null;
  size: number | null;
  sha256: string | null;
  url: string | null;
  voice: boolean;
  animated: boolean;
}

/** A file that a contact sent, and the most bytes that the caller takes of it. */
export interface WantedFile {
  media: MessageMedia;
  maxBytes: number;
}

/**
 * found: the file arrives as a stream, which the caller reads or destroys; the stream fails beyond `maxBytes`. `bytes` and `sha256` (in hex)
 * are what the network says of the file, null when it says nothing; the caller compares them with what arrives · gone: the network will
 * never hand the file out · failed: the caller may try again later. A reason is one sentence for people.
 */
export type FetchResult =
  | { outcome: 'found'; body: Readable; mimeType: string | null; bytes: number | null; sha256: string | null }
  | { outcome: 'gone'; reason: string }
  | { outcome: 'failed'; reason: string };

/** The parts of an interactive message of the business beside its text, in the form of the WhatsApp Cloud API. */
export interface InteractiveOffer {
  header?: Record<string, unknown>;
  footer?: Record<string, unknown>;
  action: Record<string, unknown>;
}

/** The content of a message. The channels, the table and the API share these parts; parts that a content type does not have are null. */
export interface MessageContent {
  contentType: ContentType;
  content: string | null;
  media: MessageMedia | null;
  template: { name: string; language: string; components: Record<string, unknown>[] } | null;
  /**
   * What the contact chose, or what the business offers. `type` is the network's own word: button_reply, list_reply, nfm_reply, button,
   * order, … of what was chosen; button, list, product, … of an offer.
   */
  interactive: {
    type: string;
    id: string | null;
    title: string | null;
    description: string | null;
    payload: string | null;
    /** The data of a form (flow) or an order; a response that is not valid JSON stays a string. */
    response: unknown;
    /** What the business offers under the text of the message; absent in what a contact chose. */
    offer?: InteractiveOffer;
  } | null;
  location: {
    latitude: number;
    longitude: number;
    name: string | null;
    address: string | null;
    url: string | null;
  } | null;
  /** Shared contact cards, as the network sends them. */
  contacts: unknown[] | null;
  /** A reaction whose `emoji` is null removes the earlier one. */
  reaction: { externalId: string; emoji: string | null } | null;
  /** Of the first message of a mail: its subject, the addresses of its recipients, and whether `content` is only a part of its text. */
  email: { subject: string | null; to: string[]; cc: string[]; is_shortened: boolean } | null;
  /** Only for UNSUPPORTED: the network's name of the type, and the received element; `raw` is null when it is too large to store. */
  unsupported: { kind: string; raw: Record<string, unknown> | null } | null;
}

const NO_PARTS = {
  content: null,
  media: null,
  template: null,
  interactive: null,
  location: null,
  contacts: null,
  reaction: null,
  email: null,
  unsupported: null,
} satisfies Omit<MessageContent, 'contentType'>;

/** Returns a content with the given parts; all other parts are null. */
export function composeContent(contentType: ContentType, parts: Partial<MessageContent>): MessageContent {
  return { ...NO_PARTS, ...parts, contentType };
}

type Interactive = NonNullable<MessageContent['interactive']>;

/** Returns the interactive part of a content; what is not given is null. */
export function composeInteractive(type: string, parts: Partial<Interactive>): Interactive {
  return { type, id: null, title: null, description: null, payload: null, response: null, ...parts };
}

/** Examples that the contract tests run over. */
export interface Samples {
  /** A number for an inbox, on channels whose inboxes need one. */
  number: string | null;
  /** One message for each content type that the channel sends. */
  contents: readonly MessageContent[];
  /** Callbacks of the network, as parsed JSON, to the inbox that has the sample settings. */
  callbacks: readonly unknown[];
}
