/** Statements that choose and store the next messages of a campaign. */
import { exec, many, maybeOne, one, oneValue } from '../../platform/store/db.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { Identity } from '../../channels/identity.ts';
import { joinNames, joinOpenConversation, restingSql, windowOpenSql, type Facts } from '../admission/recipient-sql.ts';
import type { StoredSend } from '../sends/schemas.ts';
import type { SkipReason } from './schemas.ts';
import type { Recipient, RecipientContact } from '../../channels/templates/variables.ts';

/** A worker that has not renewed its hold on a campaign for this long counts as dead: people wait for its messages. */
export const HOLD_SECONDS = 6;

/** A campaign, and when its worker took it: a worker whose time is over changes nothing any more. */
export interface Turn {
  campaign: string;
  claimed_at: string;
}

/**
 * Locks the campaign for its worker, and keeps it a while longer. Returns zero when the campaign is no longer to be sent, another worker has it, or
 * its company is suspended.
 */
export function holdTurn(tx: TenantTx, { campaign, claimed_at }: Turn): Promise<number> {
  return exec(tx, {
    name: 'campaigns.holdTurn',
    text: `update campaigns set held_until = now() + make_interval(secs => $4)
      where company_id = $1 and _id = $2 and claimed_at = $3 and status = 'RUNNING'
        and exists (select from companies where _id = $1 and status = 'ACTIVE')`,
    values: [tx.companyId, campaign, claimed_at, HOLD_SECONDS],
  });
}

/** An enrollment whose next step is due. */
export interface DueEnrollment {
  enrollment: string;
  contact: string;
  step: number;
  /** The message of the step, when it waits to be sent again. */
  message: string | null;
}

export function listDue(tx: TenantRead, campaign: string, most: number): Promise<DueEnrollment[]> {
  return many(tx, {
    name: 'campaigns.listDue',
    text: `select e._id as enrollment, e.contact_id as contact, e.current_step as step, s.message_id as message from campaign_enrollments e
        left join campaign_sends s on s.company_id = $1 and s.enrollment_id = e._id and s.step = e.current_step
      where e.company_id = $1 and e.campaign_id = $2 and e.next_run_at <= now() order by e.next_run_at, e._id limit $3`,
    values: [tx.companyId, campaign, most],
  });
}

/** A due enrollment with everything that decides whether and what is sent. A first message interrupts the conversations of others. */
export interface CampaignCandidate extends DueEnrollment, StoredSend, Omit<Facts, 'name'> {
  /** The values of the enrolment, with those that the caller gave who added the contact. */
  recipient: (RecipientContact & Pick<Recipient, 'columns'>) | null;
  /** The name that the message is sent to; null when the contact has none. */
  to: Identity | null;
  /** The open conversation with the contact in the inbox. */
  conversation: string | null;
  /** Whether the contact has replied to an earlier message. */
  has_replied: boolean;
}

/** Locks due enrollments, whose conversations, contacts and waiting messages are locked already. */
export function lockDue(
  tx: TenantTx,
  ids: string[],
  { inbox, places, restingCodes }: { inbox: string; places: Record<string, number>; restingCodes: string[] },
): Promise<CampaignCandidate[]> {
  return many(tx, {
    name: 'campaigns.lockDue',
    text: `select e._id as enrollment, e.contact_id as contact, e.current_step as step, e.recipient, e.refusals, c.country_code, c.blocked, c.opted_out,
        e.replied_at is not null as has_replied, named.names -> 0 as "to", v._id as conversation,
        v._id is not null and v.enrollment_id is distinct from e._id and e.current_step = 0 as is_engaged,
        ${windowOpenSql('$3')} as window_open, ${restingSql('$5::text[]')} as is_resting,
        s.message_id as message, m.content, m.template, s.reached_at, s.reached_before
      from campaign_enrollments e join contacts c on c.company_id = $1 and c._id = e.contact_id
        ${joinOpenConversation('$3')}
        ${joinNames('$4::jsonb')}
        left join campaign_sends s on s.company_id = $1 and s.enrollment_id = e._id and s.step = e.current_step
        left join messages m on m.company_id = $1 and m._id = s.message_id
      where e.company_id = $1 and e._id = any($2::text[]) and e.next_run_at <= now()
      order by e.next_run_at, e._id for no key update of e`,
    values: [tx.companyId, ids, inbox, places, restingCodes],
  });
}

/** A message that is about to be given to the network. */
export interface CalledSend {
  enrollment: string;
  contact: string;
  step: number;
  conversation: string;
  message: string;
  reached_at: string | null;
  reached_before: string | null;
}

/** Stores which message belongs to which step. The primary key refuses a second message for the same step. */
export function insertSends(tx: TenantTx, campaign: string, sends: CalledSend[]): Promise<number> {
  return exec(tx, {
    name: 'campaigns.insertSends',
    text: `insert into campaign_sends (company_id, enrollment_id, step, campaign_id, contact_id, message_id, reached_at, reached_before)
      select $1, n.enrollment, n.step, $2, n.contact, n.message, n.reached_at, n.reached_before
      from unnest($3::text[], $4::int[], $5::text[], $6::text[], $7::timestamptz[], $8::timestamptz[])
        as n (enrollment, step, contact, message, reached_at, reached_before)`,
    values: [
      tx.companyId,
      campaign,
      sends.map(({ enrollment }) => enrollment),
      sends.map(({ step }) => step),
      sends.map(({ contact }) => contact),
      sends.map(({ message }) => message),
      sends.map(({ reached_at }) => reached_at),
      sends.map(({ reached_before }) => reached_before),
    ],
  });
}

/** Notes that the network is called for these enrollments. Nothing more is sent to them until the outcome is known. */
export function markCalled(tx: TenantTx, sends: CalledSend[], lastStep: number): Promise<number> {
  return exec(tx, {
    name: 'campaigns.markCalled',
    text: `update campaign_enrollments e set next_run_at = null, called_at = now(), conversation_id = coalesce(nullif(n.conversation, ''), e.conversation_id), message_id = n.message,
        completed_at = case when n.step >= $6 then now() end, updated_at = now()
      from unnest($2::text[], $3::text[], $4::text[], $5::int[]) as n (enrollment, conversation, message, step)
      where e.company_id = $1 and e._id = n.enrollment`,
    values: [
      tx.companyId,
      sends.map(({ enrollment }) => enrollment),
      sends.map(({ conversation }) => conversation),
      sends.map(({ message }) => message),
      sends.map(({ step }) => step),
      lastStep,
    ],
  });
}

export interface Skipped {
  enrollment: string;
  /** REPLIED stands only for contacts who have got a message. */
  reason: SkipReason | 'REPLIED';
  /** The value that is missing or does not fit, in a sentence; null for the other reasons. */
  words: string | null;
}

/** Ends enrollments that get nothing more. One that has got a message keeps its status. */
export function markSkipped(tx: TenantTx, skipped: Skipped[]): Promise<number> {
  return exec(tx, {
    name: 'campaigns.markSkipped',
    text: `update campaign_enrollments e set next_run_at = null, completed_at = now(), updated_at = now(),
        status = case when e.message_id is null then 'SKIPPED' else e.status end,
        skip_reason = case when e.message_id is null then n.reason end,
        failure_reason = case when e.message_id is null and n.words is not null then jsonb_build_object('code', n.reason, 'message', n.words)
          else e.failure_reason end
      from unnest($2::text[], $3::text[], $4::text[]) as n (enrollment, reason, words) where e.company_id = $1 and e._id = n.enrollment`,
    values: [
      tx.companyId,
      skipped.map(({ enrollment }) => enrollment),
      skipped.map(({ reason }) => reason),
      skipped.map(({ words }) => words),
    ],
  });
}

/**
 * Keeps people from pausing, cancelling or removing the campaign until the transaction ends. Returns true when it was cancelled, or has failed.
 */
export async function keepState(tx: TenantTx, campaign: string): Promise<boolean> {
  const row = await maybeOne<{ is_over: boolean }>(tx, {
    name: 'campaigns.keepState',
    text: `select status in ('CANCELLED', 'FAILED') as is_over from campaigns where company_id = $1 and _id = $2 for key share`,
    values: [tx.companyId, campaign],
  });
  return row?.is_over ?? true;
}

export interface LaterSend {
  enrollment: string;
  seconds: number;
  isRefused: boolean;
  /** The last step of an enrollment completes it when the network is called. */
  isLastStep: boolean;
}

/**
 * Lets enrollments be sent to later whose message the network has refused because of a rate limit, or was not called for. Returns those to
 * which nothing is sent any more, because they were cancelled, or their contacts have replied or were erased meanwhile.
 */
export async function sendLater(tx: TenantTx, later: LaterSend[]): Promise<string[]> {
  const rows = await many<{ enrollment: string }>(tx, {
    name: 'campaigns.sendLater',
    text: `with locked as (
        select e._id, n.seconds, n.is_refused, e.status in ('CANCELLED', 'FAILED') or e.contact_id is null
            or (e.completed_at is not null and not n.is_last) as is_over
        from unnest($2::text[], $3::int[], $4::boolean[], $5::boolean[]) as n (enrollment, seconds, is_refused, is_last)
          join campaign_enrollments e on e.company_id = $1 and e._id = n.enrollment
        where e.next_run_at is null order by e._id for no key update of e
      ), later as (
        update campaign_enrollments e set next_run_at = now() + make_interval(secs => l.seconds), completed_at = null, updated_at = now(),
          refusals = e.refusals + case when l.is_refused then 1 else 0 end
        from locked l where e.company_id = $1 and e._id = l._id and not l.is_over
      )
      select _id as enrollment from locked where is_over`,
    values: [
      tx.companyId,
      later.map(({ enrollment }) => enrollment),
      later.map(({ seconds }) => seconds),
      later.map(({ isRefused }) => isRefused),
      later.map(({ isLastStep }) => isLastStep),
    ],
  });
  return rows.map(({ enrollment }) => enrollment);
}

/** Returns how many messages the campaign has sent, and how many of them have failed. */
export function countSends(tx: TenantRead, campaign: string): Promise<{ called: number; failed: number }> {
  return one(tx, {
    name: 'campaigns.countSends',
    text: `select coalesce(sum(amount) filter (where name = 'called'), 0)::int as called,
        coalesce(sum(amount) filter (where name = 'failed'), 0)::int as failed
      from (
        select name, amount from campaign_counters where company_id = $1 and campaign_id = $2 and scope = 'sends'
        union all select name, amount from campaign_changes where company_id = $1 and campaign_id = $2 and scope = 'sends'
      ) c`,
    values: [tx.companyId, campaign],
  });
}

/** Returns in how many seconds the next enrollment is due; null when none waits for a time. */
export function findNextDue(tx: TenantRead, campaign: string): Promise<number | null> {
  return oneValue(tx, {
    name: 'campaigns.findNextDue',
    text: `select extract(epoch from min(next_run_at) - now())::float8 as seconds from campaign_enrollments
      where company_id = $1 and campaign_id = $2 and next_run_at is not null`,
    values: [tx.companyId, campaign],
  });
}
