/**
 * The life of an outgoing message: QUEUED → SENT → DELIVERED → READ, or FAILED. It never goes back, whatever the network
 * repeats or mixes up.
 */
import type { EventName } from '../../platform/events.ts';
import type { MessageLife } from './ingest-queries.ts';
import type { Cause, FailureReason, MessageStatus } from './schemas.ts';

/** What the network's words change of a message. */
export type Life = Omit<MessageLife, '_id' | 'company' | 'inbox' | 'external_id'>;

export interface StatusReport {
  /** ACCEPTED is the answer to the call itself; its later `sent` only fills sent_at. */
  status: 'ACCEPTED' | 'SENT' | 'DELIVERED' | 'READ' | 'FAILED';
  at: string;
  errors: Cause[];
  failure_reason: FailureReason | null;
}

export interface Step {
  life: Life;
  /** What happened, in this order; empty when nothing really changed. */
  events: EventName[];
}

const RANK: Record<MessageStatus, number> = { QUEUED: 0, SENT: 1, DELIVERED: 2, READ: 3, FAILED: 4, RECEIVED: 5 };
const ARRIVAL = { SENT: 'sent_at', DELIVERED: 'delivered_at', READ: 'read_at' } as const;

/** What a failure without a cause says: every failure has its entry in `errors`. */
const NO_CAUSE: Cause = {
  code: 'PROVIDER_REJECTED',
  title: 'Not delivered',
  message: 'The network gave no cause',
  details: '',
};

/** A message whose outcome nobody knew: still open to what the network says about it. */
const isUnsettled = (life: Life): boolean =>
  life.status === 'QUEUED' || (life.status === 'FAILED' && life.outcome_unknown);

/** The message after one word of the network. Any word proves that the network had accepted it. */
export function advance(life: Life, report: StatusReport): Step {
  if (life.status === 'RECEIVED') return { life, events: [] };
  return report.status === 'FAILED' ? fail(life, report) : arrive(life, report, report.status);
}

function fail(life: Life, report: StatusReport): Step {
  const unsettled = isUnsettled(life);
  if (!unsettled && life.status !== 'SENT') return { life, events: [] };
  const { errors, failure_reason } = report;
  const failed: Life = {
    ...life,
    status: 'FAILED',
    outcome_unknown: false,
    errors: errors.length > 0 ? errors : [NO_CAUSE],
    failure_reason,
    failed_at: report.at,
  };
  return { life: failed, events: unsettled ? ['MESSAGE_SENT', 'MESSAGE_FAILED'] : ['MESSAGE_FAILED'] };
}

function arrive(life: Life, report: StatusReport, reported: 'ACCEPTED' | 'SENT' | 'DELIVERED' | 'READ'): Step {
  const unsettled = isUnsettled(life);
  const status = reported === 'ACCEPTED' ? 'SENT' : reported;
  if (life.status === 'FAILED' && !unsettled) return { life, events: [] };
  const noted: Life =
    reported === 'ACCEPTED' ? life : { ...life, [ARRIVAL[reported]]: life[ARRIVAL[reported]] ?? report.at };
  if (!unsettled && RANK[status] <= RANK[life.status]) return { life: noted, events: [] };
  const arrived: Life = { ...noted, status, outcome_unknown: false };
  if (unsettled) Object.assign(arrived, { errors: [], failure_reason: null, failed_at: null });
  const events: EventName[] = unsettled ? ['MESSAGE_SENT'] : [];
  if (status === 'DELIVERED') events.push('MESSAGE_DELIVERED');
  if (status === 'READ') events.push('MESSAGE_READ');
  return { life: arrived, events };
}
