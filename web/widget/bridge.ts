/**
 * What the page of a site and the chat in its frame tell each other. Both name the exact origin of the other side and check the source of
 * each message. The visitor's token never leaves the frame.
 */

export type Side = 'LEFT' | 'RIGHT';

/** Where the visitor is on the site. */
export interface VisitedPage {
  url: string;
  title: string;
}

/** A message of the company, as the site hears of it. */
export interface NewMessage {
  id: string;
  author: { kind: string; name: string | null };
  contentType: string;
  content: string | null;
  createdAt: string;
}

/** What the page tells the chat. */
export type HostWord =
  | {
      parley: 'hello';
      isOpen: boolean;
      /** The language that the site has chosen. */
      language: string | null;
      /** The site's signed statement of who the visitor is. */
      identity: string | null;
      /** The visitor has logged out before the chat was there. */
      isReset: boolean;
      page: VisitedPage;
    }
  | { parley: 'open'; takesFocus: boolean }
  | { parley: 'close' }
  | { parley: 'identify'; identity: string }
  | { parley: 'reset' }
  | { parley: 'language'; language: string }
  | { parley: 'page'; page: VisitedPage };

/** What the chat tells the page. */
export type FrameWord =
  | { parley: 'ready' }
  | { parley: 'settings'; color: string; position: Side; language: string | null }
  /** The browser has a visitor now, or has none any more. */
  | { parley: 'visitor'; isKnown: boolean }
  | { parley: 'unread'; count: number }
  | { parley: 'message'; message: NewMessage }
  | { parley: 'close' };

/** Returns what the other side has told; null when the message is from somebody else, such as another script or frame of the page. */
export function readWord<Word extends HostWord | FrameWord>(
  event: MessageEvent<unknown>,
  from: { source: unknown; origin: string },
): Word | null {
  if (event.source !== from.source || event.origin !== from.origin) return null;
  const word = event.data as { parley?: unknown } | null;
  return typeof word === 'object' && typeof word?.parley === 'string' ? (word as Word) : null;
}
