/** Statements about many messages of one inbox that are sent together. */
import { many, oneValue } from '../../platform/store/db.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';

/** Locks those of these messages that are still QUEUED, and returns them. */
export function lockQueued(tx: TenantTx, ids: string[]): Promise<{ _id: string }[]> {
  return many(tx, {
    name: 'messages.lockQueued',
    text: `select _id from messages where company_id = $1 and _id = any($2::text[]) and status = 'QUEUED' order by _id for no key update`,
    values: [tx.companyId, ids],
  });
}

/**
 * Counts the messages of a campaign whose outcome no one knows: the network has had a minute to answer, and takes ten seconds. The index of
 * QUEUED messages is small, because no other message stays in this state, so all of them are read.
 */
export function countUnknown(tx: TenantRead, campaign: string): Promise<number> {
  return oneValue(tx, {
    name: 'messages.countUnknown',
    text: `with waiting as materialized (
        select company_id, _id from message_activity where queued_at < now() - interval '1 minute')
      select count(*)::int as count from waiting w join messages m on m.company_id = w.company_id and m._id = w._id
      where w.company_id = $1 and m.campaign_id = $2`,
    values: [tx.companyId, campaign],
  });
}
