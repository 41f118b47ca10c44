/** The content of messages, both received and sent. */

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

/** The content of a message. The channels, the table and the API share these parts; parts that a content type does not have are null. */
export interface MessageContent {
  contentType: ContentType;
  content: string | null;
  media: MessageMedia | null;
  template: { name: string; language: string; components: Record<string, unknown>[] } | null;
  /** What the contact chose. `type` is the network's own word (button_reply, list_reply, nfm_reply, button, order, …). */
  interactive: {
    type: string;
    id: string | null;
    title: string | null;
    description: string | null;
    payload: string | null;
    /** The data of a form (flow) or an order; a response that is not valid JSON stays a string. */
    response: unknown;
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
  unsupported: null,
} satisfies Omit<MessageContent, 'contentType'>;

/** Returns a content with the given parts; all other parts are null. */
export function composeContent(contentType: ContentType, parts: Partial<MessageContent>): MessageContent {
  return { ...NO_PARTS, ...parts, contentType };
}
