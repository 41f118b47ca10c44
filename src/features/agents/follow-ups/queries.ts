import type { ChannelName } from '../../../channels/registry.ts';
import { exec, many, maybeOne } from '../../../platform/store/db.ts';
import type { Page, Window } from '../../../platform/store/paging.ts';
import { listPage } from '../../../platform/store/plain-list.ts';
import type { TenantRead, TenantTx } from '../../../platform/store/tenant.ts';
import type { FollowUp, FollowUpRule } from './schemas.ts';

const COLUMNS = `f._id, f.company_id as company, f.conversation_id as conversation, v.contact_id as contact, v.inbox_id as inbox,
  f.agent_id as agent, f.message_id as message, f.content, f.index, f.status, f.scheduled_at, f.sent_at, f.cancel_reason,
  f.created_at as "createdAt", f.updated_at as "updatedAt"`;
const FROM = 'follow_ups f join conversations v on v.company_id = f.company_id and v._id = f.conversation_id';

export function findFollowUp(tx: TenantRead, id: string): Promise<FollowUp | null> {
  return maybeOne(tx, {
    name: 'agents.findFollowUp',
    text: `select ${COLUMNS} from ${FROM} where f.company_id = $1 and f._id = $2`,
    values: [tx.companyId, id],
  });
}

export function findFollowUps(tx: TenantRead, ids: string[]): Promise<FollowUp[]> {
  return many(tx, {
    name: 'agents.findFollowUps',
    text: `select ${COLUMNS} from ${FROM} where f.company_id = $1 and f._id = any($2::text[])`,
    values: [tx.companyId, ids],
  });
}

/** A follow-up that a worker is about to send. */
export interface DueFollowUp extends FollowUp {
  template: FollowUpRule['template'];
  claimed_at: string | null;
  /** Whether the agent still handles the conversation and is ACTIVE, and the company is not suspended. */
  is_open: boolean;
  /** Whether the contact has written or reacted since. */
  is_answered: boolean;
  /** Whether the contact may be written to without a template, on channels that have such a window. */
  window_open: boolean;
  channel: ChannelName;
}

/** Locks the conversation and then the follow-up, in the order in which a change of the conversation cancels it. */
export async function lockFollowUp(tx: TenantTx, id: string): Promise<DueFollowUp | null> {
  await exec(tx, {
    name: 'agents.lockFollowUpPlace',
    text: `select 1 from conversations v where v.company_id = $1
      and v._id = (select conversation_id from follow_ups where company_id = $1 and _id = $2) for no key update of v`,
    values: [tx.companyId, id],
  });
  return maybeOne(tx, {
    name: 'agents.lockFollowUp',
    text: `select ${COLUMNS}, f.template, f.claimed_at, v.channel,
        v.handled_by = 'AI' and v.status <> 'CLOSED' and v.agent_id = f.agent_id
          and (select b.status from companies b where b._id = v.company_id) = 'ACTIVE'
          and (select a.status from agents a where a.company_id = v.company_id and a._id = v.agent_id) = 'ACTIVE' as is_open,
        exists (select from messages m where m.company_id = v.company_id and m.conversation_id = v._id and m.message_type = 'INCOMING'
          and m.created_at > coalesce((select s.created_at from messages s where s.company_id = f.company_id and s._id = f.message_id), f.created_at))
          as is_answered,
        coalesce(v.window_expires_at, v.last_inbound_at + interval '24 hours') > now() is true as window_open
      from ${FROM} where f.company_id = $1 and f._id = $2 for update of f`,
    values: [tx.companyId, id],
  });
}

/** Where the contact of a conversation lives: the country of its number, and the time zone of the company. */
export function findHome(
  tx: TenantRead,
  conversation: string,
): Promise<{ country: string | null; time_zone: string | null } | null> {
  return maybeOne(tx, {
    name: 'agents.findHome',
    text: `select c.country_code as country, b.general_config ->> 'time_zone' as time_zone
      from conversations v join contacts c on c.company_id = v.company_id and c._id = v.contact_id join companies b on b._id = v.company_id
      where v.company_id = $1 and v._id = $2`,
    values: [tx.companyId, conversation],
  });
}

export interface NewFollowUp extends Pick<FollowUpRule, 'content' | 'template'> {
  _id: string;
  agent: string;
  conversation: string;
  index: number;
  scheduled_at: Date;
}

/** Schedules a follow-up, unless the conversation has one already. One that is being sent does not count. */
export function insertFollowUp(tx: TenantTx, next: NewFollowUp): Promise<number> {
  return exec(tx, {
    name: 'agents.insertFollowUp',
    text: `insert into follow_ups (company_id, _id, agent_id, conversation_id, index, content, template, scheduled_at, held_until)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $8)
      on conflict (company_id, conversation_id) where status = 'SCHEDULED' and message_id is null do nothing`,
    values: [
      tx.companyId,
      next._id,
      next.agent,
      next.conversation,
      next.index,
      next.content,
      next.template && JSON.stringify(next.template),
      next.scheduled_at,
    ],
  });
}

/** Puts a follow-up off. */
export function postponeFollowUp(tx: TenantTx, id: string, until: Date): Promise<number> {
  return exec(tx, {
    name: 'agents.postponeFollowUp',
    text: `update follow_ups set scheduled_at = $3, held_until = $3, attempts = 0, updated_at = now() where company_id = $1 and _id = $2`,
    values: [tx.companyId, id, until],
  });
}

/** Notes the message that is about to be sent. From now on no one sends the follow-up again. */
export function beginFollowUp(tx: TenantTx, id: string, message: string, settleSeconds: number): Promise<number> {
  return exec(tx, {
    name: 'agents.beginFollowUp',
    text: `update follow_ups set message_id = $3, held_until = null, settle_until = now() + make_interval(secs => $4), updated_at = now()
      where company_id = $1 and _id = $2`,
    values: [tx.companyId, id, message, settleSeconds],
  });
}

/** Ends a follow-up. Returns 0 when it has ended already. */
export function endFollowUp(
  tx: TenantTx,
  id: string,
  { status, cancel_reason }: Pick<FollowUp, 'status' | 'cancel_reason'>,
): Promise<number> {
  return exec(tx, {
    name: 'agents.endFollowUp',
    text: `update follow_ups set status = $3, cancel_reason = $4, sent_at = case when $3 = 'SENT' then now() end, settle_until = null,
        held_until = null, is_waiting = false, updated_at = now()
      where company_id = $1 and _id = $2 and status = 'SCHEDULED'`,
    values: [tx.companyId, id, status, cancel_reason],
  });
}

export interface FollowUpFilter {
  agent: string | null;
  conversation: string | null;
  status: string | null;
}

export function listFollowUps(
  tx: TenantRead,
  { agent, conversation, status }: FollowUpFilter,
  window: Window,
): Promise<Page<FollowUp>> {
  return listPage(tx, window, {
    name: 'agents',
    variant: '.followUps',
    columns: `_id, company_id as company, conversation_id as conversation,
      (select contact_id from conversations v where v.company_id = follow_ups.company_id and v._id = conversation_id) as contact,
      (select inbox_id from conversations v where v.company_id = follow_ups.company_id and v._id = conversation_id) as inbox,
      agent_id as agent, message_id as message, content, index, status, scheduled_at, sent_at, cancel_reason,
      created_at as "createdAt", updated_at as "updatedAt"`,
    from: 'follow_ups',
    filter: `company_id = $1 and ($2::text is null or agent_id = $2) and ($3::text is null or conversation_id = $3)
      and ($4::text is null or status = $4)`,
    values: [tx.companyId, agent, conversation, status],
  });
}
