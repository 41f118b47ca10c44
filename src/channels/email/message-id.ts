/** The ids of mails (Message-ID), by which mails refer to each other. They are kept without their angle brackets. */
import { createHash } from 'node:crypto';
import { toStorableText } from './words.ts';

/** The longest id that is stored as it is; an index entry of PostgreSQL holds at most about 2,700 bytes. */
const MAX_ID = 500;
/** The most ids that are read of one header. Programs shorten longer lists. */
const MAX_IDS = 100;

/** Reads the ids in a header that lists them; without duplicates, in their order. */
export function readMessageIds(header: string | undefined): string[] {
  const named = listBracketed(header ?? '');
  const ids = named.length > 0 ? named : (header ?? '').split(/[\s<>,]+/, 10 * MAX_IDS);
  return [...new Set(ids.flatMap((id) => toStoredId(id) ?? []))].slice(0, MAX_IDS);
}

/** Reads the id in the header of a mail that has it: the whole of it, whatever characters its program uses. */
export const readMessageId = (header: string | undefined): string | null =>
  toStoredId(listBracketed(header ?? '')[0] ?? header ?? '');

const listBracketed = (header: string): string[] =>
  Array.from(header.matchAll(/<([^<>]+)>/g), ([, id = '']) => id).slice(0, 10 * MAX_IDS);

/** An id with folded lines and control characters as single spaces; null when nothing is left of it. */
function toStoredId(text: string): string | null {
  const id = toStorableText(text)
    .replaceAll(/[<>\s\p{Cc}]+/gu, ' ')
    .trim();
  if (id === '') return null;
  const stored = id.length <= MAX_ID ? id : `sha256-${hashText(id)}`;
  return MARKED.test(stored) ? `${stored}${UNMARKED}` : stored;
}

/**
 * The platform's own marks behind the id of a mail: `#~` and a hash for another mail with the same id, `#` and a number for a file. An id
 * that ends like one of them gets the mark of the mail itself.
 */
const MARKED = /#(\d{1,2}|~[0-9a-f]{16})$/;
const UNMARKED = '#0';

/** The id of another mail that has the same id. */
export const markTwin = (id: string, digest: string): string => `${id}#~${digest.slice(0, 16)}`;

/** The id of the message that has a file of the mail; files are counted from 1. */
export const markFile = (id: string, number: number): string => `${id}#${number}`;

/** Returns the id as it stands in the mail. */
export const stripMarks = (id: string): string =>
  id.endsWith(UNMARKED) ? id.slice(0, -UNMARKED.length) : id.replace(/(#~[0-9a-f]{16})?(#\d{1,2})?$/, '');

export const hashText = (text: string): string => createHash('sha256').update(text).digest('hex');

const OWN = /^parley\.([0-9a-f]{24})@([^@]+)$/;

/** The id of the mail that carries one of our messages. It is the same however often it is made, so an unknown outcome can be found by it. */
export const makeMessageId = (message: string, address: string): string =>
  `parley.${message}@${address.slice(address.lastIndexOf('@') + 1)}`;

/** Returns our message that a mail with this id carries, when an inbox with this address sent it; null for any other mail. */
export function findOwnMessage(id: string, address: string): string | null {
  const [, message, domain] = OWN.exec(id) ?? [];
  return message !== undefined && makeMessageId(message, address) === `parley.${message}@${domain}` ? message : null;
}

/** Amazon's servers answer with the part before the `@` of the id that they give to the mail. */
const ANSWERED = /^250 (?:2\.\d{1,3}\.\d{1,3} )?Ok:? <?([\w.+=$-]{16,200}(?:@[\w.-]{1,200})?)>?$/i;
const BY_LOCAL_PART = /^([^@]+)@(?:[\w-]+\.)*amazonses\.com$/;

/** Reads the id that a server gave to a mail in the place of ours; undefined when its answer names none. */
export function readAlias(answer: string, ownId: string): string | undefined {
  const id = ANSWERED.exec(answer.trim())?.[1];
  return id === undefined || id === ownId ? undefined : toAlias(id);
}

/** The form in which such an id is compared. */
export const toAlias = (id: string): string => BY_LOCAL_PART.exec(id)?.[1] ?? id;
