/** Reactions of the company to messages. */
import type { Conversation, Message } from '@parley/sdk';
import { parley } from '../../../client.ts';
import { useConversation } from '../../../records/conversations.ts';
import { inOrder } from '../../../records/in-order.ts';
import { showMessage } from '../../../records/messages.ts';
import { useMay } from '../../../session/session.ts';
import { showError } from '../../../ui/toast.tsx';
import { isWindowClosed } from '../window.ts';

/** The channels whose networks take reactions. */
const REACTING: ReadonlySet<Conversation['channel']> = new Set([
  'WAP_AUTO_CLOSER',
  'PARTNER_API',
  'PROFESSIONAL_NETWORK',
]);

/** Whether the company can take back its reaction to the message. LinkedIn keeps it. */
export const isRemovable = ({ channel }: Message): boolean => channel !== 'PROFESSIONAL_NETWORK';

/** The contact has the message, and the network knows it by its own id. */
export const isKnown = ({ external_id, message_type, revoked_at }: Message): boolean =>
  external_id !== null && revoked_at === null && (message_type === 'INCOMING' || message_type === 'OUTGOING');

const isReactable = (message: Message): boolean =>
  isKnown(message) && message.contentType !== 'REACTION' && message.status !== 'FAILED';

/** Whether the user can react to the message now. */
export function useMayReact(message: Message): boolean {
  const mayWrite = useMay('messages:create');
  const { data: conversation } = useConversation(message.conversation);
  return (
    mayWrite &&
    conversation !== undefined &&
    REACTING.has(message.channel) &&
    isReactable(message) &&
    !isWindowClosed(conversation)
  );
}

/** Sends a reaction, which replaces the company's earlier one; null removes it. */
export async function react({ _id, conversation: conversationId }: Message, emoji: string | null): Promise<void> {
  // An act that is repeated after the browser was offline has the same key, so that the contact gets the reaction once.
  const idempotencyKey = crypto.getRandomValues(new Uint32Array(4)).join('-');
  try {
    const message = { contentType: 'REACTION' as const, reaction: { message: _id, emoji } };
    showMessage(
      await inOrder(conversationId, (options) =>
        parley.messages.sendContent({ conversationId, message }, { ...options, idempotencyKey }),
      ),
    );
  } catch (error) {
    // Failure policy: the reaction was not sent, and the user decides whether to choose it again.
    showError(error);
  }
}
