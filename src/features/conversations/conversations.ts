/** Conversations of a company. */
import type { Kit } from '../../kit.ts';
import { notFound } from '../../platform/errors.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { networkSettings } from '../inboxes/connection.ts';
import { MarkRead } from './jobs.ts';
import { findConversation, findLastInbound, markRead } from './queries.ts';
import type { Conversation } from './schemas.ts';

export { noteOutgoing } from './queries.ts';

export async function readConversation(tenant: Tenant, id: string): Promise<Conversation> {
  const conversation = await findConversation(tenant.read, id);
  if (!conversation) throw notFound();
  return conversation;
}

/** Nothing is unread any more; where the network knows read marks, a job sets them on the contact's last message. */
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

// A read mark is worth nothing to a contact who waits longer for it.
const CALL_MS = 10_000;

/** Tells the network that the contact's messages were read. Repeating it does no harm. */
export async function tellRead(kit: Kit, company: string, conversation: string): Promise<void> {
  const read = kit.database.read(company);
  const last = await findLastInbound(read, conversation);
  if (!last) return;
  const settings = await networkSettings(kit, read, last.inbox);
  const channel = kit.channels.get(last.channel);
  if (settings) await channel.markRead?.(last.external_id, settings, AbortSignal.timeout(CALL_MS));
}
