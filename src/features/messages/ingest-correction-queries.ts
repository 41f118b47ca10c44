/** Statements that apply edits and revocations. Each handles all of a batch, across companies. */
import { many } from '../../platform/store/db.ts';
import { keyColumns, type AnyTx, type MessageKey, type MessageLife } from './ingest-queries.ts';
import { joinKeys } from './message-sql.ts';
import { MESSAGE, toMessage, type MessageRow } from './queries.ts';
import type { Message } from './schemas.ts';

export interface Correction extends MessageKey {
  kind: 'EDIT' | 'REVOKE';
  /** True when it emits no event. One that an earlier release parked has none of these. */
  isHistory?: boolean;
  /** The id that the network gives the person who wrote the edit, if it is known. */
  from: string | null;
  at: string;
  content_type: string | null;
  content: string | null;
  media: string | null;
}

/**
 * Applies edits and revocations: the newest edit counts, and a revoked message stays empty, without its file. An edit changes the words of a
 * message, and never its file. Returns the messages that were found, and which of them have changed.
 */
export function correctMessages(
  tx: AnyTx,
  corrections: Correction[],
): Promise<(MessageKey & { _id: string; isChanged: boolean })[]> {
  return many(tx, {
    name: 'messages.correct',
    text: `with n as (
        select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::text[], $8::text[])
          as n (company_id, inbox_id, external_id, kind, at, content_type, content, media)
      ), changed as (
        update messages m set updated_at = now(),
          revoked_at = case when n.kind = 'REVOKE' then n.at else m.revoked_at end,
          edited_at = case when n.kind = 'EDIT' then n.at end,
          content_type = case when n.kind = 'EDIT' then n.content_type else m.content_type end,
          content = case when n.kind = 'EDIT' then n.content end,
          media = case when n.kind = 'EDIT' then coalesce(m.media, n.media::jsonb) end,
          attachment_id = case when n.kind = 'EDIT' then m.attachment_id end,
          interactive = case when n.kind = 'EDIT' then m.interactive end,
          location = case when n.kind = 'EDIT' then m.location end,
          contacts = case when n.kind = 'EDIT' then m.contacts end, unsupported = null
        from n ${joinKeys('n')} where m.company_id = y.company_id and m._id = y.message_id
          and m.revoked_at is null and (n.kind = 'REVOKE' or m.edited_at is null or m.edited_at < n.at)
        returning m._id
      )
      select y.message_id as _id, n.company_id as company, n.inbox_id as inbox, n.external_id,
        y.message_id in (select _id from changed) as "isChanged"
      from n ${joinKeys('n')}`,
    values: [
      ...keyColumns(corrections),
      corrections.map((correction) => correction.kind),
      corrections.map((correction) => correction.at),
      corrections.map((correction) => correction.content_type),
      corrections.map((correction) => correction.content),
      corrections.map((correction) => correction.media),
    ],
  });
}

export async function readMessageRecords(tx: AnyTx, ids: Pick<MessageLife, 'company' | '_id'>[]): Promise<Message[]> {
  const rows = await many<MessageRow>(tx, {
    name: 'messages.readRecords',
    text: `select ${MESSAGE} from unnest($1::text[], $2::text[]) as n (company_id, _id) join messages m using (company_id, _id)`,
    values: [ids.map(({ company }) => company), ids.map(({ _id }) => _id)],
  });
  return rows.map(toMessage);
}
