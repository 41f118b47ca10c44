/** Statements that move what belongs to one conversation to another one of the same contact and inbox. */
import { exec, many, oneValue } from '../../../platform/store/db.ts';
import type { TenantTx } from '../../../platform/store/tenant.ts';
import type { HeldValues } from '../../custom-fields/schemas.ts';

export interface ConversationMove {
  from: string;
  to: string;
}

// The campaign that has written last into an open conversation counts.
const TAKES_CAMPAIGN = 's.campaign_id is not null and (s.goes_on or v.campaign_id is null)';
const TAKEN_OVER = [
  'status',
  'handled_by',
  'agent_id',
  'attendant_id',
  'team_id',
  'snoozed_until',
  'woken_at',
  'closed_at',
  'first_reply_at',
];
/** Returns SQL for the owner of a conversation, while that user works here. */
const presentOwner = (of: 's' | 'v'): string => `(select u._id from users u
          where u.company_id = $1 and u._id = ${of}.owner_id and u.status <> 'INACTIVE' and u.removed_at is null)`;
/** Returns SQL that sets a column to that of the removed conversation if this one was open. */
const takeOver = (column: string, value = `s.${column}`): string =>
  `${column} = case when s.goes_on then ${value} else v.${column} end`;

export interface MergedConversation {
  _id: string;
  contact: string;
  inbox: string;
  status: 'OPEN' | 'PENDING' | 'SNOOZED' | 'CLOSED';
  is_test: boolean;
  tags: string[];
  /** The values of the custom fields by the ids of these. */
  held: HeldValues;
}

/**
 * Locks both conversations, in the order of their ids, against changes and new messages: a message that is stored at the same moment is
 * either committed before, and moved, or finds the conversation that stays. From then on, triggers leave out what is no news (is_merging).
 */
export function lockConversationPair(tx: TenantTx, { from, to }: ConversationMove): Promise<MergedConversation[]> {
  return many(tx, {
    name: 'merges.lockConversations',
    text: `select _id, contact_id as contact, inbox_id as inbox, status, is_test, tags, custom_fields as held,
        set_config('app.merging', 'on', true) as merging from conversations
      where company_id = $1 and _id = any(array[$2, $3]) order by _id for update`,
    values: [tx.companyId, from, to],
  });
}

/** Counts the messages of a conversation, at most `limit`. */
export function countMessages(tx: TenantTx, conversation: string, limit: number): Promise<number> {
  return oneValue(tx, {
    name: 'merges.countMessages',
    text: `select count(*)::int as count from (select from messages where company_id = $1 and conversation_id = $2 limit $3) counted`,
    values: [tx.companyId, conversation, limit],
  });
}

/** Moves messages a portion at a time. */
export function moveThreadMessages(tx: TenantTx, { from, to }: ConversationMove, limit: number): Promise<number> {
  return exec(tx, {
    name: 'merges.moveThreadMessages',
    text: `update messages set conversation_id = $3 where company_id = $1 and _id = any(array(
        select _id from messages where company_id = $1 and conversation_id = $2 limit $4))`,
    values: [tx.companyId, from, to, limit],
  });
}

/** The tables whose rows only change their conversation, with what else a move sets. */
const MOVED = {
  conversation_history: '',
  agent_turns: '',
  follow_ups: ', updated_at = now()',
  scheduled_messages: ', updated_at = now()',
  // An event that a rule is processing is processed again; a rule still runs once per event.
  rule_events: ', is_waiting = is_waiting or claimed_at is not null, claimed_at = null',
  rule_runs: '',
  csat_surveys: '',
  sla_turns: '',
};
export type MovedTable = keyof typeof MOVED;
export const MOVED_TABLES = Object.keys(MOVED) as MovedTable[];

/** Moves the rows of a table a portion at a time. */
export function moveThreadRows(
  tx: TenantTx,
  table: MovedTable,
  { from, to }: ConversationMove,
  limit: number,
): Promise<number> {
  return exec(tx, {
    name: `merges.moveThreadRows.${table}`,
    text: `update ${table} set conversation_id = $3${MOVED[table]} where company_id = $1 and _id = any(array(
        select _id from ${table} where company_id = $1 and conversation_id = $2 limit $4))`,
    values: [tx.companyId, from, to, limit],
  });
}

/** Moves the places of the conversation in bulk runs and campaigns, which are found by its contact. */
export function movePlaces(tx: TenantTx, { from, to }: ConversationMove, contact: string): Promise<number> {
  return exec(tx, {
    name: 'merges.movePlaces',
    text: `with bulk as (
        update bulk_rows set conversation_id = $3 where company_id = $1 and contact_id = $4 and conversation_id = $2
      )
      update campaign_enrollments set conversation_id = $3, updated_at = now()
      where company_id = $1 and contact_id = $4 and conversation_id = $2`,
    values: [tx.companyId, from, to, contact],
  });
}

/** Makes the followers of the conversation follow the other one, those first who have followed it longest. */
export function moveFollowers(tx: TenantTx, { from, to }: ConversationMove, most: number): Promise<number> {
  return exec(tx, {
    name: 'merges.moveFollowers',
    text: `insert into conversation_participants (company_id, conversation_id, user_id, follows, created_at)
      select $1, $3, p.user_id, p.follows, p.created_at
      from (select user_id, follows, created_at, row_number() over (partition by follows order by created_at, user_id) as place
        from conversation_participants f where company_id = $1 and conversation_id = $2 and not exists (
          select from conversation_participants o where o.company_id = $1 and o.conversation_id = $3 and o.user_id = f.user_id)) p
      where not p.follows or p.place <= $4 - (
        select count(*) from conversation_participants where company_id = $1 and conversation_id = $3 and follows)`,
    values: [tx.companyId, from, to, most],
  });
}

/**
 * Moves notifications. A user has one unread notification of a kind about a conversation, so where there would be two, that of the
 * conversation that stays counts for both, and the other one is marked as read.
 */
export function moveNotifications(tx: TenantTx, { from, to }: ConversationMove): Promise<number> {
  return exec(tx, {
    name: 'merges.moveNotifications',
    text: `with doubles as (
        select n._id, n.count, n.message_id, n.created_at, o._id as stays from notifications n join notifications o
          on o.company_id = n.company_id and o.conversation_id = $3 and o.user_id = n.user_id and o.kind = n.kind and o.read_at is null
        where n.company_id = $1 and n.conversation_id = $2 and n.read_at is null
      ), counted as (
        update notifications o set count = o.count + d.count, updated_at = now(),
          message_id = case when d.created_at > o.created_at then d.message_id else o.message_id end
        from doubles d where o.company_id = $1 and o._id = d.stays
      )
      update notifications n set conversation_id = $3, updated_at = now(),
        read_at = case when exists (select from doubles d where d._id = n._id) then now() else n.read_at end
      where n.company_id = $1 and n.conversation_id = $2`,
    values: [tx.companyId, from, to],
  });
}

/** Moves away texts, but not one that the other conversation has for the same closed time: the contact gets one. */
export function moveAwayTexts(tx: TenantTx, { from, to }: ConversationMove): Promise<number> {
  return exec(tx, {
    name: 'merges.moveAwayTexts',
    text: `update away_texts a set conversation_id = $3 where company_id = $1 and conversation_id = $2 and not exists (
        select from away_texts o where o.company_id = $1 and o.conversation_id = $3 and o.closed_until = a.closed_until)`,
    values: [tx.companyId, from, to],
  });
}

/** Adds up what agents have used in both conversations, which limits what they may use. */
export function addUpBudgets(tx: TenantTx, { from, to }: ConversationMove): Promise<number> {
  return exec(tx, {
    name: 'merges.addUpBudgets',
    text: `insert into agent_conversation_budgets as b (company_id, conversation_id, day, tokens)
      select $1, $3, day, tokens from agent_conversation_budgets where company_id = $1 and conversation_id = $2
      on conflict (company_id, conversation_id, day) do update set tokens = b.tokens + excluded.tokens`,
    values: [tx.companyId, from, to],
  });
}

const excluded = (columns: string): string => columns.replace(/\w+/g, 'excluded.$&');

/** Moves the answer that an agent owes. An answer in the making is dropped, because it would be stored in the other conversation. */
export function moveTurn(tx: TenantTx, { from, to }: ConversationMove): Promise<number> {
  const columns = 'message_id, created_at, first_message_id, first_at, is_waiting, held_until, overtaken';
  return exec(tx, {
    name: 'merges.moveTurn',
    text: `insert into pending_turns (company_id, conversation_id, ${columns})
      select $1, $3, message_id, created_at, first_message_id, first_at, is_waiting or claimed_at is not null,
        case when claimed_at is null then held_until end, overtaken
      from pending_turns where company_id = $1 and conversation_id = $2
      on conflict (company_id, conversation_id) do update set claimed_at = null, attempts = 0,
        (${columns}) = row(${excluded(columns)})`,
    values: [tx.companyId, from, to],
  });
}

/** Moves the clocks of the conversation. What the other one still has is of an earlier time. */
export function moveClocks(tx: TenantTx, { from, to }: ConversationMove): Promise<number> {
  const columns = `policy_id, begun_at, opened_at, is_held, resumed_at, first_reply_due_at, next_reply_due_at, close_due_at, due_at,
        breached_at, notice_at`;
  return exec(tx, {
    name: 'merges.moveClocks',
    text: `insert into conversation_slas (company_id, conversation_id, ${columns})
      select $1, $3, ${columns} from conversation_slas where company_id = $1 and conversation_id = $2
      on conflict (company_id, conversation_id) do update set (${columns}) = row(${excluded(columns)})`,
    values: [tx.companyId, from, to],
  });
}

/**
 * Removes the conversation, whose records have been moved, and gives the other one what both have. If the removed one was open, the other
 * goes on as it was: with its status, assignment and waiting time. An owner that it lacks is that of the other.
 */
export function absorbConversation(
  tx: TenantTx,
  { from, to }: ConversationMove,
  { tags, held }: Pick<MergedConversation, 'tags' | 'held'>,
): Promise<number> {
  return exec(tx, {
    name: 'merges.absorbConversation',
    text: `with gone as (
        delete from conversations where company_id = $1 and _id = $2 returning *
      ), absorbed as materialized (
        select s.*, s.status <> 'CLOSED' as goes_on,
          coalesce(s.last_message_at, '-infinity') > coalesce(v.last_message_at, '-infinity') as wrote_last,
          (coalesce(s.window_expires_at, '-infinity'), coalesce(s.last_inbound_at, '-infinity'))
            > (coalesce(v.window_expires_at, '-infinity'), coalesce(v.last_inbound_at, '-infinity')) as heard_last
        from gone s join conversations v on v.company_id = $1 and v._id = $3
      )
      update conversations v set tags = $4, custom_fields = $5, updated_at = now(),
        ${TAKEN_OVER.map((name) => takeOver(name)).join(', ')},
        owner_id = case when s.goes_on then coalesce(s.owner_id, ${presentOwner('v')})
          when v.status <> 'CLOSED' then coalesce(v.owner_id, ${presentOwner('s')}) else v.owner_id end,
        ${takeOver('opened_at', 'coalesce(s.opened_at, s.created_at)')},
        waiting_since = coalesce(v.waiting_since, s.waiting_since),
        priority = case when v.priority = 0 then s.priority else v.priority end,
        pipeline_id = case when v.step_id is null then s.pipeline_id else v.pipeline_id end,
        step_id = coalesce(v.step_id, s.step_id),
        campaign_id = case when ${TAKES_CAMPAIGN} then s.campaign_id else v.campaign_id end,
        enrollment_id = case when ${TAKES_CAMPAIGN} then s.enrollment_id else v.enrollment_id end,
        unread_count = v.unread_count + s.unread_count,
        last_message_id = case when s.wrote_last then s.last_message_id else v.last_message_id end,
        last_message_at = greatest(v.last_message_at, s.last_message_at),
        last_inbound_at = greatest(v.last_inbound_at, s.last_inbound_at),
        window_expires_at = greatest(v.window_expires_at, s.window_expires_at),
        heard_from = case when s.heard_last then coalesce(s.heard_from, v.heard_from) else coalesce(v.heard_from, s.heard_from) end,
        awaits_reply = (v.awaits_reply or s.awaits_reply) and coalesce(v.last_inbound_at, s.last_inbound_at) is null
      from absorbed s where v.company_id = $1 and v._id = $3`,
    values: [tx.companyId, from, to, tags, held],
  });
}

/** Notes in the history of the conversation which one was merged into it, and who did that. */
export function noteMerge(tx: TenantTx, { from, to }: ConversationMove): Promise<number> {
  return exec(tx, {
    name: 'merges.note',
    text: `insert into conversation_history (company_id, _id, conversation_id, actor_type, actor_id, actor_name, changes)
      select $1, new_id(), $3, actor ->> 'type', actor ->> 'id', actor ->> 'name', history_change('merged', $2, $3, null, null)
      from current_actor() actor`,
    values: [tx.companyId, from, to],
  });
}
