/** Matches messages of ours with the echoes by which the network reports them, before and after their echo is stored. */
import type { Identity } from '../../channels/identity.ts';
import { exec, many } from '../../platform/store/db.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import { joinByKeys } from './message-sql.ts';
import { keyColumns, type AnyTx, type MessageKey, type MessageLife } from './ingest-queries.ts';

/** A message that the network reports as sent. */
export interface ReportedSend extends MessageKey {
  content_type: string;
  content: string | null;
  /** The content without what may be the operator's name before it; null without one. */
  unnamed: string | null;
  recipients: Identity[];
}

/** A message of ours that a report may be about. */
export interface UnsettledMessage {
  /** Counts the reports from 0. */
  place: number;
  message: string;
  /** Whose name has to stand before the words of the report; null where the report has the words of the message and no more. */
  operator: string | null;
}

/** A network may name the type of a file otherwise than we did. */
const FILES = ['IMAGE', 'AUDIO', 'VIDEO', 'DOCUMENT', 'STICKER'];

/**
 * Finds our messages without an id of the network that these reports may be about: to the same person, of the same type, or files both, and
 * with the same words, sent within a day, the oldest first; of a template, a report has the name in the place of the words, and of a reaction, the emoji and the id of its message. A report about a
 * message that is stored already has none. The operator's name, which may be sent before the words, is not in the stored message, so the
 * caller compares it with the report.
 */
export function findUnsettled(tx: SystemTx, reports: ReportedSend[]): Promise<UnsettledMessage[]> {
  return many(tx, {
    name: 'messages.findUnsettled',
    text: `select r.place::int - 1 as place, m._id as message, case when not f.fits then u.name end as operator
      from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::jsonb[]) with ordinality
          as r (company_id, inbox_id, external_id, content_type, content, unnamed, recipients, place)
        cross join lateral (
          select distinct n.contact_id from jsonb_to_recordset(r.recipients) as named (kind text, value text)
            join contact_identities n on n.company_id = r.company_id and n.kind = named.kind and n.value = named.value) c
        join conversations v on v.company_id = r.company_id and v.contact_id = c.contact_id and v.inbox_id = r.inbox_id
        join messages m on m.company_id = v.company_id and m.conversation_id = v._id
          and m.created_at > now() - interval '24 hours'
        cross join lateral (select case r.content_type when 'TEMPLATE' then m.template ->> 'name' = r.content
          when 'REACTION' then exists (select from messages t where t.company_id = m.company_id and t._id = m.reply_to
            and concat(m.reaction ->> 'emoji', ' ', t.external_id) = r.content)
          else btrim(coalesce(m.content, '')) = btrim(coalesce(r.content, '')) end as fits) f
        left join users u on u.company_id = m.company_id and u._id = m.sender_id and m.sender_type = 'USER'
      where m.status = 'QUEUED' and m.message_type = 'OUTGOING' and m.external_id is null and (m.content_type = r.content_type or (m.attachment_id is not null and r.content_type = any($8)))
        and (f.fits or (r.content_type <> 'TEMPLATE' and u.name is not null and btrim(m.content) = btrim(r.unnamed)))
        and not exists (select from message_keys y where y.company_id = r.company_id and y.key = message_key(r.inbox_id, r.external_id))
      order by m.content_type <> r.content_type, m.created_at, m._id`,
    values: [
      ...keyColumns(reports),
      reports.map(({ content_type }) => content_type),
      reports.map(({ content }) => content),
      reports.map(({ unnamed }) => unnamed),
      reports.map(({ recipients }) => JSON.stringify(recipients)),
      FILES,
    ],
  });
}

/**
 * Locks the conversations of echoes that have the ids of these messages of ours. Every transaction locks conversations before messages, so the
 * statement is sent before the one that locks the messages.
 */
export function lockEchoThreads(tx: AnyTx, asked: (MessageKey & { message: string | null })[]): Promise<unknown[]> {
  return many(tx, {
    name: 'messages.lockEchoThreads',
    text: `select v._id from conversations v
      where (v.company_id, v._id) in (
        select m.company_id, m.conversation_id
        from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as a (company_id, inbox_id, external_id, message_id)
          ${joinByKeys('a')}
        where m.is_echo and m._id <> a.message_id)
      order by v.company_id, v._id for no key update of v`,
    values: [...keyColumns(asked), asked.map(({ message }) => message)],
  });
}

/** A message of ours that was stored a second time, as an echo, before the network named the id of ours. */
export interface Takeover {
  echo: MessageLife;
  ours: MessageLife;
}

/** Takes the network's ids from the echoes, so that messages of ours can have them. */
export function releaseEchoes(tx: AnyTx, takeovers: Takeover[]): Promise<number> {
  return exec(tx, {
    name: 'messages.releaseEchoes',
    // The live stream notes an update, and finds the message gone when it reads it.
    text: `update messages m set external_id = null, updated_at = now()
      from unnest($1::text[], $2::text[]) as t (company_id, echo_id) where m.company_id = t.company_id and m._id = t.echo_id`,
    values: [takeovers.map(({ echo }) => echo.company), takeovers.map(({ echo }) => echo._id)],
  });
}

/** Deletes the echoes. What answers them, and conversations that show them as the last message, name our messages from then on. */
export function replaceEchoes(tx: AnyTx, takeovers: Takeover[]): Promise<number> {
  return exec(tx, {
    name: 'messages.replaceEchoes',
    text: `with taken as (
        select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
          as t (company_id, echo_id, conversation_id, ours_id, ours_conversation)
      ), gone as (
        delete from messages m using taken t where m.company_id = t.company_id and m._id = t.echo_id
      ), answers as (
        update messages m set reply_to = t.ours_id, updated_at = now() from taken t
        where m.company_id = t.company_id and m.conversation_id = t.conversation_id and m.reply_to = t.echo_id
      )
      update conversations v set last_message_id = case when t.ours_conversation = v._id then t.ours_id else (
          select m._id from messages m
          where m.company_id = v.company_id and m.conversation_id = v._id and m._id <> t.echo_id and m.status <> 'FAILED'
          order by m.created_at desc, m._id desc limit 1) end
      from taken t where v.company_id = t.company_id and v._id = t.conversation_id and v.last_message_id = t.echo_id`,
    values: [
      takeovers.map(({ echo }) => echo.company),
      takeovers.map(({ echo }) => echo._id),
      takeovers.map(({ echo }) => echo.conversation),
      takeovers.map(({ ours }) => ours._id),
      takeovers.map(({ ours }) => ours.conversation),
    ],
  });
}
