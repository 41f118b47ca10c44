/** Leaves what contacts have written for the agents of their conversations, and for the rules of the company. */
import type { SystemTx } from '../../platform/store/tenant.ts';
import { cancelAnswered } from '../agents/follow-ups/ingest-queries.ts';
import { leaveTurns } from '../agents/turns/ingest-queries.ts';
import type { Thread } from '../conversations/ingest-queries.ts';
import { isNamedIn } from '../inboxes/test-people.ts';
import type { Message } from '../messages/schemas.ts';
import { leaveMessages, markAutomatic } from '../rules/ingest-queries.ts';
import { RULE_EVENTS_QUEUE } from '../rules/schemas.ts';
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

/** Leaves each message for the rules that wait for messages. */
export function leaveForRules(
  tx: SystemTx,
  { placed, findInserted }: Pick<StoredArrivals, 'placed' | 'findInserted'>,
): void {
  const left = placed.flatMap((arrival) => {
    const { receiver, conversation, message } = arrival;
    if (!receiver.has_rules || receiver.suspended || !isFromContact(arrival)) return [];
    const inserted = findInserted(arrival);
    const isAutomatic = message.isAutomatic === true;
    return inserted ? [{ company: receiver.company, conversation, message: inserted._id, isAutomatic }] : [];
  });
  const byMachines = placed.filter((arrival) => arrival.message.isAutomatic && findInserted(arrival));
  if (left.length > 0) tx.awaitAtCommit(leaveMessages(tx, left));
  if (byMachines.length > 0)
    tx.awaitAtCommit(
      markAutomatic(
        tx,
        byMachines.map(({ receiver: { company }, conversation }) => ({ company, conversation })),
      ),
    );
  if (left.length > 0) tx.wakes(RULE_EVENTS_QUEUE);
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
