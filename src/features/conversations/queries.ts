import type { ChannelName } from '../../channels/channel.ts';
import { exec, maybeOne } from '../../platform/db.ts';
import type { TenantRead, TenantTx } from '../../platform/tenant.ts';
import type { Conversation } from './schemas.ts';

export const CONVERSATION = `v._id, v.company_id as company, v.contact_id as contact, v.inbox_id as inbox, v.channel, v.status,
  v.handled_by, v.agent_id as agent, v.owner_id as owner, v.attendant_id as attendant, v.pipeline_id as pipeline,
  v.step_id as step, v.campaign_id as campaign, v.enrollment_id as enrollment, v.tags, custom_field_values(v.company_id, v.custom_fields) as custom_fields,
  v.unread_count, case when m._id is null then null else json_build_object('_id', m._id, 'content', left(m.content, 4096),
    'contentType', m.content_type, 'sender_type', m.sender_type, 'message_type', m.message_type,
    'createdAt', to_char(m.created_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) end as last_message,
  v.last_message_at, v.last_inbound_at, v.window_expires_at, v.snoozed_until, v.is_test, v.closed_at,
  v.created_at as "createdAt", v.updated_at as "updatedAt"`;

export const LAST_MESSAGE = 'left join messages m on m.company_id = v.company_id and m._id = v.last_message_id';

export function findConversation(tx: TenantRead, id: string): Promise<Conversation | null> {
  return maybeOne(tx, {
    name: 'conversations.find',
    text: `select ${CONVERSATION} from conversations v ${LAST_MESSAGE} where v.company_id = $1 and v._id = $2`,
    values: [tx.companyId, id],
  });
}

export function markRead(tx: TenantTx, id: string): Promise<number> {
  return exec(tx, {
    name: 'conversations.markRead',
    text: 'update conversations set unread_count = 0 where company_id = $1 and _id = $2',
    values: [tx.companyId, id],
  });
}

/** An outgoing message or a note becomes the conversation's last; an answer leaves nothing unread. */
export function moveToOutgoing(tx: TenantTx, id: string, message: { _id: string; answers: boolean }): Promise<number> {
  return exec(tx, {
    name: 'conversations.moveToOutgoing',
    text: `update conversations set last_message_id = $3, last_message_at = now(),
        unread_count = case when $4 then 0 else unread_count end
      where company_id = $1 and _id = $2`,
    values: [tx.companyId, id, message._id, message.answers],
  });
}

/** The contact's newest message that the network knows. */
export function findLastInbound(
  tx: TenantRead,
  conversationId: string,
): Promise<{ inbox: string; channel: ChannelName; external_id: string } | null> {
  return maybeOne(tx, {
    name: 'conversations.findLastInbound',
    text: `select inbox_id as inbox, channel, external_id from messages
      where company_id = $1 and conversation_id = $2 and message_type = 'INCOMING' and external_id is not null
      order by created_at desc, _id desc limit 1`,
    values: [tx.companyId, conversationId],
  });
}
