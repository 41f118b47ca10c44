/** Brings what has become of messages to the enrollments of their campaigns, in the same transaction. */
import { isDeepStrictEqual } from 'node:util';
import { advanceEnrollment, advanceSend } from './enrollment-life.ts';
import {
  lockSends,
  writeMoves,
  type EnrollmentLife,
  type LockedSend,
  type Moves,
} from './ingest-enrollment-queries.ts';
import type { AnyTx, EnrolledMessage } from './ingest-queries.ts';

interface MessageChange {
  before: Pick<EnrolledMessage, 'status' | 'sent_at'>;
  after: EnrolledMessage;
}

/**
 * Every statement that changes the status of messages is followed by this function, which costs nothing when none of them belongs to a
 * campaign. Messages are always locked before enrollments.
 */
export async function moveEnrollments(tx: AnyTx, changes: MessageChange[]): Promise<void> {
  const changed = changes.flatMap(({ before, after }) => {
    const isSent = before.sent_at === null && after.sent_at !== null;
    if (after.enrollment === null || (before.status === after.status && !isSent)) return [];
    return [{ ...after, enrollment: after.enrollment, before: before.status }];
  });
  if (changed.length === 0) return;
  const messages = new Map(changed.map((message) => [message._id, message]));
  const moves: Moves = { sends: [], enrollments: [] };
  const lives = new Map<string, { first: LockedSend; life: EnrollmentLife }>();
  for (const locked of await lockSends(tx, changed)) {
    const message = messages.get(locked.message);
    if (!message) continue;
    const { company, enrollment, step } = locked;
    const send = advanceSend(locked.send, message.before, message, locked.now);
    if (!isDeepStrictEqual(send, locked.send)) moves.sends.push({ company, enrollment, step, ...send });
    const { first, life } = lives.get(enrollment) ?? { first: locked, life: locked.life };
    lives.set(enrollment, { first, life: advanceEnrollment(life, send, locked) });
  }
  for (const { first, life } of lives.values()) {
    const { company, enrollment } = first;
    if (!isDeepStrictEqual(life, first.life)) moves.enrollments.push({ company, enrollment, ...life });
  }
  if (moves.sends.length + moves.enrollments.length > 0) tx.awaitAtCommit(writeMoves(tx, moves));
}

/** As `moveEnrollments`, for messages that were QUEUED and are FAILED now. */
export function moveFailed(tx: AnyTx, failed: EnrolledMessage[]): Promise<void> {
  return moveEnrollments(
    tx,
    failed.map((after) => ({ before: { status: 'QUEUED', sent_at: null }, after })),
  );
}
