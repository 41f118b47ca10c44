/** Emits the events of conversations that were opened or changed. */
import { emitRecords } from '../../platform/store/events.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import { findConversations } from './queries.ts';

/** Emits CONVERSATION_CREATED for the conversations in `opened`, and CONVERSATION_UPDATED for the others; one for each conversation. */
export const emitConversations = (tx: TenantTx, ids: string[], opened = new Set<string>()): Promise<void> =>
  emitRecords(
    tx,
    [...new Set(ids)].map((_id) => ({
      event: opened.has(_id) ? 'CONVERSATION_CREATED' : 'CONVERSATION_UPDATED',
      about: { _id, company: tx.companyId },
    })),
    (awaited) => findConversations(tx, awaited),
  );
