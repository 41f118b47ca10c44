/** Reads a mail as it was sent (RFC 5322, MIME) into what the platform needs of it. Works without a network, and on any bytes. */
import type { Readable } from 'node:stream';
import type { AddressObject, AttachmentStream, Headers, MessageText } from 'mailparser';
import { readHtml } from './html-text.ts';
import { readMailDate, readUnclearDate } from './mail-date.ts';
import { openParser, type LenientParser } from './mail-parser.ts';
import { hashText, readMessageId, readMessageIds } from './message-id.ts';
import { readPart, type MailFile, type MailReport, type ReadFile } from './part.ts';
import { asText, foldBlanks, toLabel, toStorableText } from './words.ts';
import { declareLimit } from '../../platform/values/limits.ts';

/** The most files of a mail that become messages. */
const MAX_FILES = declareLimit(30, {
  topic: 'E-mail',
  what: 'Received e-mail: files',
  beyond: 'the others are left out',
});
/** The most addresses that are read of a header. */
const MAX_ADDRESSES = 100;
export interface MailAddress {
  /** Always in lower case. */
  address: string;
  name: string | null;
}

export interface Mail {
  /** Without angle brackets, as all ids; null when the mail has none. */
  messageId: string | null;
  inReplyTo: string[];
  references: string[];
  from: MailAddress | null;
  replyTo: MailAddress[];
  /** The address to which members of a mailing list write (List-Post); null for any other mail. */
  listAddress: string | null;
  to: MailAddress[];
  cc: MailAddress[];
  subject: string | null;
  /** Null when the mail has no readable time. */
  date: Date | null;
  /** What the mail states instead of a readable time; null when it states nothing. */
  unclearDate: string | null;
  /** The oldest Received header in one line: the first server writes it, so all copies that came through that server have it; null without one. */
  firstReceived: string | null;
  /** The whole readable text, with quoted parts and signature. */
  text: string;
  /** A hash of the HTML, in which all blanks are the same; null when the mail has none. */
  htmlHash: string | null;
  files: MailFile[];
  reports: MailReport[];
  /** The headers by which programs mark their mails, in lower case. */
  marks: ReadonlyMap<string, string>;
}

/** The headers that tell mails of programs from mails of people (RFC 3834 and the usual ones besides it). */
const MARKS = [
  'from',
  'auto-submitted',
  'precedence',
  'x-auto-response-suppress',
  'x-autoreply',
  'x-autorespond',
  'x-loop',
  'list',
  'return-path',
  'content-type',
  'x-failed-recipients',
];

/** Reads a mail. Of one that exceeds the limits only the text that was read before is kept, because it is not known which files are missing. */
export async function parseMail(source: Readable): Promise<Mail> {
  const parser = openParser(source);
  let headers: Headers = new Map();
  parser.once('headers', (read: Headers) => (headers = read));
  let lines: HeaderLines = [];
  parser.once('headerLines', (read: HeaderLines) => (lines = read));
  const { body, files, reports } = await readParts(parser);
  const { text, quotedPictures } = readText(body);
  const marked = files.map(({ cid, ...file }) => ({ ...file, quoted: cid !== undefined && quotedPictures.has(cid) }));
  const htmlHash = body?.html ? hashText(foldBlanks(String(body.html))) : null;
  return { ...readEnvelope(headers, lines), text, htmlHash, files: marked, reports, marks: readMarks(headers, lines) };
}

interface ReadParts {
  body: MessageText | null;
  files: ReadFile[];
  reports: MailReport[];
}

async function readParts(parser: LenientParser): Promise<ReadParts> {
  const parts: ReadParts = { body: null, files: [], reports: [] };
  const { files, reports } = parts;
  for await (const data of parser as AsyncIterable<AttachmentStream | MessageText>) {
    if (data.type === 'text') parts.body = data;
    else {
      const { files: found, report } = await readPart(data);
      if (report) reports.push(report);
      files.push(...found.slice(0, MAX_FILES - files.length));
    }
  }
  return parser.isCut ? { ...parts, files: [] } : parts;
}

/** Prefers the plain text of a mail, and otherwise takes the text of its HTML. */
function readText(body: MessageText | null): ReturnType<typeof readHtml> {
  const html = readHtml(body?.html ? String(body.html) : '');
  const plain = toStorableText(body?.text ?? '').replaceAll('\r', '');
  return { ...html, text: (plain.trim() === '' ? toStorableText(html.text) : plain).trim() };
}

type Envelope = Omit<Mail, 'text' | 'htmlHash' | 'files' | 'reports' | 'marks'>;

function readEnvelope(headers: Headers, lines: HeaderLines): Envelope {
  // The library splits ids at spaces, and some programs write ids with spaces.
  const readRaw = (name: string): string | undefined =>
    lines.find(({ key }) => key === name)?.line.slice(name.length + 1);
  // For an unreadable date the library returns the current time, so each copy would look like a different mail. The raw header is read instead.
  const date = lines.findLast(({ key }) => key === 'date')?.line.slice('date:'.length);
  const received = lines.findLast(({ key }) => key === 'received')?.line.slice('received:'.length) ?? '';
  return {
    messageId: readMessageId(readRaw('message-id')),
    inReplyTo: readMessageIds(readRaw('in-reply-to')),
    references: readMessageIds(readRaw('references')),
    from: readAddresses(headers.get('from'))[0] ?? null,
    replyTo: readAddresses(headers.get('reply-to')),
    listAddress: readListAddress(headers.get('list')),
    to: readAddresses(headers.get('to')),
    cc: readAddresses(headers.get('cc')),
    subject: toLabel(asText(headers.get('subject'))),
    date: readMailDate(date),
    unclearDate: readUnclearDate(date),
    firstReceived: foldBlanks(received) || null,
  };
}

/** Matches an address without spaces, brackets, quotes or control characters. Others belong to nobody who could be answered. */
const ADDRESS = /^[^\s\p{C}"(),:;<>@[\\\]]{1,64}@[^\s\p{C}"(),:;<>@[\\\]]{1,255}$/u;

function readAddresses(value: unknown): MailAddress[] {
  const lists = [value].flat().filter((each) => typeof each === 'object' && each !== null) as AddressObject[];
  const all = lists.flatMap((list) => list.value).flatMap((each) => each.group ?? [each]);
  return all
    .map(({ address, name }) => ({ address: (address ?? '').trim().toLowerCase(), name: toLabel(name) }))
    .filter(({ address }) => ADDRESS.test(address))
    .slice(0, MAX_ADDRESSES);
}

const readListAddress = (list: unknown): string | null =>
  asText((list as { post?: { mail?: string } } | undefined)?.post?.mail).toLowerCase() || null;

/** The headers as they stand in the mail. */
type HeaderLines = readonly { key: string; line: string }[];

function readMarks(headers: Headers, lines: HeaderLines): Map<string, string> {
  const marks = new Map<string, string>();
  for (const name of MARKS) {
    const value = headers.get(name);
    if (value !== undefined) marks.set(name, toMark(value));
  }
  // Of the headers with addresses the library keeps no empty one, which is the mark of a report.
  if (lines.some(({ key, line }) => key === 'return-path' && /^[^:]*:\s*<\s*>\s*$/.test(line)))
    marks.set('return-path', '<>');
  return marks;
}

function toMark(value: unknown): string {
  if (typeof value === 'string') return value.trim().toLowerCase();
  const { value: inner, text } = value as { value?: unknown; text?: unknown };
  return typeof text === 'string' ? text.toLowerCase() : typeof inner === 'string' ? inner.toLowerCase() : 'given';
}
