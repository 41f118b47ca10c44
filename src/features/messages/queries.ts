import type { Identity } from '../../channels/identity.ts';
import type { ChannelName, IdentityPlaces } from '../../channels/registry.ts';
import type { MessageThread } from '../../channels/thread.ts';
import { many, maybeOne, one } from '../../platform/store/db.ts';
import type { Page, Window } from '../../platform/store/paging.ts';
import { listPage } from '../../platform/store/plain-list.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import { joinNames } from '../admission/recipient-sql.ts';
import type { Message } from './schemas.ts';

/**
 * SQL for the id of the message that is answered. A reference by the id of the network is resolved at each read, because the answered
 * message may be stored later. Only a message of the same contact can be answered: on some networks a stranger may write any id.
 */
const TARGET = `case when m.reply_to is not null or m.reply_to_external is null then m.reply_to else (
    select r._id from message_keys y join messages r on r.company_id = y.company_id and r._id = y.message_id
    where y.company_id = m.company_id and y.key = message_key(m.inbox_id, m.reply_to_external) and r.contact_id = m.contact_id) end`;

/** How a message and its events name the contact. */
export const SUMMARY = `(select json_build_object('name', s.name, 'phone_number', s.phone_number, 'email', s.email) from contacts s
    where s.company_id = m.company_id and s._id = m.contact_id)`;

/** The select list of a message, which the GET, the list and all events share. */
export const MESSAGE = `m._id, m.company_id as company, m.conversation_id as conversation, m.contact_id as contact,
  ${SUMMARY} as contact_summary,
  m.inbox_id as inbox, m.channel, m.sender_type, m.sender_id as sender, m.message_type, m.origin, m.content_type as "contentType",
  m.content, m.attachment_id as attachment, m.media, m.template, m.interactive, m.location, m.contacts,
  m.referral, case when m.reaction is null then null else json_build_object('message', ${TARGET}, 'emoji', m.reaction->'emoji') end as reaction,
  ${TARGET} as reply_to, m.status, m.errors, m.failure_reason, m.external_id, m.campaign_id as campaign,
  m.enrollment_id as enrollment, m.agent_id as agent, m.forwarded, m.unsupported, '{"reply_to": [], "is_shortened": false}' || m.email as email, m.mentions, m.is_echo, m.is_test, m.edited_at, m.revoked_at, m.sent_at, m.delivered_at,
  m.read_at, m.failed_at, m.created_at as "createdAt", m.updated_at as "updatedAt"`;

export type MessageRow = Omit<Message, 'failure_reason'> & { failure_reason: Message['failure_reason'] | null };

/** Omits failure_reason when it is null, because the API describes it as absent. */
export function toMessage({ failure_reason, ...message }: MessageRow): Message {
  return failure_reason ? { ...message, failure_reason } : message;
}

export async function findMessage(tx: TenantRead, id: string): Promise<Message | null> {
  const row = await maybeOne<MessageRow>(tx, {
    name: 'messages.find',
    text: `select ${MESSAGE} from messages m where m.company_id = $1 and m._id = $2`,
    values: [tx.companyId, id],
  });
  return row && toMessage(row);
}

/** The whole text of a message: that of its mail where the message shows a part of it. */
export function findBody(tx: TenantRead, id: string): Promise<{ content: string | null } | null> {
  return maybeOne(tx, {
    name: 'messages.findBody',
    text: `select coalesce(b.content, m.content) as content
      from messages m left join message_bodies b on b.company_id = m.company_id and b._id = m._id
      where m.company_id = $1 and m._id = $2`,
    values: [tx.companyId, id],
  });
}

export async function findMessages(tx: TenantRead, ids: string[]): Promise<Message[]> {
  const rows = await many<MessageRow>(tx, {
    name: 'messages.findByIds',
    text: `select ${MESSAGE} from messages m where m.company_id = $1 and m._id = any($2::text[]) order by m.created_at, m._id`,
    values: [tx.companyId, ids],
  });
  return rows.map(toMessage);
}

export async function listMessages(tx: TenantRead, conversationId: string, window: Window): Promise<Page<Message>> {
  const page = await listPage<MessageRow>(tx, window, {
    name: 'messages',
    columns: MESSAGE,
    from: 'messages m',
    filter: 'company_id = $1 and conversation_id = $2',
    values: [tx.companyId, conversationId],
    // With `since`, the number of rows depends on the given time, so the statements are planned again for each call.
    ...(window.since === null ? {} : { planEachTime: true }),
  });
  return { ...page, result: page.result.map(toMessage) };
}

/** The data of the conversation, its inbox and its contact that a send needs. */
export interface SendTarget {
  conversation: string;
  contact: string;
  inbox: string;
  channel: ChannelName;
  is_closed: boolean;
  handled_by: string;
  is_test: boolean;
  window_open: boolean;
  inbox_status: string;
  test_mode: { enabled: boolean; test_numbers: string[] };
  operator_name: boolean;
  opted_out: boolean;
  blocked: boolean;
  /**
   * The contact's name on the channel: the one from which the contact wrote last, or else one of the most reliable kind, preferably the one
   * that the contact's record shows, or else the newest; null when the channel's network knows the contact by no name.
   */
  to: Identity | null;
  /** All names of the contact on the channel, in the same order; null when there are none. */
  names: Identity[] | null;
}

const SEND_TARGET = `select v._id as conversation, v.contact_id as contact, v.inbox_id as inbox, v.channel, v.status = 'CLOSED' as is_closed, v.handled_by,
    (i.test_mode->>'enabled')::boolean as is_test, coalesce(v.window_expires_at > now(), false) as window_open, i.status as inbox_status, i.test_mode,
    (i.general_config->>'include_operator_name_on_message')::boolean as operator_name, c.opted_out, c.blocked,
    named.names -> 0 as "to", named.names
  from conversations v
    join inboxes i on i.company_id = v.company_id and i._id = v.inbox_id
    join contacts c on c.company_id = v.company_id and c._id = v.contact_id
    ${joinNames('($3::jsonb -> v.channel)')}
  where v.company_id = $1 and v._id = $2`;

/** Finds what a send to the conversation would need, without a lock. */
export function findSendTarget(
  tx: TenantRead,
  conversationId: string,
  places: IdentityPlaces,
): Promise<SendTarget | null> {
  return maybeOne(tx, {
    name: 'messages.findSendTarget',
    text: SEND_TARGET,
    values: [tx.companyId, conversationId, places],
  });
}

/** Locks the conversation, because the send changes its last message and its unread count. */
export function lockSendTarget(
  tx: TenantTx,
  conversationId: string,
  places: IdentityPlaces,
): Promise<SendTarget | null> {
  return maybeOne(tx, {
    name: 'messages.lockSendTarget',
    text: `${SEND_TARGET} for no key update of v`,
    values: [tx.companyId, conversationId, places],
  });
}

/** Finds the message that a reply answers, if it is in the same conversation. */
export function findReplied(
  tx: TenantTx,
  conversationId: string,
  id: string,
): Promise<{ external_id: string | null } | null> {
  return maybeOne(tx, {
    name: 'messages.findReplied',
    text: `select external_id from messages
      where company_id = $1 and conversation_id = $2 and _id = $3 and message_type <> 'NOTE'`,
    values: [tx.companyId, conversationId, id],
  });
}

/** The latest messages of a conversation in which a message looks for its thread. */
const THREAD_MESSAGES = 50;

/** Finds what a message of the conversation refers to, on channels whose messages belong to threads. */
export function findThread(tx: TenantTx, conversationId: string): Promise<MessageThread> {
  return one(tx, {
    name: 'messages.findThread',
    text: `with latest as (
        select external_id, email, message_type, created_at, _id from messages
        where company_id = $1 and conversation_id = $2 and external_id is not null
        order by created_at desc, _id desc limit ${THREAD_MESSAGES})
      select (select email->>'subject' from latest where email->>'subject' is not null order by created_at desc, _id desc limit 1) as subject,
        coalesce((select email->'reply_to' from latest
          where email is not null and message_type = 'INCOMING' and not email ? 'from' order by created_at desc, _id desc limit 1), '[]') as "replyTo",
        array(select external_id from latest order by created_at, _id) as ids`,
    values: [tx.companyId, conversationId],
  });
}
