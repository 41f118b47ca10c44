/** Emits the events of conversations that were opened or changed. */
import { emit } from '../../platform/store/events.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import { findConversations } from './queries.ts';

/** Emits CONVERSATION_CREATED for the conversations in `opened`, and CONVERSATION_UPDATED for the others. */
export async function emitConversations(tx: TenantTx, ids: string[], opened = new Set<string>()): Promise<void> {
  if (ids.length === 0) return;
  const conversations = await findConversations(tx, ids);
  await emit(
    tx,
    conversations.map((data) => ({
      event: opened.has(data._id) ? 'CONVERSATION_CREATED' : 'CONVERSATION_UPDATED',
      data,
    })),
  );
}
