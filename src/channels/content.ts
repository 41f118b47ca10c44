/** What a message says, in both directions. */

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

/**
 * What a message says, in both directions: the port, the table and the API share these parts. Parts that a content type does not have are
 * null.
 */
export interface MessageContent {
  contentType: ContentType;
  content: string | null;
  media: MessageMedia | null;
  template: { name: string; language: string; components: Record<string, unknown>[] } | null;
  /** The contact's choice: `type` is the network's (button_reply, list_reply, nfm_reply, button, order, …). */
  interactive: {
    type: string;
    id: string | null;
    title: string | null;
    description: string | null;
    payload: string | null;
    /** Structured answers (a flow's response, an order); a response that is not valid JSON stays a string. */
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
  /** `emoji` null takes the reaction back. */
  reaction: { externalId: string; emoji: string | null } | null;
  /** Of UNSUPPORTED: what the network calls it, and the element as it came; `raw` null where it is too large to keep. */
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

/** A content with these parts, and null for all others. */
export function composeContent(contentType: ContentType, parts: Partial<MessageContent>): MessageContent {
  return { ...NO_PARTS, ...parts, contentType };
}
