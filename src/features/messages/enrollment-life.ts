/**
 * What the messages of a campaign do to its enrollments. A message changes by the response of the network, by a status that comes early or
 * late, because its outcome stays unknown, or because it is no longer sent.
 */
import { clipText } from '../../platform/values/words.ts';
import type { EnrollmentLife, SendLife, SendPlace } from './ingest-enrollment-queries.ts';
import type { EnrolledMessage } from './ingest-queries.ts';
import type { MessageStatus } from './schemas.ts';

export type SentMessage = Omit<EnrolledMessage, '_id' | 'company' | 'enrollment'>;

/** Applies a change of a message to its send. Times that are known stay as they are. */
export function advanceSend(send: SendLife, before: MessageStatus, after: SentMessage, now: string): SendLife {
  const { status, external_id } = after;
  const isDelivered = status === 'DELIVERED' || status === 'READ';
  const isAccepted = isDelivered || status === 'SENT' || external_id !== null;
  // A failure that came before the answer to the call proves that the message was sent; one of a message that was held back does not.
  const isEarlyFailure = status === 'FAILED' && before === 'QUEUED' && external_id !== null;
  const isSent = isDelivered || after.sent_at !== null || isEarlyFailure;
  return {
    accepted_at: send.accepted_at ?? (isAccepted ? now : null),
    sent_at: send.sent_at ?? (isSent ? now : null),
    delivered_at: send.delivered_at ?? (isDelivered ? (after.delivered_at ?? after.read_at ?? now) : null),
    read_at: send.read_at ?? (status === 'READ' ? (after.read_at ?? now) : null),
    ...(status === 'FAILED' ? describeFailure(after, now) : { failed_at: null, code: null, cause: null }),
  };
}

function describeFailure({ errors: [error], failure_reason, failed_at }: SentMessage, now: string) {
  const cause = failure_reason?.message ?? (error?.message || error?.title) ?? '';
  return {
    failed_at: failed_at ?? now,
    code: clipText(String(error?.code ?? 'PROVIDER_REJECTED'), 100),
    cause: clipText(cause, 300),
  };
}

/**
 * Applies what became of a send to its enrollment. Only the latest step plans the next one or ends the enrollment; a status of an earlier step
 * adds its times. A message that is accepted after its campaign was cancelled plans no further step.
 */
export function advanceEnrollment(life: EnrollmentLife, send: SendLife, place: SendPlace): EnrollmentLife {
  const timed = {
    ...life,
    sent_at: findEarlier(life.sent_at, send.sent_at),
    delivered_at: findEarlier(life.delivered_at, send.delivered_at),
    read_at: findEarlier(life.read_at, send.read_at),
  };
  if (!place.is_latest) return { ...timed, status: chooseStatus(timed, life.status === 'COMPLETED') };
  const isLastStep = place.step >= place.steps - 1;
  const isAccepted = send.accepted_at !== null || send.sent_at !== null;
  const ends = send.failed_at !== null || (isAccepted && (place.is_over || isLastStep));
  const isPlanned = place.step === life.current_step && life.completed_at === null && place.has_contact;
  const moved = {
    ...timed,
    ...explainFailure(life, send),
    ...(isAccepted && !ends && isPlanned && { current_step: place.step + 1, next_run_at: findNextRun(place) }),
    ...(ends && { next_run_at: null, completed_at: life.completed_at ?? place.now }),
  };
  return { ...moved, status: chooseStatus(moved, isLastStep && place.steps > 1 && send.sent_at !== null) };
}

/** A contact who has replied does not count as failed when a message that waited for its time is no longer sent. */
function explainFailure({ replied_at }: EnrollmentLife, { failed_at, code, cause }: SendLife) {
  const isFailure = failed_at !== null && (replied_at === null || code !== 'CAMPAIGN_CANCELLED');
  return isFailure
    ? { failed_at, failure_reason: { code, message: cause } }
    : { failed_at: null, failure_reason: null };
}

/** A cancelled or skipped enrollment stays so; otherwise the first of these that has happened counts. */
function chooseStatus(life: EnrollmentLife, isCompleted: boolean): EnrollmentLife['status'] {
  if (life.status === 'CANCELLED' || life.status === 'SKIPPED') return life.status;
  if (life.failed_at !== null) return 'FAILED';
  if (life.replied_at !== null) return 'REPLIED';
  if (isCompleted) return 'COMPLETED';
  if (life.read_at !== null) return 'READ';
  if (life.delivered_at !== null) return 'DELIVERED';
  return life.sent_at === null ? 'PENDING' : 'SENT';
}

function findEarlier(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return Date.parse(other) < Date.parse(one) ? other : one;
}

const findNextRun = ({ now, delay_minutes }: SendPlace): string =>
  new Date(Date.parse(now) + (delay_minutes ?? 0) * 60_000).toISOString();
