/** Leaves away texts in conversations whose contacts write while the inbox is closed. */
import { findAvailability, findClosing, type Hours } from '../../channels/office-hours.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import { leaveAwayTexts, type LeftAwayText } from '../away-texts/ingest-queries.ts';
import type { Receiver } from '../inboxes/ingest-queries.ts';
import { takesAutomaticReply, type StoredArrivals } from './agent-turns.ts';

/** Leaves one text for each conversation. An agent that answers takes precedence. Inboxes that are open or have no text cause no statement. */
export function leaveAway(tx: SystemTx, { placed, threads, findInserted }: StoredArrivals): void {
  const now = new Date();
  const found = new Map<Receiver, Closed | null>();
  const read = (receiver: Receiver, hours: Hours): Closed | null => {
    const known = found.get(receiver);
    const closed = known === undefined ? findClosed(hours, now) : known;
    found.set(receiver, closed);
    return closed;
  };
  const left = new Map<string, LeftAwayText>();
  for (const [index, arrival] of placed.entries()) {
    const { receiver, conversation } = arrival;
    if (receiver.away_hours === null || !takesAutomaticReply(arrival) || !findInserted(arrival)) continue;
    const closed = read(receiver, receiver.away_hours);
    const thread = threads[index];
    const isAnswered = thread?.handled_by === 'AI' && thread.agent !== null;
    if (closed && !isAnswered) left.set(conversation, { company: receiver.company, conversation, ...closed });
  }
  if (left.size > 0) tx.awaitAtCommit(leaveAwayTexts(tx, [...left.values()]));
}

type Closed = Pick<LeftAwayText, 'opensAt' | 'closedAt'>;

/** Returns the time in which an inbox is closed now; null if it is open. */
function findClosed(hours: Hours, now: Date): Closed | null {
  const { is_open, opens_at } = findAvailability(hours, now);
  return is_open ? null : { opensAt: opens_at, closedAt: findClosing(hours, now)?.toISOString() ?? null };
}
