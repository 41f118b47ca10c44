/** Turns a message of the network into the row that is stored. */
import type { MessageMedia } from '../../channels/content.ts';
import { newId } from '../../platform/ids.ts';
import type { NewInbound } from '../messages/ingest-queries.ts';
import { saidAt, type Placed } from './batch.ts';

const toJsonText = (value: unknown): string | null =>
  value === null || value === undefined ? null : JSON.stringify(value);

/**
 * Makes the row of a message. `now` is the time at which the batch is stored; a message of the history keeps the time at which it was sent.
 */
export function toRow({ receiver, message, contact, conversation }: Placed, now: string): NewInbound {
  const said = saidAt(message);
  return {
    _id: newId(),
    company_id: receiver.company,
    conversation_id: conversation,
    contact_id: contact,
    inbox_id: receiver.inbox,
    channel: receiver.channel,
    ...readAuthorship(message, contact),
    content_type: message.contentType,
    content: message.content,
    media: toStoredMedia(message.media),
    interactive: toJsonText(message.interactive),
    location: toJsonText(message.location),
    contacts: toJsonText(message.contacts),
    reaction: message.reaction ? JSON.stringify({ emoji: message.reaction.emoji }) : null,
    referral: toJsonText(message.referral),
    forwarded: message.forwarded,
    unsupported: toJsonText(message.unsupported),
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

type Authorship = Pick<NewInbound, 'sender_type' | 'sender_id' | 'message_type' | 'origin'>;

function readAuthorship(message: Placed['message'], contact: string): Authorship {
  if (message.system) return { sender_type: 'SYSTEM', sender_id: null, message_type: 'SYSTEM', origin: 'CHANNEL' };
  if (message.fromBusiness)
    return { sender_type: 'USER', sender_id: null, message_type: 'OUTGOING', origin: 'BUSINESS_APP' };
  return { sender_type: 'CONTACT', sender_id: contact, message_type: 'INCOMING', origin: 'CHANNEL' };
}

/**
 * Returns the file of a message as it is stored. The id and hash that the network gives it are stored for downloading and never leave the
 * platform.
 */
export function toStoredMedia(media: MessageMedia | null): string | null {
  if (!media) return null;
  const { mimeType, fileName, size, ...network } = media;
  return JSON.stringify({ storage_key: null, url: null, mimeType, fileName, size, network });
}
