/** Turns a message of the network into the row that is stored. */
import { dropFolders } from '../attachments/file-names.ts';
import type { ExpectedFile, Reserved } from '../attachments/reserve.ts';
import { findFile, listParts, type ReceivedFile } from '../../channels/content.ts';
import { newId } from '../../platform/values/ids.ts';
import type { NewFile, NewInbound } from '../messages/ingest-insert-queries.ts';
import { findAnswered, messageTime, placeInTime, type PlacedMessage } from './batch.ts';
import { fitIntoRecord } from './fitting.ts';

const toJsonText = (value: unknown): string | null =>
  value === null || value === undefined ? null : JSON.stringify(value);

/** Makes the record of a file that the network still has to hand out. */
export type ReserveFile = (company: string, expected: ExpectedFile) => Reserved;

export interface RowContext {
  now: string;
  reserve: ReserveFile;
}

/** Makes the rows of messages, and the records of the files that the network has for them. */
export function toInboundRows(placed: PlacedMessage[], { now, reserve }: RowContext): [NewInbound[], NewFile[]] {
  const files = placed.map((arrival) => reserveFile(arrival, reserve));
  const rows = placed.map((arrival, index) => fitIntoRecord(toInboundRow(arrival, files[index] ?? null, now)));
  return [rows, files.filter((file) => file !== null)];
}

/** Makes the record of the file that the network has for a message, if it has one. */
function reserveFile({ receiver, channel, message }: PlacedMessage, reserve: ReserveFile): (Reserved & NewFile) | null {
  const media = findFile(message);
  if (!media || media.networkId === null || !channel.fetchFile) return null;
  const { mimeType, fileName, networkId, sha256 } = media;
  const reserved = reserve(receiver.company, { contentType: message.contentType, mimeType, fileName });
  return { ...reserved, network_id: networkId, sha256 };
}

/** Makes the row of a message. `now` is the time at which the batch is stored. */
function toInboundRow(
  { receiver, channel, message, contact, conversation }: PlacedMessage,
  file: Reserved | null,
  now: string,
): NewInbound {
  const parts = listParts(message);
  return {
    _id: newId(),
    company_id: receiver.company,
    conversation_id: conversation,
    contact_id: contact,
    inbox_id: receiver.inbox,
    channel: receiver.channel,
    ...readMessageAuthor(message, contact),
    content_type: message.contentType,
    content: parts.content,
    attachment_id: message.attachment?._id ?? file?._id ?? null,
    media: toStoredMedia(parts.media, message.attachment ?? file, channel.fetchFile !== undefined),
    interactive: toJsonText(parts.interactive),
    location: toJsonText(parts.location),
    contacts: toJsonText(parts.contacts),
    reaction: parts.reaction && JSON.stringify({ emoji: parts.reaction.emoji }),
    referral: toJsonText(message.referral),
    forwarded: message.forwarded,
    unsupported: toJsonText(parts.unsupported),
    email: toJsonText(parts.email),
    digest: message.distinct?.digest ?? null,
    reply_to: null,
    reply_to_external: findAnswered(message),
    status: message.fromBusiness ? (message.historyStatus ?? 'SENT') : 'RECEIVED',
    errors: JSON.stringify(message.errors),
    external_id: message.externalId,
    is_echo: message.origin === 'echo',
    is_test: receiver.is_test,
    sent_at: messageTime(message),
    created_at: placeInTime(message, now),
    updated_at: now,
  };
}

type MessageAuthor = Pick<NewInbound, 'sender_type' | 'sender_id' | 'message_type' | 'origin'>;

function readMessageAuthor(message: PlacedMessage['message'], contact: string): MessageAuthor {
  if (message.system) return { sender_type: 'SYSTEM', sender_id: null, message_type: 'SYSTEM', origin: 'CHANNEL' };
  if (message.fromBusiness)
    return { sender_type: 'USER', sender_id: null, message_type: 'OUTGOING', origin: 'BUSINESS_APP' };
  return { sender_type: 'CONTACT', sender_id: contact, message_type: 'INCOMING', origin: 'CHANNEL' };
}

// The network names the cause in the errors of the message.
const NOT_FETCHED = 'The network could not fetch the file from the phone.';

/**
 * Returns the file of a message as it is stored and shown. `fetches` is true on channels that download files: there a file without an id of
 * the network is stored as failed.
 */
export function toStoredMedia(
  media: ReceivedFile | null,
  file: Pick<Reserved, 'storage_key' | 'url'> | null,
  fetches: boolean,
): string | null {
  if (!media) return null;
  const { mimeType, size } = media;
  const fileName = media.fileName === null ? null : dropFolders(media.fileName);
  const { storage_key = null, url = null } = file ?? {};
  const error = fetches && media.networkId === null ? { error: NOT_FETCHED } : {};
  return JSON.stringify({ storage_key, url, mimeType, fileName, size, ...error });
}
