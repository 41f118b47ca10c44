/** Reads the parts of a mail that are no text: its files, also those in packs, and reports on other mails. */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { AttachmentStream, MessageText } from 'mailparser';
import { guessMediaType } from '../../platform/work/media/formats.ts';
import { openParser } from './mail-parser.ts';
import { isTnef, unpackTnef } from './tnef.ts';
import { asText, toLabel, toStorableText } from './words.ts';

/** The most bytes that are read of a part that reports on another mail. */
const MAX_REPORT = 64 * 1024;
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

/** Stands between the number of a part and the number of a file in it. */
export const PACKED = '~';

export interface MailFile {
  /** The number of the part, as IMAP counts parts; of a file in a pack, with its number in it. */
  part: string;
  mimeType: string;
  fileName: string | null;
  bytes: number;
  /** In hex. */
  sha256: string;
  /** A hash of the part, the same in all copies of the mail: servers change the ends of lines that are sent as they are. */
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

/** A file before the whole text is known. */
export interface ReadFile extends Omit<MailFile, 'quoted'> {
  /** The id by which the text shows it. */
  cid: string | undefined;
}

/** Returns the files of a part; none of one that only reports on another mail. */
export async function readPart(part: AttachmentStream): Promise<{ files: ReadFile[]; report: MailReport | null }> {
  const mimeType = part.contentType.toLowerCase();
  const reportType = REPORTS.get(mimeType);
  const isPack = isTnef(mimeType, part.filename);
  const hash = createHash('sha256');
  const identity = isBase64(part) ? null : hashLines();
  const kept: Buffer[] = [];
  let bytes = 0;
  for await (const piece of part.content as unknown as AsyncIterable<Buffer>) {
    hash.update(piece);
    identity?.update(piece);
    if (isPack || (reportType !== undefined && bytes < MAX_REPORT)) kept.push(piece);
    bytes += piece.length;
  }
  part.release();
  const sha256 = hash.digest('hex');
  const file = describeFile(part, { bytes, sha256, identity: identity?.digest() ?? sha256 });
  const content = Buffer.concat(kept);
  if (isPack) return { files: unpackFiles(file, content), report: null };
  if (reportType === undefined) return { files: [file], report: null };
  const text = toStorableText(content.subarray(0, MAX_REPORT).toString('utf8'));
  const isAttached = part.contentDisposition === 'attachment';
  // A person may also send another mail on as a part of their own.
  const isFile = isAttached || reportType === 'message/rfc822';
  return { files: isFile ? [file] : [], report: { mimeType: reportType, text, isAttached } };
}

function describeFile(part: AttachmentStream, content: Pick<MailFile, 'bytes' | 'sha256' | 'identity'>): ReadFile {
  return {
    part: findNumber(part),
    mimeType: readMediaType(part.contentType),
    fileName: toLabel(part.filename),
    ...content,
    cid: part.cid,
    inline: part.related === true && part.contentDisposition !== 'attachment',
  };
}

function readMediaType(text: string): string {
  const mimeType = text.toLowerCase();
  return /^[\w.+-]+\/[\w.+-]+$/.test(mimeType) ? mimeType : 'application/octet-stream';
}

/** Returns the files in a pack, or the pack itself when none can be taken out of it. */
function unpackFiles(pack: ReadFile, content: Buffer): ReadFile[] {
  const files = unpackTnef(content).map(({ fileName, mimeType, content: packed }, index) => ({
    ...pack,
    part: `${pack.part}${PACKED}${index + 1}`,
    mimeType: readMediaType(mimeType ?? guessMediaType(fileName ?? '')),
    fileName: toLabel(fileName),
    bytes: packed.length,
    sha256: createHash('sha256').update(packed).digest('hex'),
  }));
  return files.length > 0 ? files : [pack];
}

const findNumber = (part: AttachmentStream): string => (part as { partId?: string | null }).partId ?? '1';

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

/**
 * Returns the content of a file by the number of its part, and by its number in the pack that the part is; without a part, the item itself is
 * the pack. Null when there is no such file.
 */
export async function extractFile(item: Readable, name: string): Promise<Buffer | null> {
  const [part = '', packed] = name.split(PACKED);
  const content =
    part === ''
      ? Buffer.concat(await Array.fromAsync(item as AsyncIterable<Buffer>))
      : await readPartOfMail(item, part);
  if (packed === undefined || content === null) return content;
  return unpackTnef(content)[Number(packed) - 1]?.content ?? null;
}

async function readPartOfMail(source: Readable, part: string): Promise<Buffer | null> {
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
