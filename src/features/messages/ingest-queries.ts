/** Statements that store a batch of callbacks. Each handles all messages of the batch, across companies. */
import type { Identity } from '../../channels/identity.ts';
import { exec, many } from '../../platform/store/db.ts';
import type { SystemTx, TenantTx } from '../../platform/store/tenant.ts';
import { joinByKeys, joinKeys } from './message-sql.ts';
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
      select k.company_id as company, k.inbox_id as inbox, k.external_id, true as stored
      from keys k ${joinKeys('k')}
      union all
      select distinct company_id, inbox_id, external_id, false
      from keys join parked_updates using (company_id, inbox_id, external_id)`,
    values: keyColumns(keys),
  });
}

/** Returns the digests of these messages, as far as they are stored with one. */
export function findDigests(tx: SystemTx, keys: MessageKey[]): Promise<(MessageKey & { digest: string })[]> {
  return many(tx, {
    name: 'messages.findDigests',
    text: `select m.company_id as company, m.inbox_id as inbox, m.external_id, m.digest
      from unnest($1::text[], $2::text[], $3::text[]) as k (company_id, inbox_id, external_id)
        ${joinByKeys('k')} where m.digest is not null`,
    values: keyColumns(keys),
  });
}

/** The fields of a message on which its enrollment in a campaign depends. */
export interface EnrolledMessage {
  _id: string;
  company: string;
  enrollment: string | null;
  external_id: string | null;
  status: MessageStatus;
  errors: Cause[];
  failure_reason: FailureReason | null;
  sent_at: string | null;
  delivered_at: string | null;
  read_at: string | null;
  failed_at: string | null;
}

/** Selects these fields of the message `m`. */
export const ENROLLED = `m._id, m.company_id as company, m.enrollment_id as enrollment, m.external_id, m.status, m.errors, m.failure_reason,
  m.sent_at, m.delivered_at, m.read_at, m.failed_at`;

export interface MessageLife extends EnrolledMessage {
  inbox: string;
  outcome_unknown: boolean;
  is_echo: boolean;
  conversation: string;
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
        select y.company_id, y.message_id as _id from asked a ${joinKeys('a')}
        union
        select m.company_id, m._id from asked a join messages m
          on m.company_id = a.company_id and m._id = a.message_id and m.inbox_id = a.inbox_id
      )
      select ${ENROLLED}, m.inbox_id as inbox, m.outcome_unknown, m.is_echo, m.conversation_id as conversation
      from found join messages m on m.company_id = found.company_id and m._id = found._id
      where m.message_type <> 'NOTE'
      order by m.company_id, m._id for no key update of m`,
    values: [...keyColumns(asked), asked.map((item) => item.message)],
  });
}

export interface AliasKey {
  company: string;
  inbox: string;
  alias: string;
}

/** Notes another id of a message. */
export function insertAliases(
  tx: TenantTx,
  inbox: string,
  aliases: { message: string; alias: string }[],
): Promise<number> {
  return exec(tx, {
    name: 'messages.insertAliases',
    text: `insert into message_aliases (company_id, inbox_id, alias, message_id)
      select $1, $2, n.alias, n.message from unnest($3::text[], $4::text[]) as n (alias, message) on conflict do nothing`,
    values: [tx.companyId, inbox, aliases.map(({ alias }) => alias), aliases.map(({ message }) => message)],
  });
}

/** Finds the messages that the networks call by these ids. */
export function findByAliases(
  tx: SystemTx,
  keys: AliasKey[],
): Promise<(AliasKey & { _id: string; external_id: string })[]> {
  return many(tx, {
    name: 'messages.findByAliases',
    text: `select a.company_id as company, a.inbox_id as inbox, a.alias, m._id, m.external_id
      from unnest($1::text[], $2::text[], $3::text[]) as k (company_id, inbox_id, alias)
        join message_aliases a using (company_id, inbox_id, alias)
        join messages m on m.company_id = a.company_id and m._id = a.message_id
      where m.external_id is not null`,
    values: [keys.map(({ company }) => company), keys.map(({ inbox }) => inbox), keys.map(({ alias }) => alias)],
  });
}

export interface ReportKey {
  company: string;
  inbox: string;
  message: string;
  /** The recipients that the report names; any recipient counts when it names none. */
  recipients: Identity[];
}

/** Finds the messages that these inboxes really sent to the recipients that the reports name. `place` counts the reports from 0. */
export function findReported(tx: SystemTx, reports: ReportKey[]): Promise<{ place: number; contact: string }[]> {
  return many(tx, {
    name: 'messages.findReported',
    text: `select r.place::int - 1 as place, m.contact_id as contact
      from unnest($1::text[], $2::text[], $3::text[], $4::jsonb[]) with ordinality
          as r (company_id, inbox_id, message_id, recipients, place)
        join messages m on m.company_id = r.company_id and m._id = r.message_id and m.inbox_id = r.inbox_id
      where m.message_type = 'OUTGOING' and (r.recipients = '[]' or exists (
        select from jsonb_to_recordset(r.recipients) as named (kind text, value text)
          join contact_identities n on n.company_id = m.company_id and n.kind = named.kind and n.value = named.value
        where n.contact_id = m.contact_id)
        or lower((m.email->'to')::text)::jsonb ?| array(select named->>'value' from jsonb_array_elements(r.recipients) named)
        or exists (
          select from messages a where a.company_id = m.company_id and a.conversation_id = m.conversation_id and a.created_at <= m.created_at
            and a.email->'reply_to' ?| array(select named->>'value' from jsonb_array_elements(r.recipients) named)))`,
    values: [
      reports.map(({ company }) => company),
      reports.map(({ inbox }) => inbox),
      reports.map(({ message }) => message),
      reports.map(({ recipients }) => JSON.stringify(recipients)),
    ],
  });
}

/** A mail, the mail that it answers, and the address of its author in lowercase. */
export type AnswerKey = MessageKey & { author: string };

/**
 * Finds the contacts of the mails that other people answer, each with an address. It only counts if the mail, or a Reply-To of its
 * conversation, names the author. `place` counts the keys from 0.
 */
export function findAnsweredContacts(tx: SystemTx, keys: AnswerKey[]): Promise<{ place: number; address: string }[]> {
  return many(tx, {
    name: 'messages.findAnsweredContacts',
    text: `select k.place::int - 1 as place, n.address
      from unnest($1::text[], $2::text[], $3::text[], $4::text[]) with ordinality as k (company_id, inbox_id, external_id, author, place)
        ${joinByKeys('k')}
        cross join lateral (
          select min(i.address) as address from contact_identities i
            where i.company_id = m.company_id and i.contact_id = m.contact_id and i.kind = 'EMAIL'
            having bool_and(i.value <> k.author)) n
      where lower(m.email #>> '{from,address}') = k.author or lower((m.email->'to')::text)::jsonb ? k.author
        or lower((m.email->'cc')::text)::jsonb ? k.author or lower((m.email->'bcc')::text)::jsonb ? k.author
        or exists (
          select from messages a where a.company_id = m.company_id and a.conversation_id = m.conversation_id and a.created_at <= m.created_at
            and lower((a.email->'reply_to')::text)::jsonb ? k.author)`,
    values: [...keyColumns(keys), keys.map(({ author }) => author)],
  });
}

/** Notes that these messages failed, so that the places which they took in the daily limit of the business are given back. */
export function markPlacesDue(tx: AnyTx, failed: Pick<MessageLife, 'company' | '_id'>[]): Promise<number> {
  return exec(tx, {
    name: 'messages.markPlacesDue',
    text: `update message_places p set is_due = true from unnest($1::text[], $2::text[]) as n (company_id, message_id)
      where p.company_id = n.company_id and p.message_id = n.message_id`,
    values: [failed.map(({ company }) => company), failed.map(({ _id }) => _id)],
  });
}

/** Returns the SQL condition that places of failed messages wait to be given back. */
export const hasDuePlaces = 'exists (select from message_places where is_due)';

/** Returns companies with such places. */
export function listDuePlaces(tx: SystemTx): Promise<{ company: string }[]> {
  return many(tx, {
    name: 'messages.listDuePlaces',
    text: 'select distinct company_id as company from message_places where is_due limit 100',
    values: [],
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

/** Deletes up to 10,000 acceptances that are not the last one of their inbox, and returns how many. */
export function deleteOldAcceptances(tx: SystemTx): Promise<number> {
  return exec(tx, {
    name: 'messages.deleteOldAcceptances',
    text: `delete from inbox_acceptances where (company_id, inbox_id, at, session) in (
        select a.company_id, a.inbox_id, a.at, a.session from inbox_acceptances a where exists (
          select from inbox_acceptances n where n.company_id = a.company_id and n.inbox_id = a.inbox_id and n.at > a.at)
        limit 10000)`,
    values: [],
  });
}
