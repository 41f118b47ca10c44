/** Statements that mark messages as FAILED of which the network has reported nothing. */
import { many } from '../../platform/store/db.ts';
import type { SystemTx, TenantTx } from '../../platform/store/tenant.ts';
import { ENROLLED, type EnrolledMessage } from './ingest-queries.ts';
import type { Cause, FailureReason } from './schemas.ts';

export interface FailedMessage {
  _id: string;
  errors: Cause[];
  reason: FailureReason | null;
}

/** Marks those of these messages as FAILED that are still QUEUED, and returns them. */
export function failAllQueued(tx: TenantTx, failed: FailedMessage[]): Promise<EnrolledMessage[]> {
  return many(tx, {
    name: 'messages.failAllQueued',
    text: `update messages m set status = 'FAILED', errors = n.errors::jsonb, failure_reason = n.reason::jsonb, failed_at = now(),
        updated_at = now()
      from unnest($2::text[], $3::text[], $4::text[]) as n (_id, errors, reason)
      where m.company_id = $1 and m._id = n._id and m.status = 'QUEUED' returning ${ENROLLED}`,
    values: [
      tx.companyId,
      failed.map(({ _id }) => _id),
      failed.map(({ errors }) => JSON.stringify(errors)),
      failed.map(({ reason }) => reason && JSON.stringify(reason)),
    ],
  });
}

/**
 * Marks up to 1,000 messages as FAILED whose outcome has been unknown for a day; the job repeats the statement for the rest. The day of a
 * campaign's message begins with its last call, and one that waits to be sent again has no outcome.
 */
export function failUnknown(tx: SystemTx, errors: Cause[]): Promise<EnrolledMessage[]> {
  return many(tx, {
    name: 'messages.failUnknown',
    text: `update messages m set status = 'FAILED', outcome_unknown = true, errors = $1, failed_at = now(), updated_at = now()
      where (m.company_id, m._id) in (
        select q.company_id, q._id from (
            select company_id, _id, queued_at from message_activity where queued_at < now() - interval '24 hours' order by queued_at offset 0
          ) a cross join lateral (
            select o.company_id, o._id from messages o
              left join campaign_enrollments e on e.company_id = o.company_id and e._id = o.enrollment_id
            where o.company_id = a.company_id and o._id = a._id and o.status = 'QUEUED' and e.next_run_at is null
              and coalesce(e.called_at, a.queued_at) < now() - interval '24 hours' for update of o skip locked
          ) q limit 1000)
      returning ${ENROLLED}`,
    values: [JSON.stringify(errors)],
  });
}
