/** The statement that stores the network's answer to the call that sent a message, when nothing else has changed the message meanwhile. */
import { maybeOne } from '../../platform/store/db.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import { SUMMARY } from './queries.ts';
import type { Message } from './schemas.ts';

/**
 * Marks a stored message as SENT and returns it. Returns null, and changes nothing, when a status of the network was stored first, when an echo
 * has the network's id, or when the message belongs to a campaign.
 */
export async function acceptQueued(
  tx: TenantTx,
  stored: Message,
  { external_id, at }: { external_id: string; at: string },
): Promise<Message | null> {
  const changed = await maybeOne<Partial<Message>>(tx, {
    name: 'messages.acceptQueued',
    text: `update messages m set status = 'SENT', external_id = $4, sent_at = $5, updated_at = now()
      where m.company_id = $1 and m._id = $2 and m.status = 'QUEUED' and m.enrollment_id is null and coalesce(m.external_id, $4) = $4
        and not exists (select from message_keys y where y.company_id = $1 and y.key = message_key($3, $4))
      returning m.status, m.external_id, m.sent_at, m.updated_at as "updatedAt", m.conversation_id as conversation, m.contact_id as contact,
        ${SUMMARY} as contact_summary`,
    values: [tx.companyId, stored._id, stored.inbox, external_id, at],
  });
  return changed && { ...stored, ...changed };
}
