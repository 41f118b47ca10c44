/** The messages before a message. */
import type { Person } from './identity.ts';

/** The messages before a message, for networks whose messages refer to each other. */
export interface MessageThread {
  /** The subject of the last message that has one. */
  subject: string | null;
  /** The network's ids of earlier messages, the oldest first. */
  ids: string[];
  /** Where the contact wants replies to the last received message; empty when that is the contact's own address. */
  replyTo: string[];
}

/** The last message of a contact, which is marked as read or is being answered. */
export interface AnsweredMessage {
  externalId: string;
  /** The contact; the first name is the one to which an answer is sent. */
  person: Person;
}
