/** Turns a mail into the elements that the platform stores: a message for its text and one for each file, or news about a mail of ours. */
import type { Inbound, InboundMessage, InboundReport, InboundUnreadable } from '../channel.ts';
import type { MessageContent } from '../content.ts';
import { EMAIL_ADDRESS, type Person } from '../identity.ts';
import { MAX_BYTES, type FileType } from '../../platform/work/media/formats.ts';
import { findAuthor, listReplyTo } from './author.ts';
import { isAutomatic } from './automatic.ts';
import { findOriginalIds, readBounce, readComplaint, reportsNoFailure } from './bounce.ts';
import { findOwnMessage, hashText, markFile, markTwin, toAlias } from './message-id.ts';
import type { Mail, MailAddress } from './parse.ts';
import { PACKED, type MailFile } from './part.ts';
import { stripQuoted } from './quoted.ts';
import { readUnsubscribe } from './unsubscribe.ts';
import { declareLimit } from '../../platform/values/limits.ts';

/** The longest text of a message, and the longest text of a whole mail. */
const MAX_CONTENT = declareLimit(32_768, {
  topic: 'E-mail',
  what: 'Received e-mail: text in `content`',
  unit: 'characters',
  beyond: 'cut',
});
const MAX_BODY = declareLimit(262_144, {
  topic: 'E-mail',
  what: 'Received e-mail: full text',
  unit: 'characters',
  beyond: 'cut',
});
/** Pictures in the text below this size are decoration: logos of signatures, and pixels that count readers. */
const MIN_INLINE_BYTES = declareLimit(8_192, {
  topic: 'E-mail',
  what: 'Received e-mail: smallest inline picture',
  unit: 'bytes',
  beyond: 'smaller ones are left out',
});

/** The most recipients that are shown of To and of Cc. */
const MAX_RECIPIENTS = declareLimit(10, {
  topic: 'E-mail',
  what: 'Received e-mail: recipients in To and in Cc',
  beyond: 'the others are left out',
});

/** How a mail arrived. */
export interface Arrival {
  /** The network's address of the inbox. */
  address: string;
  /** The mail address of the inbox. */
  recipient: string;
  /** When the mail server of the inbox received the mail; null when nobody knows it. */
  receivedAt: Date | null;
  /** Returns the id by which a file of the mail can be fetched later. */
  nameFile(file: MailFile): string;
}

/** Yields null for a mail that the platform ignores, such as a notice that a delivery takes longer. */
export function* toInbound(mail: Mail, arrival: Arrival): Generator<Inbound | null> {
  const timestamp = arrival.receivedAt ?? mail.date ?? new Date();
  const report = readReport(mail, arrival, timestamp);
  if (report) yield report;
  else if (isNotice(mail, arrival) || isSentByInbox(mail, arrival)) yield null;
  else yield* toStored(mail, arrival, timestamp);
}

/** The messages of the mail; a mail without a sender belongs to nobody, and is kept aside. */
function* toStored(mail: Mail, arrival: Arrival, timestamp: Date): Generator<InboundMessage | InboundUnreadable> {
  const { address } = arrival;
  if (mail.from) yield* toMessages(mail, arrival, timestamp);
  else yield { kind: 'unreadable', address, reason: 'The mail has no sender', raw: { subject: mail.subject } };
}

const findOwn = (ids: string[], { recipient }: Arrival): string | undefined =>
  ids.find((id) => findOwnMessage(id, recipient) !== null);

/** Servers also report about our mails that a delivery takes longer, or that it succeeded. */
const isNotice = (mail: Mail, arrival: Arrival): boolean =>
  reportsNoFailure(mail) && findOwn(findOriginalIds(mail), arrival) !== undefined;

/** Whether the inbox sent the mail itself. A form of a website also writes from its address, and names the person in Reply-To. */
function isSentByInbox(mail: Mail, { recipient }: Arrival): boolean {
  const { from, messageId } = mail;
  const isOwn = messageId !== null && findOwnMessage(messageId, recipient) !== null;
  return isOwn || (from !== null && findAuthor(mail, recipient) === null);
}

/** The most ids of a report that are looked up. */
const MAX_ALIASES = 10;

/** Returns the report about a mail that may be ours; null for any other mail. */
function readReport(mail: Mail, arrival: Arrival, timestamp: Date): InboundReport | null {
  const refused = readUnsubscribe(mail, arrival.recipient);
  const complaint = refused === null ? readComplaint(mail) : [refused];
  const bounce = complaint ? null : readBounce(mail);
  const ids = complaint ?? bounce?.ids ?? [];
  const named = refused === null ? (bounce?.recipients ?? []) : [mail.from?.address ?? ''];
  if (ids.length === 0) return null;
  const externalId = findOwn(ids, arrival);
  const messageId = externalId === undefined ? null : findOwnMessage(externalId, arrival.recipient);
  return {
    kind: 'report',
    address: arrival.address,
    timestamp,
    own: externalId === undefined || messageId === null ? null : { messageId, externalId },
    aliases: ids.slice(0, MAX_ALIASES).map((id) => toAlias(id)),
    // The address that a complaint names is often made unreadable; the id of the mail alone decides who complains.
    recipients: named.map((recipient) => EMAIL_ADDRESS.identify(recipient)),
    errors: bounce && [{ code: bounce.status, title: 'The mail was returned', message: bounce.words, details: '' }],
    mail: isSentByInbox(mail, arrival) ? [] : [...toStored(mail, arrival, timestamp)],
  };
}

function* toMessages(mail: Mail, arrival: Arrival, timestamp: Date): Generator<InboundMessage> {
  const id = mail.messageId ?? nameMail(mail);
  const replyTo = mail.inReplyTo[0] ?? mail.references.at(-1) ?? null;
  const digest = digestMail(mail);
  const otherId = markTwin(id, digest);
  const base = {
    kind: 'message' as const,
    address: arrival.address,
    timestamp,
    origin: 'live' as const,
    fromBusiness: false,
    system: false,
    person: namePerson(findAuthor(mail, arrival.recipient)),
    replyTo,
    ...(replyTo !== null && { replyToAlias: toAlias(replyTo) }),
    referral: null,
    forwarded: null,
    errors: [],
    historyStatus: null,
    renamed: null,
    ...(isAutomatic(mail) && { isAutomatic: true as const }),
  };
  const files = mail.files.filter(isOwnFile);
  const text = readText(mail);
  const about = {
    subject: mail.subject,
    to: listAddresses(mail.to),
    cc: listAddresses(mail.cc),
    reply_to: findReplyTo(mail, arrival),
  };
  const email = { ...about, is_shortened: text.body !== undefined };
  const first = { externalId: id, distinct: { firstId: id, digest, otherId } };
  if (mail.text !== '' || files.length === 0) {
    const { content, ...body } = text;
    yield { ...base, contentType: 'TEXT' as const, content, email, ...body, ...first };
  }
  for (const [index, file] of files.entries()) {
    const isFirst = index === 0 && mail.text === '';
    const further = {
      externalId: markFile(id, index + 1),
      distinct: { firstId: id, digest, otherId: markFile(otherId, index + 1) },
    };
    yield {
      ...base,
      ...toFileContent(file, arrival),
      ...(isFirst ? { email: { ...email, is_shortened: false }, ...first } : further),
    };
  }
}

/** A picture of a quoted mail has arrived with that mail, and a small one in the text is decoration. */
const isOwnFile = ({ inline, quoted, bytes }: MailFile): boolean =>
  bytes > 0 && !(inline && (quoted || bytes < MIN_INLINE_BYTES));

/**
 * Two mails are one when their author, date, subject, text and files are the same, and without a readable date what else tells mails apart.
 * Headers that servers add on the way (Delivered-To, Return-Path, further Received and the like) do not count, so that copies of one mail are
 * known again. Nothing but the bytes of the mail may count: with the time of the reading, each copy would be another mail. Digests are stored,
 * so a change of these formulas makes another mail of each stored one that arrives again.
 */
const digestMail = (mail: Mail): string => {
  const { from, subject, text, files } = mail;
  // The files of a pack have its identity: they were one file when the first digests were stored.
  const parts = new Map(files.map(({ part, identity }) => [part.split(PACKED, 1)[0], identity]));
  const identities = [...parts.values()];
  const words = text.replaceAll(/\s+/g, ' ');
  return hashText(JSON.stringify([from?.address, findDate(mail), subject, words, identities, ...listTraits(mail)]));
};

/** The id of a mail that has none. Blanks count only with a readable date, because ids of such mails are stored. */
const nameMail = (mail: Mail): string => {
  const text = mail.date === null ? mail.text.replaceAll(/\s+/g, ' ') : mail.text;
  return `hash-${hashText(JSON.stringify([mail.from, findDate(mail), mail.subject, text, ...listTraits(mail)]))}`;
};

/**
 * What tells apart mails that have no readable date, such as those of a website's form or of a device without a clock: their other headers,
 * their HTML, and when the first server received them. Empty with a date, which tells them apart already.
 */
const listTraits = (mail: Mail): unknown[] => {
  const { date, from, replyTo, to, cc, inReplyTo, references, htmlHash, firstReceived } = mail;
  return date === null ? [replyTo[0] ?? null, from?.name, to, cc, inReplyTo, references, htmlHash, firstReceived] : [];
};

const findDate = ({ date, unclearDate }: Mail): Date | string | null => date ?? unclearDate;

const namePerson = (author: MailAddress | null): Person => ({
  names: [EMAIL_ADDRESS.identify(author?.address ?? '')],
  ...(author && author.name !== null && { displayName: author.name }),
});

const listAddresses = (recipients: MailAddress[]): string[] =>
  recipients.slice(0, MAX_RECIPIENTS).map(({ address }) => address);

/** Where replies go; empty when they go to the sender. */
function findReplyTo(mail: Mail, { recipient }: Arrival): string[] {
  const addresses = [...new Set(listAddresses(listReplyTo(mail, recipient)))];
  return addresses.every((address) => address === mail.from?.address) ? [] : addresses;
}

interface MailText {
  content: string;
  /** The whole text, when the content is only a part of it. */
  body?: string;
}

/** Separates what the person wrote from what their program added. Some people write only a subject. */
function readText({ text, subject }: Mail): MailText {
  const written = stripQuoted(text, subject);
  if (written === '') return { content: cutText(subject ?? '', MAX_CONTENT) };
  const content = cutText(written, MAX_CONTENT);
  const isWhole = content.replaceAll(/\s+/g, '') === text.replaceAll(/\s+/g, '');
  return isWhole ? { content } : { content, body: cutText(text, MAX_BODY) };
}

const cutText = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text;

function toFileContent(file: MailFile, { nameFile }: Arrival): MessageContent {
  const { mimeType, fileName, bytes, sha256 } = file;
  return {
    contentType: findContentType(file),
    media: {
      mimeType,
      fileName,
      size: bytes,
      networkId: nameFile(file),
      sha256,
    },
  };
}

const KINDS: readonly (readonly [FileType, RegExp])[] = [
  ['IMAGE', /^image\/(jpeg|png|gif|webp)$/],
  ['AUDIO', /^audio\/(mpeg|ogg|aac|amr|mp4|webm)$/],
  ['VIDEO', /^video\/(mp4|3gpp)$/],
];

/** A file that is too large for its kind is a document, whose limit is higher. */
const findContentType = ({ mimeType, bytes }: MailFile): FileType =>
  KINDS.find(([kind, types]) => types.test(mimeType) && bytes <= MAX_BYTES[kind])?.[0] ?? 'DOCUMENT';
