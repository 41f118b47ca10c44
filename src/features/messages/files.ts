/** The files of outgoing messages: whether a channel takes the file of an attachment, and how its network gets it. */
import type { Channel, OutboundMessage } from '../../channels/channel.ts';
import { textOf, type ContentType, type MessageContent } from '../../channels/content.ts';
import type { HeaderFile } from '../../channels/templates/header.ts';
import type { MediaFormat, OutboundFile } from '../../channels/media.ts';
import type { Kit } from '../../kit.ts';
import { invalid } from '../../platform/values/errors.ts';
import { openAttachment, type expectAttachment } from '../attachments/attachments.ts';
import { asCopy } from '../attachments/copy.ts';
import { savedName } from '../attachments/file-names.ts';
import { publicUrl } from '../attachments/links.ts';
import type { Message } from './schemas.ts';

export { findChannel, lockAttachments } from './file-queries.ts';

/** The attachment that a message names. */
export type NamedAttachment = Awaited<ReturnType<typeof expectAttachment>>;

/** An attachment whose file is there. */
export type StoredFile = NamedAttachment & {
  /** The file that the contact gets: that of the attachment, or its converted copy. */
  sent: NamedAttachment & { bytes: number };
};

/** An attachment was removed, or its file is missing from the store, before the messages that show it were stored and sent. */
export class AttachmentGone extends Error {
  constructor() {
    super('an attachment of the message was removed');
    this.name = 'AttachmentGone';
  }
}

const MESSAGE_PATH = 'message.attachment';

/** Returns the attachment of a message if the channel can send it as this content. Throws an error that says what is accepted. */
export function checkFile(
  { can }: Channel,
  content: MessageContent,
  attachment: NamedAttachment,
  path = MESSAGE_PATH,
): StoredFile {
  const { contentType } = content;
  const { file_type } = attachment;
  if (!fitsContent(attachment, contentType))
    throw invalid(path, `has the type ${file_type}, but this operation sends ${contentType}`, 'TYPE_MISMATCH');
  const file = expectStored(attachment, chooseFile(can.media, contentType, { attachment, path }), path);
  const format = can.media.find((each) => each.contentType === contentType);
  if (format) {
    checkSize(format, file.sent, path);
    checkCaption(format, textOf(content));
  }
  return file;
}

/** Returns the attachment of a note, which no network has to accept. */
export function checkNoteFile(attachment: NamedAttachment, contentType: ContentType): StoredFile {
  if (!fitsContent(attachment, contentType))
    throw invalid(MESSAGE_PATH, `has the type ${attachment.file_type} and not ${contentType}`, 'TYPE_MISMATCH');
  return expectStored(attachment, attachment, MESSAGE_PATH);
}

function expectStored(attachment: NamedAttachment, sent: NamedAttachment, path: string): StoredFile {
  const { state, failure } = attachment;
  const { bytes } = sent;
  if (state !== 'READY' || bytes === null) throw invalid(path, failure ?? 'has no file yet', 'NOT_AVAILABLE');
  return { ...attachment, sent: { ...sent, bytes } };
}

/** The header of a template that shows an attachment, and where the request names it. */
export type HeaderPlace = Pick<HeaderFile, 'kind' | 'card' | 'path'>;

/** An attachment that a header of a template shows. */
export interface Header {
  attachment: NamedAttachment;
  place: HeaderPlace;
}

/** The files of one message. */
export interface MessageFiles {
  /** The file that is sent, or that the header of a template shows. */
  own: StoredFile | null;
  /** The files that the cards of a template's carousel show. */
  cards: StoredFile[];
}

/** Returns the attachments of a template's headers if the channel can send them there. */
export function checkHeaders(channel: Channel, headers: readonly Header[]): MessageFiles {
  const files: MessageFiles = { own: null, cards: [] };
  for (const { attachment, place } of headers) {
    const file = checkHeaderFile(channel, place, attachment);
    if (place.card === null) files.own = file;
    else files.cards.push(file);
  }
  return files;
}

/** Returns the attachment of a template's header if the channel can send it there. Throws an error that says what is accepted. */
function checkHeaderFile(channel: Channel, { kind, path }: HeaderPlace, attachment: NamedAttachment): StoredFile {
  const { mime_type } = attachment;
  const accepted = channel.can.media.find(({ contentType }) => contentType === kind)?.headerMimeTypes;
  if (accepted && !accepted.includes(mime_type)) {
    const message = `is ${mime_type}; the channel accepts ${accepted.join(', ')} in a header`;
    throw invalid(path, message, 'UNSUPPORTED_FORMAT');
  }
  return checkFile(channel, { contentType: kind }, attachment, path);
}

/** True when a message of this type can have the file. Any file can be sent as a document, which no app converts or shrinks. */
export const fitsContent = ({ file_type }: NamedAttachment, contentType: ContentType): boolean =>
  contentType === 'DOCUMENT' || file_type === contentType;

/** Returns the file itself when the channel takes its format, or else a converted copy of it. Throws an error that names the accepted formats when there is neither. */
function chooseFile(
  media: readonly MediaFormat[],
  contentType: ContentType,
  { attachment, path }: { attachment: NamedAttachment; path: string },
): NamedAttachment {
  const refusal = findRefusal(media, contentType, attachment);
  if (refusal === null) return attachment;
  const { CONVERTED: copy } = attachment.copies;
  const sent = copy && asCopy(attachment, copy);
  if (!sent || findRefusal(media, contentType, sent) !== null) throw invalid(path, refusal, 'UNSUPPORTED_FORMAT');
  return sent;
}

/** Returns why the channel does not take the format of a file; null when the channel takes it. */
export function findRefusal(
  media: readonly MediaFormat[],
  contentType: ContentType,
  { file_type, mime_type, facts }: NamedAttachment,
): string | null {
  const ofContent = media.find((each) => each.contentType === contentType);
  // A network refuses the upload of a picture that it does not know, also where the picture shall be a document.
  const format = ofContent && (media.find((each) => each.contentType === file_type) ?? ofContent);
  if (!format) return null;
  const { mimeTypes, codecs, plainColors } = format;
  if (mimeTypes !== null && !mimeTypes.includes(mime_type))
    return `is ${mime_type}; the channel accepts ${mimeTypes.join(', ')}`;
  if (plainColors && facts.colors) return `has ${facts.colors} colours; the channel accepts pictures in 8-bit RGB`;
  const accepted = codecs?.find(([mimeType]) => mimeType === mime_type)?.[1];
  const refused = accepted && facts.codecs?.find((codec) => !accepted.includes(codec));
  return refused === undefined
    ? null
    : `is ${mime_type} with the codec ${refused}; the channel accepts ${accepted?.join(', ')} in it`;
}

function checkSize(
  { maxBytes, maxStillBytes = maxBytes }: MediaFormat,
  { facts, bytes }: StoredFile['sent'],
  path: string,
): void {
  const most = facts.animated ? maxBytes : maxStillBytes;
  if (bytes > most) throw invalid(path, `has ${bytes} bytes; the channel accepts at most ${most}`, 'TOO_LARGE');
}

function checkCaption({ contentType, maxCaption }: MediaFormat, caption: string | null): void {
  if (caption === null || maxCaption === null || Array.from(caption).length <= maxCaption) return;
  const message = maxCaption === 0 ? `is not shown with ${contentType}` : `is longer than ${maxCaption} characters`;
  throw invalid('message.content', message, 'MAX_LENGTH');
}

/** The file as the message shows it. */
export const describeFile = (kit: Kit, file: StoredFile): NonNullable<Message['media']> => ({
  storage_key: file.storage_key,
  url: publicUrl(kit, file),
  mimeType: file.mime_type,
  fileName: file.file_name,
  size: file.bytes,
});

/** The files as the channel gets them. */
export const makeOutboundFiles = (
  kit: Kit,
  { own, cards }: MessageFiles,
  content: MessageContent,
): Pick<OutboundMessage, 'file' | 'cards'> => ({
  file: own && makeOutboundFile(kit, own, content),
  ...(cards.length > 0 && { cards: new Map(cards.map((file) => [file._id, makeOutboundFile(kit, file, content)])) }),
});

const makeOutboundFile = (kit: Kit, { sent }: StoredFile, { contentType }: MessageContent): OutboundFile => ({
  mimeType: sent.mime_type,
  fileName: savedName(sent.file_name, sent.extension),
  bytes: sent.bytes,
  url: publicUrl(kit, sent),
  // Browsers and phones record voice as OGG; music has other formats.
  voice: contentType === 'AUDIO' && sent.mime_type === 'audio/ogg',
  networkId: null,
  open: async () => {
    const opened = await openAttachment(kit, sent);
    if (!opened) throw new AttachmentGone();
    return opened.body;
  },
});
