/** The content of messages, both received and sent. */
import type { Readable } from 'node:stream';
import { OutboundError } from '../platform/outside/outbound-error.ts';
import type { FileType } from '../platform/work/media/formats.ts';

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

/** A file that a contact sent, as its network describes it. */
export interface ReceivedFile {
  mimeType: string | null;
  fileName: string | null;
  size: number | null;
  /** By which the network provides the file; null when it does not. It never leaves the platform, and neither does the hash. */
  networkId: string | null;
  sha256: string | null;
}

/** A file that a contact sent, and the most bytes that the caller takes of it. */
export interface WantedFile {
  media: ReceivedFile;
  maxBytes: number;
  /** The company whose share of what the platform fetches is used. */
  company: string;
}

/**
 * found: the file arrives as a stream, which the caller reads or destroys; the stream fails beyond `maxBytes`. A file that is `packed` has to
 * be taken out of what arrives: `extractFile` knows it by this name. `bytes` and `sha256` (in hex)
 * are what the network says of the file, null when it says nothing; the caller compares them with what arrives · gone: the network will
 * never hand the file out · failed: the caller may try again later. A reason is one sentence for people.
 */
export type FetchResult =
  | {
      outcome: 'found';
      body: Readable;
      mimeType: string | null;
      bytes: number | null;
      sha256: string | null;
      packed?: string;
    }
  | { outcome: 'gone'; reason: string }
  | { outcome: 'failed'; reason: string };

/** The parts of an interactive message of the business next to its text, in the form of the WhatsApp Cloud API. */
export interface InteractiveOffer {
  header?: Record<string, unknown>;
  footer?: Record<string, unknown>;
  action: Record<string, unknown>;
}

/**
 * What a contact chose. `type` is the network's own word: button_reply, list_reply, nfm_reply, button, order, … of what was chosen; button,
 * list, product, … of an offer.
 */
interface Interactive {
  type: string;
  id: string | null;
  title: string | null;
  description: string | null;
  payload: string | null;
  /** The data of a form (flow) or an order; a response that is not valid JSON stays a string. */
  response: unknown;
}

/** What the business offers with its text. All that a contact can choose is null. */
interface Offer extends Interactive {
  offer: InteractiveOffer;
}

/**
 * Of the first message of a received mail: its subject, the addresses of its recipients, and whether `content` is only a part of its text. Of a
 * sent mail: the subject and the recipients that its writer chose; without any in `to`, the contact.
 */
export interface MailHead {
  /** Only of a received mail whose author is not the contact, such as a person in Cc. */
  from?: { address: string; name: string | null };
  subject: string | null;
  to: string[];
  cc: string[];
  /** Only of a sent mail. */
  bcc?: string[];
  /** Where the sender wants replies; empty when they go to the sender. */
  reply_to: string[];
  is_shortened: boolean;
}

interface TextContent {
  contentType: 'TEXT';
  content: string | null;
  email?: MailHead;
}

/** A file with its caption. The file of a message that is sent travels next to its content. */
interface FileContent {
  contentType: FileType;
  content?: string | null;
  media?: ReceivedFile;
  email?: MailHead;
}

/** `content` is the text of the filled-in template. Of a template that the business sent elsewhere it may be all that is known. */
interface TemplateContent {
  contentType: 'TEMPLATE';
  content?: string | null;
  template?: { name: string; language: string; components: Record<string, unknown>[] };
}

interface InteractiveContent {
  contentType: 'INTERACTIVE';
  content?: string | null;
  interactive: Interactive | Offer;
}

interface LocationContent {
  contentType: 'LOCATION';
  location: {
    latitude: number;
    longitude: number;
    name: string | null;
    address: string | null;
    url: string | null;
  };
}

/** Shared contact cards, as the network sends them. */
interface ContactsContent {
  contentType: 'CONTACTS';
  contacts: unknown[];
}

/** A reaction whose `emoji` is null removes the earlier one. `isOurs`: the business sends it to a message of its own. */
interface ReactionContent {
  contentType: 'REACTION';
  reaction: { externalId: string; emoji: string | null; isOurs?: true };
}

/** `kind` is the network's name of the type, and `raw` the received element; null when it is too large to store. */
interface UnsupportedContent {
  contentType: 'UNSUPPORTED';
  content?: string | null;
  unsupported: { kind: string; raw: Record<string, unknown> | null };
}

/** The content of a message: each type has its own parts, which have the same names in the table and in the API. */
export type MessageContent =
  | TextContent
  | FileContent
  | TemplateContent
  | InteractiveContent
  | LocationContent
  | ContactsContent
  | ReactionContent
  | UnsupportedContent;

/** The content of this type. */
export type ContentOf<Type extends ContentType> = MessageContent extends infer Each
  ? Each extends { contentType: infer Types }
    ? Type extends Types
      ? Each
      : never
    : never
  : never;

type PartName = Exclude<
  MessageContent extends infer Each ? (Each extends unknown ? keyof Each : never) : never,
  'contentType'
>;
type Part<Name extends PartName> = MessageContent extends infer Each
  ? Each extends { [name in Name]?: infer Value }
    ? Exclude<Value, undefined>
    : never
  : never;
/** A content as the table and the API have it: parts that its type does not have are null. */
export type ContentParts = { contentType: ContentType } & { [Name in PartName]: Part<Name> | null };

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
} satisfies Record<PartName, null>;

export const listParts = (content: MessageContent): ContentParts => ({ ...NO_PARTS, ...content });

/** Returns the text or caption; null for a content without words. */
export const textOf = (content: MessageContent): string | null => listParts(content).content;

/** Returns the file that a contact sent; null for a content without one. */
export const findFile = (content: MessageContent): ReceivedFile | null => listParts(content).media;

/** What is not given is null. */
export const makeInteractiveReply = (type: string, parts: Partial<Interactive>): Interactive => ({
  type,
  id: null,
  title: null,
  description: null,
  payload: null,
  response: null,
  ...parts,
});

export const makeInteractiveOffer = (type: string, offer: InteractiveOffer): Offer => ({
  ...makeInteractiveReply(type, {}),
  offer,
});

/** Failure policy: the call is over, and a later try may find the network in a better state. */
export const explainFetchFailure = (error: unknown): Extract<FetchResult, { outcome: 'failed' }> => ({
  outcome: 'failed',
  reason: error instanceof OutboundError ? error.message : 'The file could not be fetched.',
});

/** Examples that the contract tests run over. */
export interface Samples {
  /** A number for an inbox, on channels whose inboxes need one. */
  number: string | null;
  /** One message for each content type that the channel sends. */
  contents: readonly MessageContent[];
  /** Callbacks of the network, as parsed JSON, to the inbox that has the sample settings. */
  callbacks: readonly unknown[];
}

/** Examples of a text and of the files that most networks carry. */
export const TEXT_AND_FILES: readonly MessageContent[] = [
  { contentType: 'TEXT', content: 'Bom dia! https://loja.example/a' },
  { contentType: 'IMAGE', content: 'A nova cor' },
  { contentType: 'AUDIO' },
  { contentType: 'VIDEO', content: 'Como se monta' },
  { contentType: 'DOCUMENT', content: 'O orçamento' },
];
