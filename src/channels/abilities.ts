/** How channels differ, so that no other code asks for a channel by name. */
import type { ContentType } from './content.ts';
import { NO_MARKS, type TextMarks } from './marks.ts';
import type { MediaFormat } from './media.ts';

/** How channels differ. NO_ABILITIES has the value of each ability for channels that do not mention it. */
export interface Abilities {
  /** The content types that the channel sends. */
  content: readonly ContentType[];
  /** The most characters of a text; null on networks that take every text which the platform takes. */
  maxText: number | null;
  /** The most reply buttons of an interactive message; 0 on networks without them. */
  replyButtons: number;
  /** The marks with which the network formats words. Quotes and lists need none: "> " and "- " read well everywhere. */
  marks: TextMarks;
  /** Whether the network itself shows who of the business has written a message. */
  showsAuthors: boolean;
  /** The files that the channel sends, one entry for each content type that has a file. */
  media: readonly MediaFormat[];
  markRead: boolean;
  /** Whether the network shows to a contact that someone writes an answer. */
  typing: boolean;
  /** Whether a sent message can be deleted for everyone. */
  revoke: boolean;
  /** Whether a reaction stays once it is sent, because the network has no way to take it back. */
  keepsReactions: boolean;
  /** Whether the network has templates, which it reviews and which can be sent at any time. */
  templates: boolean;
  /** Whether messages belong to a thread, so that a message is sent with what is before it. */
  threads: boolean;
  /** Whether a message has a subject, and can go to further recipients. */
  subjects: boolean;
  /** Whether a message can carry an address at which its recipient unsubscribes. */
  unsubscribe: boolean;
  /** Whether the network reports each message that is sent through it, perhaps before it answers the call that sends the message. */
  echoesSends: boolean;
  /** Whether the network punishes accounts that send too quickly, so that the platform spaces what an account sends. */
  paced: boolean;
  window24h: boolean;
  reportsFailures: boolean;
}

export const NO_ABILITIES = {
  content: [],
  maxText: null,
  replyButtons: 0,
  marks: NO_MARKS,
  showsAuthors: false,
  media: [],
  markRead: false,
  typing: false,
  revoke: false,
  keepsReactions: false,
  templates: false,
  threads: false,
  subjects: false,
  unsubscribe: false,
  echoesSends: false,
  paced: false,
  window24h: false,
  reportsFailures: false,
} satisfies Abilities;
