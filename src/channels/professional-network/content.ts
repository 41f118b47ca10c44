/** Reads the contents of a message: its text, and one content for each further attachment. */
import type { ContentOf, MessageContent, ReceivedFile } from '../content.ts';
import type { FileType } from '../../platform/work/media/formats.ts';
import {
  asBoolean,
  asElements,
  asIdentifier,
  asLabel,
  asNumber,
  asRecord,
  asText,
  toStorable,
  type Json,
} from '../values.ts';

/** The most attachments of a message that are read; the network's own page takes fewer. */
const MAX_ATTACHMENTS = 20;
/** The largest unsupported message that is stored as it was received. */
const MAX_RAW_BYTES = 16_384;

const KINDS = new Map<string, FileType>([
  ['img', 'IMAGE'],
  ['video', 'VIDEO'],
  ['audio', 'AUDIO'],
  ['file', 'DOCUMENT'],
]);

/** Flags are 0 and 1 in the gateway's answers, and booleans in most of its events. */
export const isSet = (flag: unknown): boolean => asBoolean(flag) || asNumber(flag) === 1;

/** The name of a received file: the ids of its message and of the attachment, which have no spaces. */
const nameFile = (message: string, attachment: string): string => `${message} ${attachment}`;

export function readFileName(name: string): [message: string, attachment: string] {
  const space = name.indexOf(' ');
  return [name.slice(0, space), name.slice(space + 1)];
}

/** Returns the contents of a message, of which the first has its text; empty when the message says nothing. */
export function readContents(message: Json, id: string): MessageContent[] {
  const text = asText(message.message) || null;
  const attached = asElements(message.attachments, ['type', 'attachment_type', 'id']).slice(0, MAX_ATTACHMENTS);
  const [first, ...rest] = attached.map((attachment) => readAttachment(attachment, id));
  if (!first) return text === null ? [] : [{ contentType: 'TEXT', content: text }];
  if (text === null) return [first, ...rest];
  // A post that someone shared is no caption's place.
  return first.contentType === 'UNSUPPORTED'
    ? [{ contentType: 'TEXT', content: text }, first, ...rest]
    : [{ ...first, content: text }, ...rest];
}

function readAttachment(attachment: Json, message: string): ContentOf<FileType | 'UNSUPPORTED'> {
  const type = asText(attachment.type) ?? asText(attachment.attachment_type) ?? '';
  const contentType = KINDS.get(type);
  if (!contentType) return makeUnsupported(type || 'attachment', attachment);
  const id = asIdentifier(attachment.id) ?? asIdentifier(attachment.attachment_id);
  const isThere = id !== null && !isSet(attachment.unavailable);
  const size = asNumber(attachment.file_size ?? attachment.attachment_size);
  const media: ReceivedFile = {
    mimeType: asLabel(attachment.mimetype ?? attachment.attachment_mimetype),
    fileName: asLabel(attachment.file_name ?? attachment.attachment_name),
    size: size !== null && Number.isSafeInteger(size) && size >= 0 ? size : null,
    networkId: isThere ? nameFile(message, id) : null,
    sha256: null,
  };
  return { contentType, media };
}

export function makeUnsupported(kind: string, element: Json): ContentOf<'UNSUPPORTED'> {
  const raw = asRecord(toStorable(element));
  const isSmall = Buffer.byteLength(JSON.stringify(raw)) <= MAX_RAW_BYTES;
  return { contentType: 'UNSUPPORTED', unsupported: { kind: asLabel(kind) ?? 'unknown', raw: isSmall ? raw : null } };
}
