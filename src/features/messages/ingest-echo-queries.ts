/** Finds messages of ours that the network has, although it has not told their ids yet. */
import type { Identity } from '../../channels/identity.ts';
import { many } from '../../platform/store/db.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import { keyColumns, type MessageKey } from './ingest-queries.ts';

/** A message that the network reports as sent. */
export interface ReportedSend extends MessageKey {
  content_type: string;
  content: string | null;
  /** The content without what may be the operator's name before it; null without one. */
  unnamed: string | null;
  recipients: Identity[];
}

/** A network may name the type of a file otherwise than we did. */
const FILES = ['IMAGE', 'AUDIO', 'VIDEO', 'DOCUMENT', 'STICKER'];

/**
 * Finds our messages without an id of the network that these reports may be about: to the same person, of the same type, or files both, and with the same words, sent
 * within a day, the oldest first; of a template, a report has the name in the place of the words. `place` counts the reports from 0. A report about a message that is stored already has none. The operator's
 * name, which may be sent before the words, is not in the stored message.
 */
export function findUnsettled(tx: SystemTx, reports: ReportedSend[]): Promise<{ place: number; message: string }[]> {
  return many(tx, {
    name: 'messages.findUnsettled',
    text: `select r.place::int - 1 as place, m._id as message
      from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::jsonb[]) with ordinality
          as r (company_id, inbox_id, external_id, content_type, content, unnamed, recipients, place)
        cross join lateral (
          select distinct n.contact_id from jsonb_to_recordset(r.recipients) as named (kind text, value text)
            join contact_identities n on n.company_id = r.company_id and n.kind = named.kind and n.value = named.value) c
        join conversations v on v.company_id = r.company_id and v.contact_id = c.contact_id and v.inbox_id = r.inbox_id
        join messages m on m.company_id = v.company_id and m.conversation_id = v._id
          and m.created_at > now() - interval '24 hours'
      where m.status = 'QUEUED' and m.message_type = 'OUTGOING' and m.external_id is null and (m.content_type = r.content_type or (m.attachment_id is not null and r.content_type = any($8)))
        and case when r.content_type = 'TEMPLATE' then m.template ->> 'name' = r.content
          else btrim(coalesce(m.content, '')) = btrim(coalesce(r.content, ''))
            or (m.sender_type = 'USER' and btrim(m.content) = btrim(r.unnamed)) end
        and not exists (select from messages k
          where k.company_id = r.company_id and k.inbox_id = r.inbox_id and k.external_id = r.external_id)
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
