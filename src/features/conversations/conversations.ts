/** Reads conversations and marks them as read. */
import type { Kit } from '../../kit.ts';
import { notFound } from '../../platform/errors.ts';
import type { Tenant, TenantTx } from '../../platform/tenant.ts';
import { MarkRead } from './jobs.ts';
import { findConversation, markRead, moveToOutgoing } from './queries.ts';
import type { Conversation } from './schemas.ts';

export async function readConversation(tenant: Tenant, id: string): Promise<Conversation> {
  const conversation = await findConversation(tenant.read, id);
  if (!conversation) throw notFound();
  return conversation;
}

/** Sets the number of unread messages to 0. On a network with read marks, a job sets them up to the last message of the contact. */
export async function markConversationRead(kit: Kit, tenant: Tenant, id: string): Promise<Conversation> {
  return tenant.tx(async (tx) => {
    if ((await markRead(tx, id)) === 0) throw notFound();
    const conversation = await findConversation(tx, id);
    if (!conversation) throw notFound();
    if (kit.channels.get(conversation.channel).can.markRead) {
      await kit.enqueue(tx, MarkRead, { company: tenant.companyId, conversation: id }, { key: id });
    }
    return conversation;
  });
}

/** Makes an outgoing message or a note the conversation's last message. With `answers` nothing is unread afterwards. */
export function noteOutgoing(tx: TenantTx, id: string, message: { _id: string; answers: boolean }): void {
  tx.trails(moveToOutgoing(tx, id, message));
  tx.changed([{ company: tx.companyId, kind: 'CONVERSATION', ids: [id] }]);
}
