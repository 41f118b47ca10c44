/** Statements that store a batch of callbacks. Each handles all messages of the batch, across companies. */
import { exec, many } from '../../platform/db.ts';
import type { SystemTx, TenantTx } from '../../platform/tenant.ts';
import { MESSAGE, toMessage, type MessageRow } from './queries.ts';
import type { Cause, FailureReason, Message, MessageStatus } from './schemas.ts';

export type AnyTx = SystemTx | TenantTx;

export interface MessageKey {
  company: string;
  inbox: string;
  external_id: string;
}

/** Returns the keys as columns, for the first three parameters of a statement. */
export const keyColumns = (keys: MessageKey[]): string[][] => [
  keys.map((key) => key.company),
  keys.map((key) => key.inbox),
  keys.map((key) => key.external_id),
];

/**
 * A message of a batch that the database knows. `stored` is true for a message that is stored already, and false for one that parked
 * updates wait for.
 */
export type KnownMessage = MessageKey & { stored: boolean };

/** Finds which of these messages are stored already, and for which of them updates are parked. */
export function findKnown(tx: SystemTx, keys: MessageKey[]): Promise<KnownMessage[]> {
  return many(tx, {
    name: 'messages.findKnown',
    text: `with keys as (select * from unnest($1::text[], $2::text[], $3::text[]) as k (company_id, inbox_id, external_id))
      select company_id as company, inbox_id as inbox, external_id, true as stored
      from keys join messages using (company_id, inbox_id, external_id)
      union all
      select distinct company_id, inbox_id, external_id, false
      from keys join parked_updates using (company_id, inbox_id, external_id)`,
    values: keyColumns(keys),
  });
}

export interface NewInbound {
  _id: string;
  company_id: string;
  conversation_id: string;
  contact_id: string;
  inbox_id: string;
  channel: string;
  sender_type: string;
  sender_id: string | null;
  message_type: string;
  origin: string;
  content_type: string;
  content: string | null;
  media: string | null;
  interactive: string | null;
  location: string | null;
  contacts: string | null;
  reaction: string | null;
  referral: string | null;
  forwarded: string | null;
  unsupported: string | null;
  reply_to: string | null;
  reply_to_external: string | null;
  status: MessageStatus;
  errors: string;
  external_id: string;
  is_echo: boolean;
  is_test: boolean;
  sent_at: string;
  created_at: string;
  updated_at: string;
}

const INBOUND_TYPES: Record<keyof NewInbound, string> = {
  _id: 'text',
  company_id: 'text',
  conversation_id: 'text',
  contact_id: 'text',
  inbox_id: 'text',
  channel: 'text',
  sender_type: 'text',
  sender_id: 'text',
  message_type: 'text',
  origin: 'text',
  content_type: 'text',
  content: 'text',
  media: 'jsonb',
  interactive: 'jsonb',
  location: 'jsonb',
  contacts: 'jsonb',
  reaction: 'jsonb',
  referral: 'jsonb',
  forwarded: 'text',
  unsupported: 'jsonb',
  reply_to: 'text',
  reply_to_external: 'text',
  status: 'text',
  errors: 'jsonb',
  external_id: 'text',
  is_echo: 'boolean',
  is_test: 'boolean',
  sent_at: 'timestamptz',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
};
const INBOUND_COLUMNS = Object.keys(INBOUND_TYPES) as (keyof NewInbound)[];
const INBOUND_LIST = INBOUND_COLUMNS.join(', ');
// JSON columns are sent as text and cast, because an array of jsonb would need PostgreSQL's quoting twice.
const INBOUND_ARRAYS = INBOUND_COLUMNS.map(
  (name, index) => `$${index + 1}::${INBOUND_TYPES[name] === 'jsonb' ? 'text' : INBOUND_TYPES[name]}[]`,
);
const INBOUND_VALUES = INBOUND_COLUMNS.map((name) =>
  INBOUND_TYPES[name] === 'jsonb' ? `n.${name}::jsonb` : `n.${name}`,
);

/** Inserts the messages that are not stored yet, and returns the inserted ones. */
export async function insertInbound(tx: SystemTx, messages: NewInbound[]): Promise<Message[]> {
  const rows = await many<MessageRow>(tx, {
    name: 'messages.insertInbound',
    text: `insert into messages as m (${INBOUND_LIST})
      select ${INBOUND_VALUES.join(', ')} from unnest(${INBOUND_ARRAYS.join(', ')}) as n (${INBOUND_LIST})
      order by n.company_id, n.inbox_id, n.external_id
      on conflict (company_id, inbox_id, external_id) do nothing
      returning ${MESSAGE}`,
    values: INBOUND_COLUMNS.map((name) => messages.map((message) => message[name])),
  });
  return rows.map(toMessage);
}

/** Completes history messages: the network first sends a placeholder without content, and later the same message with its file. */
export function completePlaceholders(tx: SystemTx, messages: NewInbound[]): Promise<number> {
  return exec(tx, {
    name: 'messages.completePlaceholders',
    text: `update messages m set content_type = n.content_type, content = n.content, media = n.media::jsonb, unsupported = null,
        updated_at = now()
      from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
        as n (company_id, inbox_id, external_id, content_type, content, media)
      where m.company_id = n.company_id and m.inbox_id = n.inbox_id and m.external_id = n.external_id
        and m.content_type = 'UNSUPPORTED' and m.media is null`,
    values: [
      messages.map((message) => message.company_id),
      messages.map((message) => message.inbox_id),
      messages.map((message) => message.external_id),
      messages.map((message) => message.content_type),
      messages.map((message) => message.content),
      messages.map((message) => message.media),
    ],
  });
}

export interface MessageLife {
  _id: string;
  company: string;
  inbox: string;
  external_id: string | null;
  status: MessageStatus;
  outcome_unknown: boolean;
  errors: Cause[];
  failure_reason: FailureReason | null;
  sent_at: string | null;
  delivered_at: string | null;
  read_at: string | null;
  failed_at: string | null;
}

/** Finds the messages of statuses by the network's id, or by our own id if the network returned it, and locks them in a fixed order. */
export function lockLives(
  tx: AnyTx,
  asked: (Omit<MessageKey, 'external_id'> & { external_id: string; message: string | null })[],
): Promise<MessageLife[]> {
  return many(tx, {
    name: 'messages.lockLives',
    text: `with asked as (
        select * from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as a (company_id, inbox_id, external_id, message_id)
      ), found as (
        select m.company_id, m._id from asked a join messages m
          on m.company_id = a.company_id and m.inbox_id = a.inbox_id and m.external_id = a.external_id
        union
        select m.company_id, m._id from asked a join messages m
          on m.company_id = a.company_id and m._id = a.message_id and m.inbox_id = a.inbox_id
      )
      select m._id, m.company_id as company, m.inbox_id as inbox, m.external_id, m.status, m.outcome_unknown, m.errors,
        m.failure_reason, m.sent_at, m.delivered_at, m.read_at, m.failed_at
      from found join messages m on m.company_id = found.company_id and m._id = found._id
      where m.message_type <> 'NOTE'
      order by m.company_id, m._id for no key update of m`,
    values: [...keyColumns(asked), asked.map((item) => item.message)],
  });
}

export async function writeLives(tx: AnyTx, lives: MessageLife[]): Promise<Message[]> {
  const rows = await many<MessageRow>(tx, {
    name: 'messages.writeLives',
    text: `update messages m set status = n.status, outcome_unknown = n.outcome_unknown, errors = n.errors::jsonb,
        failure_reason = n.failure_reason::jsonb, sent_at = n.sent_at, delivered_at = n.delivered_at, read_at = n.read_at,
        failed_at = n.failed_at, external_id = coalesce(m.external_id, n.external_id), updated_at = now()
      from unnest($1::text[], $2::text[], $3::text[], $4::boolean[], $5::text[], $6::text[], $7::timestamptz[], $8::timestamptz[],
        $9::timestamptz[], $10::timestamptz[], $11::text[])
        as n (company_id, _id, status, outcome_unknown, errors, failure_reason, sent_at, delivered_at, read_at, failed_at, external_id)
      where m.company_id = n.company_id and m._id = n._id
      returning ${MESSAGE}`,
    values: [
      lives.map((life) => life.company),
      lives.map((life) => life._id),
      lives.map((life) => life.status),
      lives.map((life) => life.outcome_unknown),
      lives.map((life) => JSON.stringify(life.errors)),
      lives.map((life) => (life.failure_reason ? JSON.stringify(life.failure_reason) : null)),
      lives.map((life) => life.sent_at),
      lives.map((life) => life.delivered_at),
      lives.map((life) => life.read_at),
      lives.map((life) => life.failed_at),
      lives.map((life) => life.external_id),
    ],
  });
  return rows.map(toMessage);
}

export interface Correction extends MessageKey {
  kind: 'EDIT' | 'REVOKE';
  /** The id that the network gives the person who wrote the edit, if it is known. */
  from: string | null;
  at: string;
  content_type: string | null;
  content: string | null;
  media: string | null;
}

/** Applies edits and revocations: the newest edit counts, and a revoked message stays empty. Returns the messages that were found. */
export function correctMessages(tx: AnyTx, corrections: Correction[]): Promise<(MessageKey & { _id: string })[]> {
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
          media = case when n.kind = 'EDIT' then coalesce(n.media::jsonb, m.media) end,
          interactive = case when n.kind = 'EDIT' then m.interactive end,
          location = case when n.kind = 'EDIT' then m.location end,
          contacts = case when n.kind = 'EDIT' then m.contacts end, unsupported = null
        from n where m.company_id = n.company_id and m.inbox_id = n.inbox_id and m.external_id = n.external_id
          and m.revoked_at is null and (n.kind = 'REVOKE' or m.edited_at is null or m.edited_at < n.at)
      )
      select m._id, n.company_id as company, n.inbox_id as inbox, n.external_id
      from n join messages m using (company_id, inbox_id, external_id)`,
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

/** Marks up to 1,000 messages as FAILED whose outcome has been unknown for a day; the job repeats the statement for the rest. */
export function failUnknown(tx: SystemTx, errors: Cause[]): Promise<{ company: string; _id: string }[]> {
  return many(tx, {
    name: 'messages.failUnknown',
    text: `update messages set status = 'FAILED', outcome_unknown = true, errors = $1, failed_at = now(), updated_at = now()
      where (company_id, _id) in (
        select company_id, _id from messages where status = 'QUEUED' and created_at < now() - interval '24 hours'
        order by created_at limit 1000 for update skip locked)
      returning company_id as company, _id`,
    values: [JSON.stringify(errors)],
  });
}

/** Deletes up to 1,000 old parked updates and returns how many. */
export function deleteParked(tx: SystemTx, days: number): Promise<number> {
  return exec(tx, {
    name: 'messages.deleteParked',
    text: `delete from parked_updates where (company_id, _id) in (
        select company_id, _id from parked_updates where created_at < now() - make_interval(days => $1)
        order by created_at limit 1000)`,
    values: [days],
  });
}
