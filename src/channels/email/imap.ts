/** Reads a mailbox by IMAP. Nothing in it is changed: mails stay unread, and where they are. Runs in a child process. */
import type { ImapFlow, SearchObject } from 'imapflow';
import { MAX_MAIL_BYTES } from './limits.ts';
import { withMailbox, type MailboxConfig, type MailboxLine } from './mailbox.ts';
import { nameServer } from '../../platform/outside/mail-server.ts';
import { hashText } from './message-id.ts';
import { declareLimit } from '../../platform/values/limits.ts';

/** The most mails, and about the most bytes, that one call reads. */
const MAX_MAILS = 20;
const MAX_BYTES = 4 * 1024 * 1024;
/** After this time a call ends with the mails that it has, so that a slow server also makes progress. */
const MAX_READING_MS = 30_000;
/** After so many failures a mail is given up, so that the mails behind it arrive. */
const MAX_FAILURES = declareLimit(3, {
  topic: 'E-mail',
  what: 'Received e-mail: attempts to fetch it',
  beyond: 'the e-mail is left out',
});
const GIVEN_UP = 'The server failed to return the mail three times.';
const DAY_MS = 86_400_000;
/** The characters by which a mailbox differs from the others that the inbox had before. */
const OWNER_LENGTH = 16;

/** How far a mailbox has been read. */
export interface MailboxPosition {
  username: string;
  /** What the numbers of mails belong to: the server, the user, and the server's UIDVALIDITY (RFC 3501, 2.3.1.1). */
  numbering: string;
  lastUid: number;
  /** When the mailbox was read last. */
  readAt: Date;
  /** The next mail, when the server did not hand it out, and how often; absent otherwise. */
  unread?: { uid: number; failures: number };
}

interface FetchedMail {
  uid: number;
  /** When the server received the mail. */
  receivedAt: Date | null;
  source: Buffer;
  /** True when only the beginning of the mail was read, because it is too large. */
  isCut: boolean;
  /** Why the mail was given up, in one sentence for people; absent for mails that were read. */
  failure?: string;
}

export interface FetchedMails {
  /** The position after these mails. */
  position: MailboxPosition;
  mails: FetchedMail[];
  /** True when the mailbox has further mails. */
  hasMore: boolean;
}

/** The server did not return the next mail. The position counts the failures. */
export class MailUnread extends Error {
  readonly position: MailboxPosition;

  constructor(position: MailboxPosition, cause: unknown) {
    super('The server did not return the next mail.', { cause });
    this.position = position;
  }
}

/** Returns the position behind the mails that the mailbox has. */
export const readEnd = (line: MailboxLine): Promise<MailboxPosition> =>
  withMailbox(line, async (client) => findEnd(client, line.config));

/**
 * Reads the mails behind a position of this mailbox, the oldest first. Without a position nothing is read but the position of the end, because a
 * mailbox may hold years of mails. Throws LogInRefused, ServerExcess, MailUnread or an error of the library.
 */
export function readNewMails(line: MailboxLine, position: MailboxPosition | null): Promise<FetchedMails> {
  return withMailbox(line, async (client) => {
    const { username } = line.config;
    const end = findEnd(client, line.config);
    const { numbering, readAt } = end;
    if (!position) return { position: end, mails: [], hasMore: false };
    const uids = await findUids(client, position, numbering);
    const earlier = position.numbering === numbering ? position.unread : undefined;
    const { mails, failed } = await readMails(client, uids, findGivenUp(earlier));
    const last = mails.at(-1)?.uid ?? (position.numbering === numbering ? position.lastUid : end.lastUid);
    const next = { username, numbering, lastUid: last, readAt };
    // The mails before the one that failed are kept; the next call begins with it.
    if (!failed || mails.length > 0) return { position: next, mails, hasMore: mails.length < uids.length };
    // The caller has ended the call, so nothing is known of the mail.
    const { signal } = line;
    if (signal.aborted && (signal.reason as Error | undefined)?.name !== 'TimeoutError') throw failed.cause;
    const failures = earlier?.uid === failed.uid ? earlier.failures + 1 : 1;
    const lastUid = position.numbering === numbering ? position.lastUid : failed.uid - 1;
    throw new MailUnread({ ...next, lastUid, unread: { uid: failed.uid, failures } }, failed.cause);
  });
}

/** Returns the position behind all mails of the open mailbox. */
function findEnd({ mailbox }: ImapFlow, { imap_url, username }: MailboxConfig): MailboxPosition {
  if (!mailbox || !mailbox.uidNext) throw new Error('the server does not number its mails');
  const owner = hashText(`${nameServer(imap_url)} ${username}`).slice(0, OWNER_LENGTH);
  const numbering = `${owner}.${mailbox.uidValidity}`;
  return { username, numbering, lastUid: mailbox.uidNext - 1, readAt: new Date() };
}

/** The numbers of the mails behind a position. When the numbers of the mailbox have changed, those of the time since the last reading. */
async function findUids(client: ImapFlow, position: MailboxPosition, numbering: string): Promise<number[]> {
  const isValid = position.numbering === numbering;
  const query = isValid
    ? { uid: `${position.lastUid + 1}:*` }
    : { since: new Date(position.readAt.getTime() - DAY_MS) };
  const found = await search(client, query);
  // A range that begins behind the end names the last mail.
  return found.filter((uid) => !isValid || uid > position.lastUid).toSorted((a, b) => a - b);
}

async function search(client: ImapFlow, query: SearchObject): Promise<number[]> {
  const found = await client.search(query, { uid: true });
  // imapflow reports no errors of a search.
  if (!Array.isArray(found)) throw new Error('the server refused the search');
  return found;
}

/** Returns the UID of a mail that could not be read several times, and is stored without its content now. */
const findGivenUp = (unread: MailboxPosition['unread']): number | null =>
  unread && unread.failures >= MAX_FAILURES ? unread.uid : null;

interface ReadMails {
  mails: FetchedMail[];
  /** The mail at which reading has failed; null when it has not. */
  failed: { uid: number; cause: unknown } | null;
}

async function readMails(client: ImapFlow, uids: number[], givenUp: number | null): Promise<ReadMails> {
  const mails: FetchedMail[] = [];
  const startedMs = performance.now();
  let bytes = 0;
  for (const uid of uids.slice(0, MAX_MAILS)) {
    if (bytes >= MAX_BYTES || performance.now() - startedMs > MAX_READING_MS) break;
    try {
      const mail = uid === givenUp ? { ...makeEmpty(uid), failure: GIVEN_UP } : await readMail(client, uid);
      bytes += mail.source.length;
      mails.push(mail);
    } catch (cause) {
      // Failure policy: the mails before this one are returned, and the caller counts the failures of this one.
      return { mails, failed: { uid, cause } };
    }
  }
  return { mails, failed: null };
}

const makeEmpty = (uid: number): FetchedMail => ({ uid, receivedAt: null, source: Buffer.alloc(0), isCut: false });

async function readMail(client: ImapFlow, uid: number): Promise<FetchedMail> {
  const query = { uid: true, internalDate: true, source: { maxLength: MAX_MAIL_BYTES } };
  const mail = await client.fetchOne(String(uid), query, { uid: true });
  if (!mail) {
    // A mail that was removed meanwhile is an empty one, so that the position moves on behind it.
    if ((await search(client, { uid: String(uid) })).includes(uid))
      throw new Error('the server answered without the mail');
    return makeEmpty(uid);
  }
  const { source } = mail;
  if (!source) throw new Error('the server answered without the content of the mail');
  const received = new Date(mail.internalDate ?? Number.NaN);
  return {
    uid,
    receivedAt: Number.isNaN(received.getTime()) ? null : received,
    source,
    // Some servers only estimate the sizes of mails, so the size that they name decides nothing.
    isCut: source.length >= MAX_MAIL_BYTES,
  };
}

/** A part of a mail: its file. */
export interface MailPart {
  numbering: string;
  uid: number;
  /** The number of the part, as IMAP counts parts. */
  part: string;
  maxBytes: number;
}

/** Returns the file of a mail; null when the mail is gone. Of a file that is larger than `maxBytes` one byte more is returned. */
export const readPart = (line: MailboxLine, { numbering, uid, part, maxBytes }: MailPart): Promise<Buffer | null> =>
  withMailbox(line, async (client) => {
    if (findEnd(client, line.config).numbering !== numbering) return null;
    const found = await client.download(String(uid), part, { uid: true, maxBytes: maxBytes + 1 });
    return found.content ? Buffer.concat(await found.content.toArray()) : null;
  });
