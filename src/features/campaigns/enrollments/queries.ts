/** Statements about enrollments as callers see them. */
import { exec, many, maybeOne } from '../../../platform/store/db.ts';
import type { Page, Window } from '../../../platform/store/paging.ts';
import { listPage } from '../../../platform/store/plain-list.ts';
import type { TenantRead, TenantTx } from '../../../platform/store/tenant.ts';
import { findUnknown } from '../../../platform/store/unknown-references.ts';
import type { Enrollment } from './schemas.ts';

// A code of the network is a number, as in messages.
const FAILURE_REASON = `failure_reason || case when failure_reason ->> 'code' ~ '^[0-9]{1,9}$'
  then jsonb_build_object('code', (failure_reason ->> 'code')::integer) else '{}' end as failure_reason`;
const COLUMNS = `_id, company_id as company, campaign_id as campaign, contact_id as contact, conversation_id as conversation, status,
  current_step, next_run_at, message_id as message, skip_reason, ${FAILURE_REASON}, sent_at, delivered_at, read_at, replied_at, failed_at,
  completed_at, created_at as "createdAt", updated_at as "updatedAt"`;

export function findEnrollment(tx: TenantRead, id: string): Promise<Enrollment | null> {
  return maybeOne(tx, {
    name: 'campaigns.enrollments.find',
    text: `select ${COLUMNS} from campaign_enrollments where company_id = $1 and _id = $2`,
    values: [tx.companyId, id],
  });
}

/** Returns the message of the current step that the network has refused for the moment; null when none waits. */
export function findWaitingMessage(tx: TenantTx, enrollment: string): Promise<{ message: string } | null> {
  return maybeOne(tx, {
    name: 'campaigns.enrollments.findWaitingMessage',
    text: `select s.message_id as message from campaign_enrollments e
        join campaign_sends s on s.company_id = $1 and s.enrollment_id = e._id and s.step = e.current_step
      where e.company_id = $1 and e._id = $2 and e.next_run_at is not null`,
    values: [tx.companyId, enrollment],
  });
}

/**
 * Cancels an enrollment to which something is still to be sent. One for which the network was called keeps its status and gets no further
 * step.
 */
export function cancelEnrollment(tx: TenantTx, id: string): Promise<number> {
  return exec(tx, {
    name: 'campaigns.enrollments.cancel',
    text: `update campaign_enrollments set status = case when status = 'PENDING' and called_at is null then 'CANCELLED' else status end,
        next_run_at = null, completed_at = now(), updated_at = now()
      where company_id = $1 and _id = $2 and completed_at is null`,
    values: [tx.companyId, id],
  });
}

export interface EnrollmentFilter {
  campaign: string | null;
  contact: string | null;
  status: string | null;
}

export function listEnrollments(
  tx: TenantRead,
  { campaign, contact, status }: EnrollmentFilter,
  window: Window,
): Promise<Page<Enrollment>> {
  return listPage(tx, window, {
    name: 'campaigns',
    variant: ['.enrollments', campaign && '.campaign', contact && '.contact'].filter(Boolean).join(''),
    columns: COLUMNS,
    from: 'campaign_enrollments',
    filter: `company_id = $1 and ${campaign ? 'campaign_id = $2' : '$2::text is null'} and ${contact ? 'contact_id = $3' : '$3::text is null'}
      and ($4::text is null or status = $4)`,
    values: [tx.companyId, campaign, contact, status],
  });
}

/** An enrollment as an export shows it. */
export interface WalkedEnrollment extends Omit<Enrollment, 'company' | 'campaign' | 'failure_reason' | 'updatedAt'> {
  name: string | null;
  phone_number: string | null;
  failure_code: string | null;
  failure_message: string | null;
}

/** Reads the next enrollments of a campaign, newest first. */
export function walkEnrollments(
  tx: TenantRead,
  campaign: string,
  after: { createdAt: string; id: string } | null,
  most: number,
): Promise<WalkedEnrollment[]> {
  return many(tx, {
    name: 'campaigns.enrollments.walk',
    text: `select e._id, e.contact_id as contact, c.name, c.phone_number, e.status, e.current_step, e.skip_reason,
        e.failure_reason ->> 'code' as failure_code, e.failure_reason ->> 'message' as failure_message, e.conversation_id as conversation,
        e.message_id as message, e.next_run_at, e.sent_at, e.delivered_at, e.read_at, e.replied_at, e.failed_at, e.completed_at,
        e.created_at as "createdAt"
      from (
        select * from campaign_enrollments
        where company_id = $1 and campaign_id = $2 and (created_at, _id) < ($3::timestamptz, $4::text)
        order by created_at desc, _id desc limit $5
      ) e left join contacts c on c.company_id = $1 and c._id = e.contact_id
      order by e.created_at desc, e._id desc`,
    values: [tx.companyId, campaign, after?.createdAt ?? 'infinity', after?.id ?? '', most],
  });
}

/** Returns the names of the filters whose records do not exist. */
export function findUnknownFilters(
  tx: TenantRead,
  asked: Pick<EnrollmentFilter, 'campaign' | 'contact'>,
): Promise<string[]> {
  return findUnknown(tx, {
    name: 'campaigns.enrollments.findUnknown',
    tables: { campaign: 'campaigns', contact: 'contacts' },
    asked,
  });
}

/** A counter of a campaign. */
export interface Counter {
  scope: string;
  name: string;
  amount: number;
}

/** Returns the counters of a campaign, as many as it has steps, hours and causes of failures, however many contacts. */
export function listCounters(tx: TenantRead, campaign: string): Promise<Counter[]> {
  return many(tx, {
    name: 'campaigns.listCounters',
    text: `select scope, name, sum(amount)::int as amount from (
        select scope, name, amount from campaign_counters where company_id = $1 and campaign_id = $2
        union all select scope, name, amount from campaign_changes where company_id = $1 and campaign_id = $2
      ) c group by scope, name having sum(amount) <> 0 order by scope, name`,
    values: [tx.companyId, campaign],
  });
}
