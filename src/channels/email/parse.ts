/** Reads a mail as it was sent (RFC 5322, MIME) into what the platform needs of it. Works without a network, and on any bytes. */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { AddressObject, AttachmentStream, Headers, MessageText } from 'mailparser';
import { readHtml } from './html-text.ts';
import { readMailDate, readUnclearDate } from './mail-date.ts';
import { openParser, type LenientParser } from './mail-parser.ts';
import { hashText, readMessageId, readMessageIds } from './message-id.ts';
import { foldBlanks, toLabel, toStorableText } from './words.ts';

/** The most files of a mail that become messages. */
const MAX_FILES = 30;
/** The most bytes that are read of a part that reports on another mail. */
const MAX_REPORT = 64 * 1024;
/** The most addresses that are read of a header. */
const MAX_ADDRESSES = 100;
/** Parts that say what became of another mail, or that contain that mail, with the types that RFC 6533 gives them. */
const REPORTS = new Map([
  ['message/delivery-status', 'message/delivery-status'],
  ['message/global-delivery-status', 'message/delivery-status'],
  ['message/rfc822', 'message/rfc822'],
  ['message/global', 'message/rfc822'],
  ['text/rfc822-headers', 'text/rfc822-headers'],
  ['message/global-headers', 'text/rfc822-headers'],
  ['message/feedback-report', 'message/feedback-report'],
]);

export interface MailAddress {
  /** Always in lower case. */
  address: string;
  name: string | null;
}

export interface MailFile {
  /** The number of the part, as IMAP counts parts. */
  part: string;
  mimeType: string;
  fileName: string | null;
  bytes: number;
  /** In hex. */
  sha256: string;
  /** A hash by which copies of the mail have the same file: servers change the ends of lines that are sent as they are. */
  identity: string;
  /** True for a picture that the text shows. */
  inline: boolean;
  /** True for a picture that only quoted parts of the text show. */
  quoted: boolean;
}

/** A part of a mail that reports on another mail, as text. */
export interface MailReport {
  mimeType: string;
  text: string;
  /** True for an attachment, which may also be a file that a person sends. */
  isAttached: boolean;
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
      const { file, report } = await readPart(data);
      if (report) reports.push(report);
      // A person may also send another mail on as a part of their own.
      const isFile = !report || report.isAttached || report.mimeType === 'message/rfc822';
      if (isFile && files.length < MAX_FILES) files.push(file);
    }
  }
  return parser.isCut ? { ...parts, files: [] } : parts;
}

/** Returns the content of a file by the number of its part; null when the mail has no file with this number. */
export async function readFileOfMail(source: Readable, part: string): Promise<Buffer | null> {
  const kept: Buffer[] = [];
  let isFound = false;
  for await (const data of openParser(source) as AsyncIterable<AttachmentStream | MessageText>) {
    if (data.type === 'text') continue;
    const isWanted: boolean = !isFound && findNumber(data) === part;
    isFound ||= isWanted;
    for await (const piece of data.content as unknown as AsyncIterable<Buffer>) if (isWanted) kept.push(piece);
    data.release();
  }
  return isFound ? Buffer.concat(kept) : null;
}

const findNumber = (part: AttachmentStream): string => (part as { partId?: string | null }).partId ?? '1';

/** A file before the whole text is known. */
interface ReadFile extends Omit<MailFile, 'quoted'> {
  /** The id by which the text shows it. */
  cid: string | undefined;
}

async function readPart(part: AttachmentStream): Promise<{ file: ReadFile; report: MailReport | null }> {
  const { contentType, filename, contentDisposition, related } = part;
  const mimeType = contentType.toLowerCase();
  const reportType = REPORTS.get(mimeType);
  const hash = createHash('sha256');
  const identity = isBase64(part) ? null : hashLines();
  const kept: Buffer[] = [];
  let bytes = 0;
  for await (const piece of part.content as unknown as AsyncIterable<Buffer>) {
    hash.update(piece);
    identity?.update(piece);
    if (reportType !== undefined && bytes < MAX_REPORT) kept.push(piece);
    bytes += piece.length;
  }
  part.release();
  const text = Buffer.concat(kept).subarray(0, MAX_REPORT).toString('utf8');
  const sha256 = hash.digest('hex');
  return {
    file: {
      part: findNumber(part),
      mimeType: /^[\w.+-]+\/[\w.+-]+$/.test(mimeType) ? mimeType : 'application/octet-stream',
      fileName: toLabel(filename),
      bytes,
      sha256,
      identity: identity?.digest() ?? sha256,
      cid: part.cid,
      inline: related === true && contentDisposition !== 'attachment',
    },
    report: reportType
      ? { mimeType: reportType, text: toStorableText(text), isAttached: contentDisposition === 'attachment' }
      : null,
  };
}

const isBase64 = ({ headers }: AttachmentStream): boolean =>
  asText(headers.get('content-transfer-encoding')).trim().toLowerCase() === 'base64';

/** Hashes text with the line ends that mails have on their way (CRLF): a program that pushes mails often hands them over with LF. */
function hashLines(): { update(piece: Buffer): void; digest(): string } {
  const hash = createHash('sha256');
  let endsInReturn = false;
  return {
    update(piece) {
      if (piece.length === 0) return;
      const text = piece.toString('latin1');
      const isContinued = endsInReturn && text.startsWith('\n');
      endsInReturn = text.endsWith('\r');
      if (isContinued) hash.update('\n');
      const rest = isContinued ? text.slice(1) : text;
      hash.update(rest.replaceAll(/(?<!\r)\n/g, '\r\n'), 'latin1');
    },
    digest: () => hash.digest('hex'),
  };
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

const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

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
