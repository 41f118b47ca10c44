/** Reads and counts conversations, and marks them as read. */
import type { Kit } from '../../kit.ts';
import { expectFound } from '../../platform/values/errors.ts';
import type { Acting, Tenant, TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import { countViews } from './counts/queries.ts';
import type { ConversationCounts } from './counts/schemas.ts';
import { MarkRead } from './jobs.ts';
import {
  findConversation,
  findConversations,
  lockConversation,
  markNotificationsRead,
  markRead,
  moveManyToOutgoing,
  moveToOutgoing,
  type LastOutgoing,
} from './queries.ts';
import type { Conversation } from './schemas.ts';
import { markUnread } from './unread-queries.ts';

export async function expectConversation(read: TenantRead, id: string): Promise<Conversation> {
  return expectFound(await findConversation(read, id));
}

/** Reads conversations by their ids, for callers that follow their changes. Those that do not exist are left out. */
export const readConversations = (read: TenantRead, ids: string[]): Promise<Conversation[]> =>
  findConversations(read, ids);

/** Counts the conversations of each view that people have of them. */
export const countConversationViews = ({ read, principal }: Tenant): Promise<ConversationCounts> =>
  countViews(read, principal.type === 'user' ? principal.id : null);

/** Sets the number of unread messages to 0. On a network with read marks, a job sets them up to the last message of the contact. */
export const markConversationRead = (kit: Kit, tenant: Tenant, id: string): Promise<Conversation> =>
  tenant.tx(async (tx) => (await markConversation(kit, tx, tenant, { id, unread: false })).conversation);

/** Sets the number of unread messages to 1 if it is 0. The network has no such mark, so the contact does not notice. */
export const markConversationUnread = (kit: Kit, tenant: Tenant, id: string): Promise<Conversation> =>
  tenant.tx(async (tx) => (await markConversation(kit, tx, tenant, { id, unread: true })).conversation);

/** Marks a conversation as read or unread in the caller's transaction. */
export async function markConversation(
  kit: Kit,
  tx: TenantTx,
  { actor }: Acting,
  { id, unread }: { id: string; unread: boolean },
): Promise<{ conversation: Conversation; isChanged: boolean }> {
  const isChanged = (unread ? await markUnread(tx, id) : await markRead(tx, id)) > 0;
  if (!unread && actor.type === 'user') tx.awaitAtCommit(markNotificationsRead(tx, id, actor.id));
  const conversation = await expectConversation(tx, id);
  if (!unread && kit.channels.get(conversation.channel).can.markRead)
    await enqueueReadMark(kit, tx, { company: tx.companyId, conversation: id });
  return { conversation, isChanged };
}

/** Enqueues the network's read mark up to the contact's last message. Requests that arrive before the job begins share it. */
export const enqueueReadMark = (
  kit: Kit,
  tx: Parameters<Kit['enqueue']>[0],
  about: { company: string; conversation: string },
): Promise<void> => kit.enqueue(tx, MarkRead, about, { key: about.conversation });

export function setLastOutgoing(tx: TenantTx, moves: readonly LastOutgoing[]): void {
  const [first, ...others] = moves;
  if (!first) return;
  tx.awaitAtCommit(others.length === 0 ? moveToOutgoing(tx, first) : moveManyToOutgoing(tx, moves));
}

/** Returns the inbox of a conversation; null when there is no such conversation. */
export async function findInboxOf(tx: TenantRead, id: string): Promise<string | null> {
  return (await findConversation(tx, id))?.inbox ?? null;
}

/** Locks a conversation until the end of the transaction, and returns its contact; null when there is no such conversation. */
export async function lockContactOf(tx: TenantTx, id: string): Promise<string | null> {
  return (await lockConversation(tx, id))?.contact ?? null;
}
