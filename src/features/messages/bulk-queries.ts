/** Statements about many messages of one inbox that are sent together. */
import { exec, many, oneValue } from '../../platform/store/db.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { Cause, FailureReason } from './schemas.ts';

export interface FailedMessage {
  _id: string;
  errors: Cause[];
  reason: FailureReason | null;
}

/** Locks those of these messages that are still QUEUED. */
export function lockQueued(tx: TenantTx, ids: string[]): Promise<number> {
  return exec(tx, {
    name: 'messages.lockQueued',
    text: `select from messages where company_id = $1 and _id = any($2::text[]) and status = 'QUEUED' order by _id for no key update`,
    values: [tx.companyId, ids],
  });
}

/** Marks those of these messages as FAILED that are still QUEUED, and returns them. */
export function failAllQueued(tx: TenantTx, failed: FailedMessage[]): Promise<{ _id: string }[]> {
  return many(tx, {
    name: 'messages.failAllQueued',
    text: `update messages m set status = 'FAILED', errors = n.errors::jsonb, failure_reason = n.reason::jsonb, failed_at = now(),
        updated_at = now()
      from unnest($2::text[], $3::text[], $4::text[]) as n (_id, errors, reason)
      where m.company_id = $1 and m._id = n._id and m.status = 'QUEUED' returning m._id`,
    values: [
      tx.companyId,
      failed.map(({ _id }) => _id),
      failed.map(({ errors }) => JSON.stringify(errors)),
      failed.map(({ reason }) => reason && JSON.stringify(reason)),
    ],
  });
}

/**
 * Counts the messages of a campaign whose outcome no one knows: the network has had a minute to answer, and takes ten seconds. The index of
 * QUEUED messages is small, because no other message stays in this state.
 */
export function countUnknown(tx: TenantRead, campaign: string): Promise<number> {
  return oneValue(tx, {
    name: 'messages.countUnknown',
    text: `select count(*)::int as count from messages
      where status = 'QUEUED' and created_at < now() - interval '1 minute' and company_id = $1 and campaign_id = $2`,
    values: [tx.companyId, campaign],
  });
}
