/** Statements that bring changes of a campaign's messages to their enrollments, across companies. */
import { exec, many } from '../../platform/store/db.ts';
import type { AnyTx } from './ingest-queries.ts';

/** One step that was sent to a contact. */
export interface SendLife {
  /** When the network accepted the message. It may hold the message back, so `sent_at` can be later. */
  accepted_at: string | null;
  sent_at: string | null;
  delivered_at: string | null;
  read_at: string | null;
  failed_at: string | null;
  code: string | null;
  cause: string | null;
}

export interface EnrollmentLife {
  status: 'PENDING' | 'SENT' | 'DELIVERED' | 'READ' | 'REPLIED' | 'COMPLETED' | 'FAILED' | 'SKIPPED' | 'CANCELLED';
  /** The step that is sent next, or that was sent last. */
  current_step: number;
  next_run_at: string | null;
  completed_at: string | null;
  /** When the first of its messages was sent, delivered and read. */
  sent_at: string | null;
  delivered_at: string | null;
  read_at: string | null;
  replied_at: string | null;
  failed_at: string | null;
  failure_reason: { code: string | null; message: string | null } | null;
}

/** Where a message belongs in its campaign. */
export interface SendPlace {
  step: number;
  /** Whether no later step has been sent. */
  is_latest: boolean;
  /** How many steps the campaign has. */
  steps: number;
  /** How long after this moment the step after the current one is due; null when there is none. */
  delay_minutes: number | null;
  /** Whether the campaign was cancelled or has failed. */
  is_over: boolean;
  /** False after the contact was erased. */
  has_contact: boolean;
  now: string;
}

/** The columns that messages change, with their types. */
const SEND = {
  accepted_at: 'timestamptz',
  sent_at: 'timestamptz',
  delivered_at: 'timestamptz',
  read_at: 'timestamptz',
  failed_at: 'timestamptz',
  code: 'text',
  cause: 'text',
} satisfies Record<keyof SendLife, string>;
const ENROLLMENT = {
  status: 'text',
  current_step: 'integer',
  next_run_at: 'timestamptz',
  completed_at: 'timestamptz',
  sent_at: 'timestamptz',
  delivered_at: 'timestamptz',
  read_at: 'timestamptz',
  failed_at: 'timestamptz',
  failure_reason: 'jsonb',
} satisfies Record<Exclude<keyof EnrollmentLife, 'replied_at'>, string>;

const toObject = (alias: string, columns: string[]): string =>
  `json_build_object(${columns.map((column) => `'${column}', ${alias}.${column}`).join(', ')})`;
const assign = (columns: object): string =>
  Object.keys(columns)
    .map((column) => `${column} = n.${column}`)
    .join(', ');
const define = (columns: object): string =>
  Object.entries(columns)
    .map(([column, type]) => `${column} ${type}`)
    .join(', ');

interface SendKey {
  company: string;
  enrollment: string;
  step: number;
}

/** A send and its enrollment, as they are before the message changes them. */
export interface LockedSend extends SendKey, SendPlace {
  message: string;
  life: EnrollmentLife;
  send: SendLife;
}

/**
 * Locks the enrollments of these messages, and keeps their campaigns from being cancelled until the transaction ends. The messages are locked
 * already, so no one else changes their sends.
 */
export function lockSends(
  tx: AnyTx,
  messages: { company: string; enrollment: string; _id: string }[],
): Promise<LockedSend[]> {
  return many(tx, {
    name: 'messages.lockSends',
    text: `select e.company_id as company, e._id as enrollment, s.message_id as message, s.step, s.message_id = e.message_id as is_latest,
        ${toObject('e', [...Object.keys(ENROLLMENT), 'replied_at'])} as life, ${toObject('s', Object.keys(SEND))} as send,
        jsonb_array_length(k.steps) as steps, (k.steps -> (e.current_step + 1) ->> 'delay_minutes')::integer as delay_minutes,
        k.status in ('CANCELLED', 'FAILED') as is_over, e.contact_id is not null as has_contact, now() as now
      from unnest($1::text[], $2::text[], $3::text[]) as n (company_id, enrollment_id, message_id)
        join campaign_enrollments e on e.company_id = n.company_id and e._id = n.enrollment_id
        join campaign_sends s on s.company_id = e.company_id and s.enrollment_id = e._id and s.message_id = n.message_id
        join campaigns k on k.company_id = e.company_id and k._id = e.campaign_id
      order by e.company_id, e._id, s.step for no key update of e for key share of k`,
    values: [
      messages.map(({ company }) => company),
      messages.map(({ enrollment }) => enrollment),
      messages.map(({ _id }) => _id),
    ],
  });
}

export interface Moves {
  sends: (SendKey & SendLife)[];
  enrollments: (Omit<SendKey, 'step'> & EnrollmentLife)[];
}

/** Stores what has become of sends and of enrollments that are locked. Triggers count the changes. */
export function writeMoves(tx: AnyTx, { sends, enrollments }: Moves): Promise<number> {
  return exec(tx, {
    name: 'messages.writeMoves',
    text: `with sends as (
        update campaign_sends s set ${assign(SEND)}
        from jsonb_to_recordset($1::jsonb) as n (company text, enrollment text, step integer, ${define(SEND)})
        where s.company_id = n.company and s.enrollment_id = n.enrollment and s.step = n.step
      )
      update campaign_enrollments e set ${assign(ENROLLMENT)}, updated_at = now()
      from jsonb_to_recordset($2::jsonb) as n (company text, enrollment text, ${define(ENROLLMENT)})
      where e.company_id = n.company and e._id = n.enrollment`,
    values: [JSON.stringify(sends), JSON.stringify(enrollments)],
  });
}
