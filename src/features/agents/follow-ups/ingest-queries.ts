/** Cancels follow-ups in the transaction that stores the messages of contacts. */
import { exec } from '../../../platform/store/db.ts';
import type { SystemTx } from '../../../platform/store/tenant.ts';
import type { PendingTurn } from '../turns/ingest-queries.ts';

/** Cancels what would have been written to these contacts, because they have answered. */
export function cancelAnswered(tx: SystemTx, turns: PendingTurn[]): Promise<number> {
  return exec(tx, {
    name: 'agents.cancelAnswered',
    text: `update follow_ups f set status = 'CANCELLED', cancel_reason = 'REPLIED', is_waiting = false, updated_at = now()
      from unnest($1::text[], $2::text[]) as t (company_id, conversation_id)
      where f.company_id = t.company_id and f.conversation_id = t.conversation_id and f.status = 'SCHEDULED' and f.message_id is null`,
    values: [turns.map(({ company }) => company), turns.map(({ conversation }) => conversation)],
  });
}
