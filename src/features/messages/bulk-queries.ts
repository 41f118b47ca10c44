/** Statements about many messages of one inbox that are sent together. */
import type { ContentOf } from '../../channels/content.ts';
import { exec, many, one } from '../../platform/store/db.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { Cause, FailureReason, Message } from './schemas.ts';

/** The values that all these messages share. */
export interface TemplateBatch {
  inbox: string;
  channel: string;
  is_test: boolean;
  sender_type: 'USER' | 'AGENT';
  sender: string | null;
  origin: 'BULK' | 'CAMPAIGN';
  campaign: string | null;
  agent: string | null;
  attachment: string | null;
  media: Message['media'];
}

export interface NewTemplateMessage {
  _id: string;
  conversation: string;
  contact: string;
  content: string | null;
  template: NonNullable<ContentOf<'TEMPLATE'>['template']>;
  /** The enrollment of the campaign that sends it; absent for a message of no campaign. */
  enrollment?: string;
}

/** Stores filled-in templates as QUEUED. */
export function insertTemplates(tx: TenantTx, batch: TemplateBatch, messages: NewTemplateMessage[]): Promise<number> {
  return exec(tx, {
    name: 'messages.insertTemplates',
    text: `insert into messages (company_id, _id, conversation_id, contact_id, inbox_id, channel, sender_type, sender_id, message_type,
        origin, status, errors, is_test, content_type, content, template, campaign_id, enrollment_id, agent_id, attachment_id, media)
      select $1, n._id, n.conversation, n.contact, $2, $3, $4, $5, 'OUTGOING', $6, 'QUEUED', '[]', $7, 'TEMPLATE', n.content,
        n.template::jsonb, $8, n.enrollment, $9, $15, $16
      from unnest($10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $17::text[])
        as n (_id, conversation, contact, content, template, enrollment)`,
    values: [
      tx.companyId,
      batch.inbox,
      batch.channel,
      batch.sender_type,
      batch.sender,
      batch.origin,
      batch.is_test,
      batch.campaign,
      batch.agent,
      messages.map(({ _id }) => _id),
      messages.map(({ conversation }) => conversation),
      messages.map(({ contact }) => contact),
      messages.map(({ content }) => content),
      messages.map(({ template }) => JSON.stringify(template)),
      batch.attachment,
      batch.media,
      messages.map(({ enrollment }) => enrollment ?? null),
    ],
  });
}

export interface FailedMessage {
  _id: string;
  errors: Cause[];
  reason: FailureReason | null;
}

/** Locks those of these messages that are still QUEUED. */
export function lockQueued(tx: TenantTx, ids: string[]): Promise<number> {
  return exec(tx, {
    name: 'messages.lockQueued',
    text: `select from messages where company_id = $1 and _id = any($2::text[]) and status = 'QUEUED' order by _id for no key update`,
    values: [tx.companyId, ids],
  });
}

/** Marks those of these messages as FAILED that are still QUEUED, and returns them. */
export function failAllQueued(tx: TenantTx, failed: FailedMessage[]): Promise<{ _id: string }[]> {
  return many(tx, {
    name: 'messages.failAllQueued',
    text: `update messages m set status = 'FAILED', errors = n.errors::jsonb, failure_reason = n.reason::jsonb, failed_at = now(),
        updated_at = now()
      from unnest($2::text[], $3::text[], $4::text[]) as n (_id, errors, reason)
      where m.company_id = $1 and m._id = n._id and m.status = 'QUEUED' returning m._id`,
    values: [
      tx.companyId,
      failed.map(({ _id }) => _id),
      failed.map(({ errors }) => JSON.stringify(errors)),
      failed.map(({ reason }) => reason && JSON.stringify(reason)),
    ],
  });
}

/**
 * Counts the messages of a campaign whose outcome no one knows: the network has had a minute to answer, and takes ten seconds. The index of
 * QUEUED messages is small, because no other message stays in this state.
 */
export async function countUnknown(tx: TenantRead, campaign: string): Promise<number> {
  const { count } = await one<{ count: number }>(tx, {
    name: 'messages.countUnknown',
    text: `select count(*)::int as count from messages
      where status = 'QUEUED' and created_at < now() - interval '1 minute' and company_id = $1 and campaign_id = $2`,
    values: [tx.companyId, campaign],
  });
  return count;
}
