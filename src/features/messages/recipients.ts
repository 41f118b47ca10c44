/** Whom a message goes to: a conversation, or a person in an inbox, whose conversation is opened by the send. */
import { invalid, unknownReference } from '../../platform/values/errors.ts';
import type { Acting, TenantTx } from '../../platform/store/tenant.ts';
import { findInboxOf } from '../conversations/conversations.ts';
import { withOpenConversation } from '../conversations/open.ts';
import { refuseSecondOpen } from '../conversations/update.ts';
import type { GivenRecipient } from './schemas.ts';

/** A conversation, or a person in an inbox. */
export type Recipient = { conversation: string } | (Person & { inbox: string });
type Person = { [Field in 'contact' | 'phone' | 'country' | 'name']: GivenRecipient[Field] | undefined };

// The fields of the request, for errors of the conversation that is opened.
const PATHS = { inbox: 'inboxId', phone_number: 'phone' };

/** Reads the recipient of a request. Throws VALIDATION_FAILED when the fields name none, or two. */
export function readRecipient({ conversationId, inboxId, contact, phone, country, name }: GivenRecipient): Recipient {
  const person = { contact, phone, country, name };
  if (conversationId === undefined) {
    if (inboxId === undefined) throw invalid('conversationId', 'is required, or else inboxId', 'REQUIRED');
    return { inbox: inboxId, ...person };
  }
  for (const [field, value] of Object.entries({ inboxId, ...person }))
    if (value !== undefined) throw invalid(field, 'is not allowed with conversationId');
  return { conversation: conversationId };
}

/** Returns the inbox of the recipient. Throws UNKNOWN_REFERENCE when there is no such conversation. */
export async function findRecipientsInbox({ read }: Acting, recipient: Recipient): Promise<string> {
  if ('inbox' in recipient) return recipient.inbox;
  const inbox = await findInboxOf(read, recipient.conversation);
  if (inbox === null) throw unknownReference('conversationId');
  return inbox;
}

/**
 * Runs work, which stores a message, with the id of the recipient's conversation, in the transaction that opens the conversation
 * where none is open. Throws CONVERSATION_OPEN when the recipient's conversation is closed and another one is open.
 */
export function withRecipient<T>(
  acting: Acting,
  recipient: Recipient,
  work: (tx: TenantTx, conversation: string) => Promise<T>,
): Promise<T> {
  if ('conversation' in recipient) {
    const { conversation: id } = recipient;
    return refuseSecondOpen(acting, { id, path: 'conversationId' }, () => acting.tx((tx) => work(tx, id)));
  }
  const { phone: phone_number, ...rest } = recipient;
  return withOpenConversation(acting, { ...rest, phone_number }, PATHS, (tx, { _id }) => work(tx, _id));
}
