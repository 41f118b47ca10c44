/**
 * The statuses of an outgoing message: QUEUED → SENT → DELIVERED → READ, or FAILED. A message never goes back to an earlier status,
 * whatever statuses the network repeats or sends in the wrong order.
 */
import type { EventName } from '../../platform/store/events.ts';
import type { MessageLife } from './ingest-queries.ts';
import type { Cause, FailureReason, MessageStatus } from './schemas.ts';

/** The fields of a message that the network's statuses change. */
export type Life = Omit<
  MessageLife,
  '_id' | 'company' | 'inbox' | 'external_id' | 'is_echo' | 'conversation' | 'enrollment'
>;

export interface StatusReport {
  /**
   * The reported status. ACCEPTED stands for the answer of the network to the call, and HELD for the answer that it does not send the message
   * yet. The status `sent`, which comes later, changes sent_at only.
   */
  status: 'ACCEPTED' | 'HELD' | 'SENT' | 'DELIVERED' | 'READ' | 'FAILED';
  at: string;
  errors: Cause[];
  failure_reason: FailureReason | null;
}

export interface Step {
  life: Life;
  /** The events to emit, in this order; empty when no event is due. */
  events: EventName[];
}

const RANK: Record<MessageStatus, number> = { QUEUED: 0, SENT: 1, DELIVERED: 2, READ: 3, FAILED: 4, RECEIVED: 5 };
/** The time that each status reports; a message that is held back has not been sent. */
const ARRIVAL = {
  ACCEPTED: 'sent_at',
  HELD: null,
  SENT: 'sent_at',
  DELIVERED: 'delivered_at',
  READ: 'read_at',
} as const;

/** The entry in `errors` for a failure without a cause, so that every failure has one. */
const NO_CAUSE: Cause = {
  code: 'PROVIDER_REJECTED',
  title: 'Not delivered',
  message: 'The network gave no cause',
  details: '',
};

/** Returns true for a message whose outcome is unknown, so that any status of the network still changes it. */
const isUnsettled = (life: Life): boolean =>
  life.status === 'QUEUED' || (life.status === 'FAILED' && life.outcome_unknown);

/** Applies one status to a message. Every status proves that the network had accepted the message. */
export function advance(life: Life, report: StatusReport): Step {
  if (life.status === 'RECEIVED') return { life, events: [] };
  return report.status === 'FAILED' ? applyFailure(life, report) : applyProgress(life, report, report.status);
}

function applyFailure(life: Life, report: StatusReport): Step {
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

/** The first time that is reported stays. Of the two reports that a message was sent, the earlier time counts, whichever comes first. */
function chooseTime(life: Life, at: string, field: NonNullable<(typeof ARRIVAL)[keyof typeof ARRIVAL]>): string {
  const before = life[field];
  if (before === null) return at;
  return field === 'sent_at' && Date.parse(at) < Date.parse(before) ? at : before;
}

function applyProgress(life: Life, report: StatusReport, reported: keyof typeof ARRIVAL): Step {
  const unsettled = isUnsettled(life);
  const status = reported === 'ACCEPTED' || reported === 'HELD' ? 'SENT' : reported;
  if (life.status === 'FAILED' && !unsettled) return { life, events: [] };
  const field = ARRIVAL[reported];
  const noted: Life = field === null ? life : { ...life, [field]: chooseTime(life, report.at, field) };
  if (!unsettled && RANK[status] <= RANK[life.status]) return { life: noted, events: [] };
  const arrived: Life = { ...noted, status, outcome_unknown: false };
  if (unsettled) Object.assign(arrived, { errors: [], failure_reason: null, failed_at: null });
  const events: EventName[] = unsettled ? ['MESSAGE_SENT'] : [];
  if (status === 'DELIVERED') events.push('MESSAGE_DELIVERED');
  if (status === 'READ') events.push('MESSAGE_READ');
  return { life: arrived, events };
}
