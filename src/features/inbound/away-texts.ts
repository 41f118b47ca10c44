/** Leaves away texts in conversations whose contacts write while the inbox is closed. */
import { findAvailability, type Availability } from '../../channels/office-hours.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import { leaveAwayTexts, type LeftAwayText } from '../away-texts/ingest-queries.ts';
import type { Receiver } from '../inboxes/ingest-queries.ts';
import { takesAutomaticReply, type StoredArrivals } from './agent-turns.ts';

/** Leaves one text for each conversation. An agent that answers takes precedence. Inboxes that are open or have no text cause no statement. */
export function leaveAway(tx: SystemTx, { placed, threads, findInserted }: StoredArrivals): void {
  const now = new Date();
  const found = new Map<Receiver, Availability>();
  const read = (receiver: Receiver): Availability => {
    const known = found.get(receiver) ?? findAvailability(receiver.away_hours, now);
    found.set(receiver, known);
    return known;
  };
  const left = new Map<string, LeftAwayText>();
  for (const [index, arrival] of placed.entries()) {
    const { receiver, conversation } = arrival;
    if (receiver.away_hours === null || !takesAutomaticReply(arrival) || !findInserted(arrival)) continue;
    const { is_open, opens_at: opensAt } = read(receiver);
    const thread = threads[index];
    const isAnswered = thread?.handled_by === 'AI' && thread.agent !== null;
    if (!is_open && !isAnswered) left.set(conversation, { company: receiver.company, conversation, opensAt });
  }
  if (left.size > 0) tx.awaitAtCommit(leaveAwayTexts(tx, [...left.values()]));
}
