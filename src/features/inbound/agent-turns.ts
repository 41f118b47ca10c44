/** Leaves turns for the agents of conversations in which contacts have written. */
import type { SystemTx } from '../../platform/store/tenant.ts';
import { cancelAnswered } from '../agents/follow-ups/ingest-queries.ts';
import { leaveTurns } from '../agents/turns/ingest-queries.ts';
import type { Thread } from '../conversations/ingest-queries.ts';
import { isNamedIn } from '../inboxes/test-people.ts';
import type { Message } from '../messages/schemas.ts';
import { isFromContact, type PlacedMessage } from './batch.ts';

export interface StoredArrivals {
  placed: PlacedMessage[];
  /** The conversation of each message. */
  threads: Thread[];
  /** Returns the message that was stored for an arrival; undefined for one that was stored before. */
  findInserted(arrival: PlacedMessage): Message | undefined;
}

/** Leaves one turn for each conversation, for its newest message. */
export function leaveAgentTurns(
  tx: SystemTx,
  { placed, threads, findInserted, agentWaitSeconds }: StoredArrivals & { agentWaitSeconds: number },
): void {
  const turns = placed.flatMap((arrival, index) => {
    const message = findInserted(arrival);
    if (!message || !wantsAgent(arrival, threads[index])) return [];
    return [{ company: arrival.receiver.company, conversation: arrival.conversation, message: message._id }];
  });
  const newest = new Map(turns.map((turn) => [turn.conversation, turn]));
  if (newest.size === 0) return;
  tx.awaitAtCommit(leaveTurns(tx, [...newest.values()], agentWaitSeconds));
  tx.awaitAtCommit(cancelAnswered(tx, [...newest.values()]));
}

/** Returns true when an agent should answer the message. */
function wantsAgent(arrival: PlacedMessage, thread: Thread | undefined): boolean {
  const { receiver, message } = arrival;
  if (!thread?.agent || thread.handled_by !== 'AI') return false;
  if (message.contentType === 'UNSUPPORTED' && !receiver.process_unsupported_messages) return false;
  return takesAutomaticReply(arrival);
}

/** Returns false for what no program may answer. A reaction needs no answer, and two programs would answer each other for ever. */
export function takesAutomaticReply(arrival: PlacedMessage): boolean {
  const { receiver, channel, message } = arrival;
  if (receiver.suspended || message.isAutomatic || !isFromContact(arrival)) return false;
  return !receiver.is_test || isNamedIn(channel, receiver.test_numbers, message.person.names);
}
