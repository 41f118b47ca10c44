/** Tells those who follow a company that messages have changed. */
import type { TenantTx } from '../../platform/store/tenant.ts';
import type { Message } from './schemas.ts';

/** Announces messages together with their conversations, which show the last message, and whether it has failed. */
export function announceWithConversations(
  tx: Pick<TenantTx, 'changed'>,
  messages: Pick<Message, 'company' | '_id' | 'conversation'>[],
): void {
  tx.changed(
    messages.flatMap(({ company, _id, conversation }) => [
      { company, kind: 'MESSAGE', ids: [_id] },
      { company, kind: 'CONVERSATION', ids: [conversation] },
    ]),
  );
}
