/** Turns a message of the network into the row that is stored. */
import type { ExpectedFile, Reserved } from '../attachments/reserve.ts';
import type { MessageMedia } from '../../channels/content.ts';
import { newId } from '../../platform/values/ids.ts';
import type { NewInbound } from '../messages/ingest-insert-queries.ts';
import { messageTime, type PlacedMessage } from './batch.ts';
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
export function toInboundRows(placed: PlacedMessage[], { now, reserve }: RowContext): [NewInbound[], Reserved[]] {
  const files = placed.map(({ receiver, channel, message: { contentType, media } }) =>
    media && media.networkId !== null && channel.fetchFile
      ? reserve(receiver.company, { contentType, mimeType: media.mimeType, fileName: media.fileName })
      : null,
  );
  const rows = placed.map((arrival, index) => fitIntoRecord(toInboundRow(arrival, files[index] ?? null, now)));
  return [rows, files.filter((file) => file !== null)];
}

/**
 * Makes the row of a message. `now` is the time at which the batch is stored; a message of the history keeps the time at which it was sent.
 */
function toInboundRow(
  { receiver, channel, message, contact, conversation }: PlacedMessage,
  file: Reserved | null,
  now: string,
): NewInbound {
  const said = messageTime(message);
  return {
    _id: newId(),
    company_id: receiver.company,
    conversation_id: conversation,
    contact_id: contact,
    inbox_id: receiver.inbox,
    channel: receiver.channel,
    ...readMessageAuthor(message, contact),
    content_type: message.contentType,
    content: message.content,
    attachment_id: message.attachment?._id ?? file?._id ?? null,
    media: toStoredMedia(message.media, message.attachment ?? file, channel.fetchFile !== undefined),
    interactive: toJsonText(message.interactive),
    location: toJsonText(message.location),
    contacts: toJsonText(message.contacts),
    reaction: message.reaction ? JSON.stringify({ emoji: message.reaction.emoji }) : null,
    referral: toJsonText(message.referral),
    forwarded: message.forwarded,
    unsupported: toJsonText(message.unsupported),
    email: toJsonText(message.email),
    digest: message.distinct?.digest ?? null,
    reply_to: null,
    reply_to_external: message.reaction?.externalId ?? message.replyTo,
    status: message.fromBusiness ? (message.historyStatus ?? 'SENT') : 'RECEIVED',
    errors: JSON.stringify(message.errors),
    external_id: message.externalId,
    is_echo: message.origin === 'echo',
    is_test: receiver.is_test,
    sent_at: said,
    created_at: message.origin === 'history' ? said : now,
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
 * Returns the file of a message as it is stored. The id and hash that the network gives it are stored for downloading and never leave the
 * platform. `fetches` is true on channels that download files: there a file without an id of the network is stored as failed.
 */
export function toStoredMedia(
  media: MessageMedia | null,
  file: Pick<Reserved, 'storage_key' | 'url'> | null,
  fetches: boolean,
): string | null {
  if (!media) return null;
  const { mimeType, fileName, size, ...network } = media;
  const { storage_key = null, url = null } = file ?? {};
  const error = fetches && media.networkId === null ? { error: NOT_FETCHED } : {};
  return JSON.stringify({ storage_key, url, mimeType, fileName, size, ...error, network });
}
