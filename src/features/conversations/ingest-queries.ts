/** Queries of ingestion; each handles a whole batch of several companies in one statement. */
import { exec, many } from '../../platform/store/db.ts';
import type { SystemTx, TenantTx } from '../../platform/store/tenant.ts';
import { continuedSql, CONVERSATION, LAST_MESSAGE, latestWindowSql } from './queries.ts';
import type { Conversation } from './schemas.ts';

export interface NewConversation {
  _id: string;
  company: string;
  inbox: string;
  contact: string;
  channel: string;
  status: 'OPEN' | 'CLOSED';
  handled_by: 'AI' | 'HUMAN' | 'NONE';
  agent: string | null;
  owner: string | null;
  attendant: string | null;
  team: string | null;
  is_test: boolean;
  first?: FirstMessage | undefined;
}

/** The message of the business that opens a conversation and is stored in the same transaction, and the campaign that sends it. */
export interface FirstMessage {
  message: string;
  campaign: string | null;
  enrollment: string | null;
}

export interface Thread {
  _id: string;
  company: string;
  inbox: string;
  contact: string;
  status: string;
  handled_by: string;
  agent: string | null;
  /** The enrollment of the campaign that has written into it last. */
  enrollment: string | null;
  /** Whether users are to be notified of what the contact writes: its owner, or those who follow it. */
  is_followed: boolean;
  /** Whether the company has blocked the contact: what they write is stored, and no one is told. */
  is_blocked: boolean;
}

interface ThreadKey {
  company: string;
  inbox: string;
  contact: string;
}

const THREAD = `v._id, v.company_id as company, v.inbox_id as inbox, v.contact_id as contact, v.status, v.handled_by,
  v.agent_id as agent, v.enrollment_id as enrollment, v.owner_id is not null or exists (select from conversation_participants p
    where p.company_id = v.company_id and p.conversation_id = v._id and p.follows) as is_followed,
  coalesce((select c.blocked from contacts c where c.company_id = v.company_id and c._id = v.contact_id), false) as is_blocked`;

const columns = (keys: ThreadKey[]): string[][] => [
  keys.map((key) => key.company),
  keys.map((key) => key.inbox),
  keys.map((key) => key.contact),
];

/** Finds and locks the open conversation of each (inbox, contact), so that no one closes it while the batch writes into it. */
export function lockOpenThreads(tx: SystemTx | TenantTx, keys: ThreadKey[]): Promise<Thread[]> {
  return many(tx, {
    name: 'conversations.lockOpenThreads',
    text: `select ${THREAD} from unnest($1::text[], $2::text[], $3::text[]) as k (company_id, inbox_id, contact_id)
      join conversations v on v.company_id = k.company_id and v.inbox_id = k.inbox_id and v.contact_id = k.contact_id
        and v.status <> 'CLOSED'
      order by v.company_id, v.inbox_id, v.contact_id
      for no key update of v`,
    values: columns(keys),
  });
}

/** Finds the newest conversation of each (inbox, contact), whatever its status, for old messages that open none. */
export function findLatestThreads(tx: SystemTx, keys: ThreadKey[]): Promise<Thread[]> {
  return many(tx, {
    name: 'conversations.findLatestThreads',
    text: `select v.* from unnest($1::text[], $2::text[], $3::text[]) as k (company_id, inbox_id, contact_id)
      cross join lateral (
        select ${THREAD} from conversations v
        where v.company_id = k.company_id and v.contact_id = k.contact_id and v.inbox_id = k.inbox_id
        order by v.created_at desc, v._id desc limit 1
      ) v`,
    values: columns(keys),
  });
}

/**
 * Opens conversations and returns those that were really opened: the unique index allows one for each (inbox, contact), and one that
 * continues a closed conversation is left to reopenThreads().
 */
export function insertThreads(tx: SystemTx | TenantTx, threads: NewConversation[]): Promise<Thread[]> {
  return many(tx, {
    name: 'conversations.insertThreads',
    text: `insert into conversations as v (company_id, inbox_id, contact_id, _id, channel, status, handled_by, agent_id, owner_id,
        attendant_id, is_test, last_message_id, campaign_id, enrollment_id, last_message_at, awaits_reply, closed_at, window_expires_at,
        heard_from, team_id)
      select t.company_id, t.inbox_id, t.contact_id, t._id, t.channel, t.status, t.handled_by, t.agent_id, t.owner_id, t.attendant_id, t.is_test,
        t.last_message_id, t.campaign_id, t.enrollment_id, case when t.last_message_id is not null then now() end, t.campaign_id is not null,
        case when t.status = 'CLOSED' then now() end, w.window_expires_at, w.heard_from, t.team_id
      from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
        $10::text[], $11::boolean[], $12::text[], $13::text[], $14::text[], $15::text[]) as t (company_id, inbox_id, contact_id, _id, channel,
          status, handled_by, agent_id, owner_id, attendant_id, is_test, last_message_id, campaign_id, enrollment_id, team_id)
        left join lateral (${latestWindowSql('t')}) w on true
      where t.status = 'CLOSED' or not exists (${continuedSql('t')})
      order by t.company_id, t.inbox_id, t.contact_id
      on conflict (company_id, inbox_id, contact_id) where status <> 'CLOSED' do nothing
      returning ${THREAD}`,
    values: [
      ...columns(threads),
      threads.map((thread) => thread._id),
      threads.map((thread) => thread.channel),
      threads.map((thread) => thread.status),
      threads.map((thread) => thread.handled_by),
      threads.map((thread) => thread.agent),
      threads.map((thread) => thread.owner),
      threads.map((thread) => thread.attendant),
      threads.map((thread) => thread.is_test),
      threads.map(({ first }) => first?.message),
      threads.map(({ first }) => first?.campaign),
      threads.map(({ first }) => first?.enrollment),
      threads.map((thread) => thread.team),
    ],
  });
}

/** Returns SQL for the user that a column names; null for one who has left, until the work that follows clears the column. */
const presentUserSql = (column: string): string =>
  `(select u._id from users u where u.company_id = v.company_id and u._id = ${column} and u.status <> 'INACTIVE')`;

/**
 * Reopens the conversations that new ones would only continue, and returns them. Each keeps its assignment and its fields, and shows the
 * message that is stored with it. One that another transaction has reopened meanwhile is not returned.
 */
export function reopenThreads(tx: SystemTx | TenantTx, threads: NewConversation[]): Promise<Thread[]> {
  return many(tx, {
    name: 'conversations.reopenThreads',
    text: `with held as materialized (
        select v.company_id, v._id, t.last_message_id, t.campaign_id, t.enrollment_id
        from unnest($1::text[], $2::text[], $3::text[], $4::boolean[], $5::text[], $6::text[], $7::text[]) as t (company_id, inbox_id,
            contact_id, is_test, last_message_id, campaign_id, enrollment_id)
          cross join lateral (${continuedSql('t')}) c
          join conversations v on v.company_id = t.company_id and v._id = c._id and v.status = 'CLOSED'
        where not exists (select from conversations o where o.company_id = t.company_id and o.inbox_id = t.inbox_id
          and o.contact_id = t.contact_id and o.status <> 'CLOSED')
        order by v.company_id, v.inbox_id, v.contact_id
        for no key update of v
      )
      update conversations v set status = 'OPEN', closed_at = null, updated_at = now(),
        owner_id = ${presentUserSql('v.owner_id')}, attendant_id = ${presentUserSql('v.attendant_id')},
        last_message_id = coalesce(h.last_message_id, v.last_message_id),
        last_message_at = case when h.last_message_id is null then v.last_message_at else now() end,
        campaign_id = coalesce(h.campaign_id, v.campaign_id),
        enrollment_id = case when h.campaign_id is null then v.enrollment_id else h.enrollment_id end,
        awaits_reply = case when h.campaign_id is null then v.awaits_reply else v.last_inbound_at is null end,
        (window_expires_at, heard_from) = (${latestWindowSql('v')})
      from held h where v.company_id = h.company_id and v._id = h._id
      returning ${THREAD}`,
    values: [
      ...columns(threads),
      threads.map((thread) => thread.is_test),
      threads.map(({ first }) => first?.message),
      threads.map(({ first }) => first?.campaign),
      threads.map(({ first }) => first?.enrollment),
    ],
  });
}

/**
 * Gives open conversations of a contact the latest reply window, which may have been opened in another conversation. With `inbox` null it
 * does so in all inboxes.
 */
export function continueWindows(tx: TenantTx, contact: string, inbox: string | null): Promise<number> {
  return exec(tx, {
    name: 'conversations.continueWindows',
    text: `update conversations v set (window_expires_at, heard_from) = (${latestWindowSql('v')})
      where v.company_id = $1 and v.contact_id = $2 and v.status <> 'CLOSED' and ($3::text is null or v.inbox_id = $3)`,
    values: [tx.companyId, contact, inbox],
  });
}

export interface ThreadActivity {
  company: string;
  conversation: string;
  /** The id of the newest message of the batch, and its time; null when the batch has only reactions. */
  last_message: string | null;
  last_message_at: string | null;
  /** The time of the contact's newest message by the network's clock; null when the batch has none. */
  inbound_at: string | null;
  /** The identity with which the contact wrote that message. */
  heard_from: string | null;
  /** The time after which the network allows free text for 24 hours: that of the contact's newest message or reaction. */
  window_at: string | null;
  /** True when the network has such a window. */
  windowed: boolean;
  /**
   * The number of the contact's messages since the last answer; `answered` is true when this batch contains an answer, with which a person
   * takes over from an agent.
   */
  unread: number;
  answered: boolean;
  /** The time of the contact's first message since the last answer of this batch; null when it has none. */
  waiting_since: string | null;
  /** True when the batch contains an incoming message, which ends a snooze. */
  woken: boolean;
}

/** Updates conversations after a batch of messages; their times never move back. */
export function touchThreads(tx: SystemTx, activities: ThreadActivity[]): Promise<number> {
  return exec(tx, {
    name: 'conversations.touchThreads',
    text: `update conversations v set
        last_message_id = case when a.last_message_at >= coalesce(v.last_message_at, '-infinity') then a.last_message else v.last_message_id end,
        last_message_at = greatest(v.last_message_at, a.last_message_at),
        last_inbound_at = greatest(v.last_inbound_at, a.inbound_at),
        heard_from = case when a.inbound_at >= coalesce(greatest(v.last_inbound_at, v.window_expires_at - interval '24 hours'), '-infinity')
          then a.heard_from else v.heard_from end,
        window_expires_at = case when a.windowed then greatest(v.window_expires_at, a.window_at + interval '24 hours') end,
        unread_count = case when a.answered then 0 else v.unread_count end + a.unread,
        waiting_since = case when v.status = 'CLOSED' then null when a.answered then a.waiting_since
          else coalesce(v.waiting_since, a.waiting_since) end,
        status = case when a.woken then 'OPEN' else v.status end,
        snoozed_until = case when a.woken then null else v.snoozed_until end,
        awaits_reply = v.awaits_reply and a.inbound_at is null,
        handled_by = case when a.answered and v.handled_by = 'AI' then 'HUMAN' else v.handled_by end,
        updated_at = case when a.woken or v.awaits_reply and a.inbound_at is not null or a.answered and v.handled_by = 'AI' then now() else v.updated_at end
      from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[], $6::boolean[], $7::int[], $8::boolean[], $9::boolean[],
        $10::text[],
        $11::timestamptz[], $12::timestamptz[])
        as a (company_id, conversation_id, last_message, last_message_at, inbound_at, windowed, unread, answered, woken, heard_from, window_at,
          waiting_since)
      where v.company_id = a.company_id and v._id = a.conversation_id`,
    values: [
      activities.map((activity) => activity.company),
      activities.map((activity) => activity.conversation),
      activities.map((activity) => activity.last_message),
      activities.map((activity) => activity.last_message_at),
      activities.map((activity) => activity.inbound_at),
      activities.map((activity) => activity.windowed),
      activities.map((activity) => activity.unread),
      activities.map((activity) => activity.answered),
      activities.map((activity) => activity.woken),
      activities.map((activity) => activity.heard_from),
      activities.map((activity) => activity.window_at),
      activities.map((activity) => activity.waiting_since),
    ],
  });
}

export function findConversationsByKeys(
  tx: SystemTx | TenantTx,
  keys: { company: string; _id: string }[],
): Promise<Conversation[]> {
  return many(tx, {
    name: 'conversations.findOf',
    text: `select ${CONVERSATION} from unnest($1::text[], $2::text[]) as k (company_id, _id)
      join conversations v on v.company_id = k.company_id and v._id = k._id ${LAST_MESSAGE}`,
    values: [keys.map((key) => key.company), keys.map((key) => key._id)],
  });
}
