/** Statements about the rows of a bulk run: each contact of the run is a row with its own state. */
import { exec, many, one } from '../../platform/store/db.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { Fault, StoredSend } from '../sends/schemas.ts';
import { joinOpenConversation, restingSql, windowOpenSql } from '../admission/recipient-sql.ts';

export interface NewRow {
  row: number;
  name: string | null;
  /** The number as E.164, or as it was written where it cannot be read. */
  phone: string;
  columns: Record<string, string> | null;
  error: Fault | null;
}

export function insertRows(tx: TenantTx, run: string, rows: NewRow[]): Promise<number> {
  return exec(tx, {
    name: 'bulk.insertRows',
    text: `insert into bulk_rows (company_id, run_id, row, name, phone, columns, error, status)
      select $1, $2, n.row, n.name, n.phone, n.columns::jsonb, n.error::jsonb, case when n.error is null then 'WAITING' else 'FAILED' end
      from unnest($3::int[], $4::text[], $5::text[], $6::text[], $7::text[]) as n (row, name, phone, columns, error)`,
    values: [
      tx.companyId,
      run,
      rows.map(({ row }) => row),
      rows.map(({ name }) => name),
      rows.map(({ phone }) => phone),
      rows.map(({ columns }) => columns && JSON.stringify(columns)),
      rows.map(({ error }) => error && JSON.stringify(error)),
    ],
  });
}

/** A contact that is done. */
export interface DoneRow {
  row: number;
  phone: string;
  status: 'SENT' | 'FAILED' | 'UNKNOWN';
  conversation: string | null;
  message: string | null;
  error: Fault | null;
  network_status: string | null;
}

export function listDone(tx: TenantRead, run: string): Promise<DoneRow[]> {
  return many(tx, {
    name: 'bulk.listDone',
    text: `select row, phone, status, conversation_id as conversation, message_id as message, error, network_status
      from bulk_rows where company_id = $1 and run_id = $2 and status in ('SENT', 'FAILED', 'UNKNOWN') order by row`,
    values: [tx.companyId, run],
  });
}

/** A row whose message is not stored yet. */
export interface WaitingRow {
  row: number;
  name: string | null;
  phone: string;
  columns: Record<string, string> | null;
}

/**
 * Keeps the run from being taken over until the transaction ends. Returns false when another process has taken it over already, or it has
 * ended. Storing outcomes waits for this lock, so it is taken last.
 */
export async function keepRun(tx: TenantTx, { _id, holder }: { _id: string; holder: string }): Promise<boolean> {
  const held = await exec(tx, {
    name: 'bulk.keepRun',
    text: `select 1 from bulk_runs where company_id = $1 and _id = $2 and held_by = $3 and completed_at is null for no key update`,
    values: [tx.companyId, _id, holder],
  });
  return held > 0;
}

/** A row that is to be sent to: its message is not stored yet, or waits to be sent again. */
export interface DueRow extends WaitingRow, StoredSend {}

export function listDue(tx: TenantRead, run: string, most: number): Promise<DueRow[]> {
  return many(tx, {
    name: 'bulk.listDue',
    text: `select r.row, r.name, r.phone, r.columns, r.message_id as message, m.content, m.template, r.refusals, r.reached_at, r.reached_before
      from bulk_rows r left join messages m on m.company_id = $1 and m._id = r.message_id
      where r.company_id = $1 and r.run_id = $2 and r.status in ('WAITING', 'READY') order by r.row limit $3`,
    values: [tx.companyId, run, most],
  });
}

/** A row whose message is not sent. */
export interface RefusedRow {
  row: number;
  contact: string | null;
  error: Fault;
}

export function recordRefused(tx: TenantTx, run: string, rows: RefusedRow[]): Promise<number> {
  return exec(tx, {
    name: 'bulk.recordRefused',
    text: `update bulk_rows r set status = 'FAILED', contact_id = coalesce(n.contact, r.contact_id), error = n.error::jsonb, columns = null
      from unnest($3::int[], $4::text[], $5::text[]) as n (row, contact, error)
      where r.company_id = $1 and r.run_id = $2 and r.row = n.row`,
    values: [
      tx.companyId,
      run,
      rows.map(({ row }) => row),
      rows.map(({ contact }) => contact),
      rows.map(({ error }) => JSON.stringify(error)),
    ],
  });
}

/** A row whose message is about to be given to the network. */
export interface CallingRow {
  row: number;
  contact: string;
  conversation: string;
  message: string;
  reached_at: string | null;
  reached_before: string | null;
}

/** Notes that the calls for these rows begin. Returns how many there were: others were erased with their contacts. */
export function markCalling(tx: TenantTx, run: string, rows: CallingRow[]): Promise<number> {
  return exec(tx, {
    name: 'bulk.markCalling',
    text: `update bulk_rows r set status = 'CALLING', contact_id = coalesce(nullif(n.contact, ''), r.contact_id),
        conversation_id = coalesce(nullif(n.conversation, ''), r.conversation_id), message_id = n.message,
        reached_at = n.reached_at, reached_before = n.reached_before, columns = null
      from unnest($3::int[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::timestamptz[])
        as n (row, contact, conversation, message, reached_at, reached_before)
      where r.company_id = $1 and r.run_id = $2 and r.row = n.row and r.status in ('WAITING', 'READY')`,
    values: [
      tx.companyId,
      run,
      rows.map(({ row }) => row),
      rows.map(({ contact }) => contact),
      rows.map(({ conversation }) => conversation),
      rows.map(({ message }) => message),
      rows.map(({ reached_at }) => reached_at),
      rows.map(({ reached_before }) => reached_before),
    ],
  });
}

/** The result of sending the message of a row. READY: the message is sent later. */
export interface RowOutcome {
  row: number;
  status: 'SENT' | 'FAILED' | 'UNKNOWN' | 'READY';
  error: Fault | null;
  network_status: string | null;
  /** Whether the network has refused the message because of a rate limit. */
  isRefused: boolean;
}

export function recordOutcomes(tx: TenantTx, run: string, outcomes: RowOutcome[]): Promise<number> {
  return exec(tx, {
    name: 'bulk.recordOutcomes',
    text: `update bulk_rows r set status = n.status, error = n.error::jsonb, network_status = n.network_status,
        refusals = r.refusals + n.is_refused::int
      from unnest($3::int[], $4::text[], $5::text[], $6::text[], $7::boolean[]) as n (row, status, error, network_status, is_refused)
      where r.company_id = $1 and r.run_id = $2 and r.row = n.row and r.status = 'CALLING'`,
    values: [
      tx.companyId,
      run,
      outcomes.map(({ row }) => row),
      outcomes.map(({ status }) => status),
      outcomes.map(({ error }) => error && JSON.stringify(error)),
      outcomes.map(({ network_status }) => network_status),
      outcomes.map(({ isRefused }) => isRefused),
    ],
  });
}

/**
 * Settles the rows that a process was sending when it ended: their outcome is unknown, unless a status of the network has arrived since.
 * Returns how many are sent and how many count as errors.
 */
export function settleCalling(tx: TenantTx, run: string, unknown: Fault): Promise<{ sent: number; errors: number }> {
  return one(tx, {
    name: 'bulk.settleCalling',
    text: `with settled as (
        update bulk_rows r set
          status = case when m.status in ('SENT', 'DELIVERED', 'READ') then 'SENT' else 'UNKNOWN' end,
          error = case when m.status in ('SENT', 'DELIVERED', 'READ') then null else $3::jsonb end
        from messages m
        where r.company_id = $1 and r.run_id = $2 and r.status = 'CALLING' and m.company_id = $1 and m._id = r.message_id
        returning r.status
      )
      select count(*) filter (where status = 'SENT')::int as sent, count(*) filter (where status = 'UNKNOWN')::int as errors from settled`,
    values: [tx.companyId, run, JSON.stringify(unknown)],
  });
}

/** Fails all rows that were not sent yet. Returns how many, and the messages that were stored for them. */
export function failRest(tx: TenantTx, run: string, error: Fault): Promise<RestRow[]> {
  return many(tx, {
    name: 'bulk.failRest',
    text: `update bulk_rows set status = 'FAILED', error = $3, columns = null
      where company_id = $1 and run_id = $2 and status in ('WAITING', 'READY')
      returning phone, message_id as message, reached_at, reached_before`,
    values: [tx.companyId, run, JSON.stringify(error)],
  });
}

export interface RestRow {
  phone: string;
  message: string | null;
  reached_at: string | null;
  reached_before: string | null;
}

/** A contact that has the number of a row, and its open conversation in the inbox. */
export interface Recipient {
  value: string;
  address: string;
  contact: string;
  opted_out: boolean;
  blocked: boolean;
  conversation: string | null;
  window_open: boolean;
  /** Whether another row of the run has named the contact, by another number. */
  is_repeated: boolean;
  is_resting: boolean;
}

interface AskedRecipients {
  run: string;
  inbox: string;
  kind: string;
  values: string[];
  restingCodes: readonly string[];
}

/** Finds the contacts of these numbers. */
export function findRecipients(
  tx: TenantRead,
  { run, inbox, kind, values, restingCodes }: AskedRecipients,
): Promise<Recipient[]> {
  return many(tx, {
    name: 'bulk.findRecipients',
    text: `select asked.value, i.address, c._id as contact, c.opted_out, c.blocked, v._id as conversation,
        ${windowOpenSql('$2')} as window_open,
        exists (select from bulk_rows o where o.company_id = $1 and o.run_id = $5 and o.contact_id = c._id) as is_repeated,
        ${restingSql('$6::text[]')} as is_resting
      from unnest($4::text[]) as asked (value)
        join contact_identities i on i.company_id = $1 and i.kind = $3 and i.value = asked.value
        join contacts c on c.company_id = $1 and c._id = i.contact_id
        ${joinOpenConversation('$2')}`,
    values: [tx.companyId, inbox, kind, values, run, restingCodes],
  });
}
