import { exec, many, maybeOne, one, oneValue } from '../../platform/store/db.ts';
import type { Page, Window } from '../../platform/store/paging.ts';
import { listPage } from '../../platform/store/plain-list.ts';
import { findUnknown } from '../../platform/store/unknown-references.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { Actor } from '../../platform/values/actor.ts';
import type { UserRole } from '../../platform/values/scopes.ts';
import type { ClaimedSend } from '../sends/due/schemas.ts';
import type { CancelReason, ScheduledMessage } from './schemas.ts';

const COLUMNS = `_id, company_id as company, conversation_id as conversation,
  (select v.contact_id from conversations v where v.company_id = s.company_id and v._id = s.conversation_id) as contact,
  (select v.inbox_id from conversations v where v.company_id = s.company_id and v._id = s.conversation_id) as inbox,
  message, reply_to, send_at, is_held, cancel_on_reply, status, message_id as sent_message, cancel_reason, failure,
  json_build_object('type', case actor ->> 'type' when 'user' then 'USER' when 'rule' then 'RULE' else 'KEY' end, '_id', actor ->> 'id', 'name', actor ->> 'name')
    as created_by,
  created_at as "createdAt", updated_at as "updatedAt"`;

export function findScheduled(tx: TenantRead, id: string): Promise<ScheduledMessage | null> {
  return maybeOne(tx, {
    name: 'scheduled-messages.find',
    text: `select ${COLUMNS} from scheduled_messages s where company_id = $1 and _id = $2`,
    values: [tx.companyId, id],
  });
}

export function findScheduledMessages(tx: TenantRead, ids: string[]): Promise<ScheduledMessage[]> {
  return many(tx, {
    name: 'scheduled-messages.findByIds',
    text: `select ${COLUMNS} from scheduled_messages s where company_id = $1 and _id = any($2::text[])`,
    values: [tx.companyId, ids],
  });
}

export function findUnknownFilters(
  tx: TenantRead,
  asked: Record<'conversation' | 'created_by', string | null>,
): Promise<string[]> {
  return findUnknown(tx, {
    name: 'scheduled-messages.findUnknown',
    tables: { conversation: 'conversations', created_by: 'users' },
    asked,
  });
}

export interface ScheduledFilter {
  conversation: string | null;
  status: string | null;
  created_by: string | null;
}

export function listScheduled(
  tx: TenantRead,
  { conversation, status, created_by }: ScheduledFilter,
  window: Window,
): Promise<Page<ScheduledMessage>> {
  return listPage(tx, window, {
    name: 'scheduled-messages',
    columns: COLUMNS,
    from: 'scheduled_messages s',
    filter: `company_id = $1 and ($2::text is null or conversation_id = $2) and ($3::text is null or status = $3)
      and ($4::text is null or actor ->> 'type' = 'user' and actor ->> 'id' = $4)`,
    values: [tx.companyId, conversation, status, created_by],
  });
}

/** Counts the messages that a conversation still waits for. */
export function countScheduled(tx: TenantTx, conversation: string): Promise<number> {
  return oneValue(tx, {
    name: 'scheduled-messages.countOpen',
    text: `select count(*)::int as count from scheduled_messages where company_id = $1 and conversation_id = $2 and status = 'SCHEDULED'`,
    values: [tx.companyId, conversation],
  });
}

/** In whose name a message is sent. */
export type Author = Pick<Actor, 'type' | 'id' | 'name'>;

export interface NewScheduled extends Pick<
  ScheduledMessage,
  '_id' | 'conversation' | 'message' | 'reply_to' | 'cancel_on_reply' | 'is_held'
> {
  actor: Author;
  send_at: Date;
}

export function insertScheduled(tx: TenantTx, next: NewScheduled): Promise<number> {
  return exec(tx, {
    name: 'scheduled-messages.insert',
    text: `insert into scheduled_messages
        (company_id, _id, conversation_id, actor, message, attachment_id, reply_to, cancel_on_reply, is_held, send_at, held_until)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)`,
    values: [
      tx.companyId,
      next._id,
      next.conversation,
      JSON.stringify(next.actor),
      JSON.stringify(next.message),
      next.message.attachment,
      next.reply_to,
      next.cancel_on_reply,
      next.is_held,
      next.send_at,
    ],
  });
}

export interface ScheduledChange extends Pick<
  ScheduledMessage,
  '_id' | 'message' | 'reply_to' | 'cancel_on_reply' | 'is_held' | 'send_at'
> {
  actor: Author;
}

/** Makes a message leave its conversation closed, if that is closed now. */
export function keepClosed(tx: TenantTx, id: string): Promise<number> {
  return exec(tx, {
    name: 'scheduled-messages.keepClosed',
    text: `update scheduled_messages s set keeps_closed = true where company_id = $1 and _id = $2
      and exists (select from conversations where company_id = $1 and _id = s.conversation_id and status = 'CLOSED')`,
    values: [tx.companyId, id],
  });
}

/** Changes a message that is not sent yet. A worker that has taken it loses it, and it is taken again when it is due. */
export function updateScheduled(tx: TenantTx, next: ScheduledChange): Promise<number> {
  return exec(tx, {
    name: 'scheduled-messages.update',
    text: `update scheduled_messages set message = $3, attachment_id = $4, reply_to = $5, cancel_on_reply = $6, is_held = $7, send_at = $8,
        held_until = $8, actor = $9, is_waiting = false, claimed_at = null, attempts = 0, updated_at = now()
      where company_id = $1 and _id = $2`,
    values: [
      tx.companyId,
      next._id,
      JSON.stringify(next.message),
      next.message.attachment,
      next.reply_to,
      next.cancel_on_reply,
      next.is_held,
      next.send_at,
      JSON.stringify(next.actor),
    ],
  });
}

/** Makes a message due, and claims it as a worker does. When this process dies, a worker claims it again after the lease. */
export function claimNow(tx: TenantTx, id: string, leaseSeconds: number): Promise<ClaimedSend> {
  return one(tx, {
    name: 'scheduled-messages.claimNow',
    text: `update scheduled_messages set send_at = least(send_at, now()), is_waiting = false, claimed_at = clock_timestamp(),
        held_until = now() + make_interval(secs => $3), attempts = 1, updated_at = now()
      where company_id = $1 and _id = $2 returning company_id as company, _id, attempts, claimed_at`,
    values: [tx.companyId, id, leaseSeconds],
  });
}

/** A scheduled message with what decides whether it is sent. */
export interface DueScheduled extends ScheduledMessage {
  actor: Actor;
  claimed_at: string | null;
  /** Whether the network is being called for the message. */
  is_calling: boolean;
  /** The conversation that gets the message: the open one with the contact, if the conversation itself is closed. */
  place: string;
  /** Whether the conversation was closed when the message was written, or while it was held, and therefore stays closed. */
  keeps_closed: boolean;
  company_active: boolean;
  author_active: boolean;
  /** The role of the author today; null for a key, whose scopes never change. */
  author_role: UserRole | null;
  /** Whether the contact has written since. Always false for a message that is sent all the same. */
  is_answered: boolean;
  /** Whether an earlier message of the same conversation is due as well. */
  has_earlier: boolean;
}

const DUE = `${COLUMNS}, actor, claimed_at, message_id is not null as is_calling,
  coalesce((select o._id from conversations v join conversations o
      on o.company_id = v.company_id and o.inbox_id = v.inbox_id and o.contact_id = v.contact_id and o.status <> 'CLOSED'
    where v.company_id = s.company_id and v._id = s.conversation_id and v.status = 'CLOSED'), conversation_id) as place,
  keeps_closed or is_held and exists (select from conversations v where v.company_id = s.company_id and v._id = s.conversation_id
    and v.closed_at > s.created_at) as keeps_closed,
  (select b.status from companies b where b._id = s.company_id) = 'ACTIVE' as company_active,
  case actor ->> 'type'
    when 'user' then exists (select from users u where u.company_id = s.company_id and u._id = s.actor ->> 'id' and u.status = 'ACTIVE')
      and sees_conversation(s.company_id, s.conversation_id, s.actor ->> 'id')
    when 'company' then exists (select from api_keys k where k.company_id = s.company_id and k._id = s.actor ->> 'id'
      and k.revoked_at is null and (k.expires_at is null or k.expires_at > now()))
    else true end as author_active,
  case actor ->> 'type' when 'user' then (select role from users u where u.company_id = s.company_id and u._id = s.actor ->> 'id') end
    as author_role,
  cancel_on_reply and exists (select from messages m where m.company_id = s.company_id and m.conversation_id = s.conversation_id
    and m.message_type = 'INCOMING' and m.created_at > s.created_at) as is_answered,
  exists (select from scheduled_messages e where e.company_id = s.company_id and e.conversation_id = s.conversation_id
    and e.status = 'SCHEDULED' and e.send_at <= now() and (e.send_at, e._id) < (s.send_at, s._id)) as has_earlier`;

export function findDue(tx: TenantRead, id: string): Promise<DueScheduled | null> {
  return maybeOne(tx, {
    name: 'scheduled-messages.findDue',
    text: `select ${DUE} from scheduled_messages s where company_id = $1 and _id = $2`,
    values: [tx.companyId, id],
  });
}

/** Locks the conversation and then the scheduled message, in the order of every send. */
export async function lockScheduled(tx: TenantTx, id: string): Promise<DueScheduled | null> {
  await exec(tx, {
    name: 'scheduled-messages.lockPlace',
    text: `select 1 from conversations v where v.company_id = $1
      and v._id = (select conversation_id from scheduled_messages where company_id = $1 and _id = $2) for no key update of v`,
    values: [tx.companyId, id],
  });
  return maybeOne(tx, {
    name: 'scheduled-messages.lock',
    text: `select ${DUE} from scheduled_messages s where company_id = $1 and _id = $2 for update of s`,
    values: [tx.companyId, id],
  });
}

/** Lets a message wait for an earlier one of its conversation. The wait is not an attempt. */
export function deferScheduled(tx: TenantTx, id: string): Promise<number> {
  return exec(tx, {
    name: 'scheduled-messages.defer',
    text: `update scheduled_messages set held_until = now() + interval '0.5 seconds', claimed_at = null, attempts = 0
      where company_id = $1 and _id = $2`,
    values: [tx.companyId, id],
  });
}

/** Notes the message that is about to be sent. From now on no one sends it again. */
export function beginScheduled(
  tx: TenantTx,
  id: string,
  { message, settleSeconds }: { message: string; settleSeconds: number },
): Promise<number> {
  return exec(tx, {
    name: 'scheduled-messages.begin',
    text: `update scheduled_messages set message_id = $3, held_until = null, settle_until = now() + make_interval(secs => $4), updated_at = now()
      where company_id = $1 and _id = $2`,
    values: [tx.companyId, id, message, settleSeconds],
  });
}

export interface ScheduledEnd {
  status: 'SENT' | 'CANCELLED' | 'FAILED';
  cancel_reason?: CancelReason;
  failure?: ScheduledMessage['failure'];
}

/** Ends a scheduled message. Returns 0 when it has ended already. */
export function endScheduled(
  tx: TenantTx,
  id: string,
  { status, cancel_reason, failure }: ScheduledEnd,
): Promise<number> {
  return exec(tx, {
    name: 'scheduled-messages.end',
    text: `update scheduled_messages set status = $3, cancel_reason = $4, failure = $5, settle_until = null, held_until = null,
        is_waiting = false, updated_at = now()
      where company_id = $1 and _id = $2 and status = 'SCHEDULED'`,
    values: [tx.companyId, id, status, cancel_reason ?? null, failure ? JSON.stringify(failure) : null],
  });
}
