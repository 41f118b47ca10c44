import type { Identity } from '../../channels/identity.ts';
import type { ChannelName, IdentityPlaces } from '../../channels/registry.ts';
import { exec, many, maybeOne } from '../../platform/store/db.ts';
import { givenRow, givenRows } from '../../platform/store/given-rows.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { HeldValues } from '../custom-fields/schemas.ts';
import { readRank, type Conversation } from './schemas.ts';
import { SLA } from './sla-sql.ts';

/** How a conversation and its events name the contact. */
const SUMMARY = `(select json_build_object('name', s.name, 'phone_number', s.phone_number, 'email', s.email) from contacts s
    where s.company_id = v.company_id and s._id = v.contact_id)`;

export const CONVERSATION = `v._id, v.company_id as company, v.contact_id as contact, ${SUMMARY} as contact_summary,
  v.inbox_id as inbox, v.channel, v.status, v.handled_by, v.agent_id as agent, v.owner_id as owner, v.attendant_id as attendant, v.team_id as team, v.pipeline_id as pipeline,
  v.step_id as step, v.campaign_id as campaign, v.enrollment_id as enrollment, v.tags, custom_field_values(v.company_id, v.custom_fields) as custom_fields,
  v.unread_count, priority_name(v.priority) as priority, case when m._id is null then null else json_build_object('_id', m._id, 'content', left(m.content, 4096),
    'contentType', m.content_type, 'file_name', m.media->>'fileName', 'sender_type', m.sender_type, 'sender', m.sender_id, 'message_type', m.message_type,
    'origin', m.origin, 'is_failed', m.status = 'FAILED', 'is_revoked', m.revoked_at is not null,
    'createdAt', to_char(m.created_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) end as last_message,
  v.last_message_at, v.last_inbound_at, v.waiting_since, v.window_expires_at, v.snoozed_until, v.woken_at, v.awaits_reply, v.is_test, v.closed_at,
  ${SLA} as sla,
  v.created_at as "createdAt", v.updated_at as "updatedAt"`;

export const LAST_MESSAGE = 'left join messages m on m.company_id = v.company_id and m._id = v.last_message_id';

/**
 * Returns SQL for the latest reply window of a contact in an inbox, and the identity that opened it. The network counts
 * the window per contact, so every open conversation gets it. `of` is the alias of a row with company, contact and inbox.
 */
export const latestWindowSql = (of: string): string => `select w.window_expires_at, w.heard_from from conversations w
  where w.company_id = ${of}.company_id and w.contact_id = ${of}.contact_id and w.inbox_id = ${of}.inbox_id
  order by w.window_expires_at desc nulls last, w.last_inbound_at desc nulls last limit 1`;

/**
 * Returns SQL for the closed conversation that is reopened instead of opening one: the last of the contact in the inbox, if it was closed
 * within the days that the inbox allows. `of` is the alias of a row with company, contact, inbox and is_test.
 */
export const continuedSql = (of: string): string => `select c._id from inboxes i
    join conversations c on c.company_id = i.company_id and c.inbox_id = i._id and c.status = 'CLOSED'
  where i.company_id = ${of}.company_id and i._id = ${of}.inbox_id and i.reopen_days > 0
    and c.contact_id = ${of}.contact_id and c.is_test = ${of}.is_test and c.closed_at > now() - make_interval(days => i.reopen_days)
  order by c.closed_at desc, c._id desc limit 1`;

export function findConversation(tx: TenantRead, id: string): Promise<Conversation | null> {
  return maybeOne(tx, {
    name: 'conversations.find',
    text: `select ${CONVERSATION} from conversations v ${LAST_MESSAGE} where v.company_id = $1 and v._id = $2`,
    values: [tx.companyId, id],
  });
}

export function findConversations(tx: TenantRead, ids: string[]): Promise<Conversation[]> {
  return many(tx, {
    name: 'conversations.findByIds',
    text: `select ${CONVERSATION} from conversations v ${LAST_MESSAGE} where v.company_id = $1 and v._id = any($2::text[])`,
    values: [tx.companyId, ids],
  });
}

/** The fields that a caller can change and those that follow from them. `held` maps the id of a custom field to its value. */
export interface ConversationFields extends Pick<
  Conversation,
  | 'status'
  | 'priority'
  | 'handled_by'
  | 'agent'
  | 'owner'
  | 'attendant'
  | 'team'
  | 'pipeline'
  | 'step'
  | 'tags'
  | 'snoozed_until'
  | 'closed_at'
> {
  held: HeldValues;
}

export type LockedConversation = Conversation & Pick<ConversationFields, 'held'>;

/** Finds a conversation and locks it against changes. */
export function lockConversation(tx: TenantTx, id: string): Promise<LockedConversation | null> {
  return maybeOne(tx, {
    name: 'conversations.lock',
    text: `select ${CONVERSATION}, v.custom_fields as held from conversations v ${LAST_MESSAGE}
      where v.company_id = $1 and v._id = $2 for no key update of v`,
    values: [tx.companyId, id],
  });
}

/** Writes a conversation; the unique index refuses a second open one. With `keepsValues` the custom fields are not written again. */
export function updateConversation(
  tx: TenantTx,
  id: string,
  fields: ConversationFields,
  { keepsValues }: { keepsValues: boolean },
): Promise<number> {
  return exec(tx, {
    name: keepsValues ? 'conversations.updatePlain' : 'conversations.update',
    text: `update conversations set status = $3, handled_by = $4, agent_id = $5, owner_id = $6, attendant_id = $7, pipeline_id = $8,
        step_id = $9, tags = $10, snoozed_until = $11, woken_at = null, closed_at = $12, priority = $13,
        waiting_since = case when $3 <> 'CLOSED' then waiting_since end, team_id = $14, ${keepsValues ? '' : 'custom_fields = $15, '}updated_at = now()
      where company_id = $1 and _id = $2`,
    values: [
      tx.companyId,
      id,
      fields.status,
      fields.handled_by,
      fields.agent,
      fields.owner,
      fields.attendant,
      fields.pipeline,
      fields.step,
      fields.tags,
      fields.snoozed_until,
      fields.closed_at,
      readRank(fields.priority),
      fields.team,
      ...(keepsValues ? [] : [fields.held]),
    ],
  });
}

/** Finds the other open conversation of the same contact in the same inbox. */
export function findOtherOpenConversation(tx: TenantRead, id: string): Promise<{ _id: string } | null> {
  return maybeOne(tx, {
    name: 'conversations.findOpenBeside',
    text: `select o._id from conversations v join conversations o on o.company_id = v.company_id and o.inbox_id = v.inbox_id
        and o.contact_id = v.contact_id and o.status <> 'CLOSED'
      where v.company_id = $1 and v._id = $2 and o._id <> v._id`,
    values: [tx.companyId, id],
  });
}

/** Ends a snooze. Returns zero when the snooze has already ended or got another end. */
export function endSnooze(tx: TenantTx, id: string, until: string): Promise<number> {
  return exec(tx, {
    name: 'conversations.endSnooze',
    text: `update conversations set status = 'OPEN', snoozed_until = null, woken_at = now(), updated_at = now()
      where company_id = $1 and _id = $2 and status = 'SNOOZED' and snoozed_until = $3`,
    values: [tx.companyId, id, until],
  });
}

/** The fields of an inbox that are needed to open a conversation. */
export interface OpeningInbox {
  inbox: string;
  channel: string;
  is_test: boolean;
  default_owner: string | null;
  default_agent: string | null;
  default_team: string | null;
}

export function findOpeningInbox(
  tx: TenantRead,
  id: string,
): Promise<(OpeningInbox & { status: 'ACTIVE' | 'DELETED' }) | null> {
  return maybeOne(tx, {
    name: 'conversations.findOpeningInbox',
    text: `select _id as inbox, channel, status, default_agent, seeing_owner(i) as default_owner, default_team, (test_mode ->> 'enabled')::boolean as is_test
      from inboxes i where company_id = $1 and _id = $2`,
    values: [tx.companyId, id],
  });
}

/** Keeps the contact from being removed while a conversation with it is opened. Returns zero when there is no such contact. */
export function keepContactFromRemoval(tx: TenantTx, id: string): Promise<number> {
  return exec(tx, {
    name: 'conversations.holdContact',
    text: 'select 1 from contacts where company_id = $1 and _id = $2 for key share',
    values: [tx.companyId, id],
  });
}

export function markRead(tx: TenantTx, id: string): Promise<number> {
  return exec(tx, {
    name: 'conversations.markRead',
    text: `update conversations set unread_count = 0, woken_at = null
      where company_id = $1 and _id = $2 and (unread_count > 0 or woken_at is not null)`,
    values: [tx.companyId, id],
  });
}

/** Marks as read what has notified the user of the conversation. */
export function markNotificationsRead(tx: TenantTx, id: string, user: string): Promise<number> {
  return exec(tx, {
    name: 'conversations.markNotificationsRead',
    text: `update notifications set read_at = now(), updated_at = now()
      where company_id = $1 and conversation_id = $2 and user_id = $3 and read_at is null`,
    values: [tx.companyId, id, user],
  });
}

/**
 * Makes an outgoing message or a note the last one of a conversation. After an accepted message (`answers`) nothing is unread. One that
 * someone wrote to this contact (`replies`) also ends the contact's waiting.
 */
export interface LastOutgoing {
  conversation: string;
  message: string;
  answers: boolean;
  replies: boolean;
}

const moveFrom = (
  rows: typeof givenRows,
): string => `update conversations v set last_message_id = n.message, last_message_at = now(),
    unread_count = case when n.answers then 0 else v.unread_count end, woken_at = case when n.answers then null else v.woken_at end,
    waiting_since = case when not n.replies then v.waiting_since end
  from ${rows({ conversation: 'text', message: 'text', answers: 'boolean', replies: 'boolean' }, 2)} n
  where v.company_id = $1 and v._id = n.conversation`;
const MOVE = moveFrom(givenRow);
const MOVE_MANY = moveFrom(givenRows);

export function moveToOutgoing(
  tx: TenantTx,
  { conversation, message, answers, replies }: LastOutgoing,
): Promise<number> {
  return exec(tx, {
    name: 'conversations.moveToOutgoing',
    text: MOVE,
    values: [tx.companyId, conversation, message, answers, replies],
  });
}

export function moveManyToOutgoing(tx: TenantTx, moves: readonly LastOutgoing[]): Promise<number> {
  return exec(tx, {
    name: 'conversations.moveManyToOutgoing',
    text: MOVE_MANY,
    values: [
      tx.companyId,
      moves.map(({ conversation }) => conversation),
      moves.map(({ message }) => message),
      moves.map(({ answers }) => answers),
      moves.map(({ replies }) => replies),
    ],
  });
}

/** The assignment of a conversation: its owner, agent, attendant and team. */
export type Assignment = Pick<Conversation, '_id' | 'owner' | 'agent' | 'attendant' | 'team' | 'handled_by'>;

/** Returns the assignments of these conversations, which the transaction has locked. */
export function findAssignments(tx: TenantTx, ids: string[]): Promise<Assignment[]> {
  return many(tx, {
    name: 'conversations.findAssignments',
    text: `select _id, owner_id as owner, agent_id as agent, attendant_id as attendant, team_id as team, handled_by from conversations
      where company_id = $1 and _id = any($2)`,
    values: [tx.companyId, ids],
  });
}

export function setAssignments(tx: TenantTx, assignments: Assignment[]): Promise<number> {
  return exec(tx, {
    name: 'conversations.setAssignments',
    text: `update conversations v set owner_id = n.owner, agent_id = n.agent, attendant_id = n.attendant, handled_by = n.handled_by,
        team_id = n.team, woken_at = null, updated_at = now()
      from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[]) as n (_id, owner, agent, attendant, handled_by, team)
      where v.company_id = $1 and v._id = n._id`,
    values: [
      tx.companyId,
      assignments.map(({ _id }) => _id),
      assignments.map(({ owner }) => owner),
      assignments.map(({ agent }) => agent),
      assignments.map(({ attendant }) => attendant),
      assignments.map(({ handled_by }) => handled_by),
      assignments.map(({ team }) => team),
    ],
  });
}

export interface LastInbound {
  inbox: string;
  channel: ChannelName;
  external_id: string;
  /** The identity to which a message would be sent: the one from which the contact wrote last, if it is known. */
  person: Identity | null;
}

/** Finds the newest message of the contact that has an id on the network. */
export function findLastInbound(
  tx: TenantRead,
  conversationId: string,
  places: IdentityPlaces,
): Promise<LastInbound | null> {
  return maybeOne(tx, {
    name: 'conversations.findLastInbound',
    text: `select m.inbox_id as inbox, m.channel, m.external_id,
        (select json_build_object('kind', n.kind, 'value', n.value, 'address', n.address)
          from contact_identities n join conversations v on v.company_id = n.company_id and v.contact_id = n.contact_id
          where n.company_id = $1 and v._id = $2 and ($3::jsonb -> m.channel) ? n.kind
          order by n.value = v.heard_from desc, $3::jsonb -> m.channel -> n.kind, n.created_at desc limit 1) as person
      from messages m
      where m.company_id = $1 and m.conversation_id = $2 and m.message_type = 'INCOMING' and m.external_id is not null
      order by m.created_at desc, m._id desc limit 1`,
    values: [tx.companyId, conversationId, places],
  });
}
