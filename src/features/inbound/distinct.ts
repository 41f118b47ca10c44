/** Gives messages another id whose own one belongs to a different message, on networks whose ids the senders make up. */
import type { DistinctId } from '../../channels/distinct.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import { findDigests } from '../messages/ingest-queries.ts';
import type { ArrivedMessage } from './batch.ts';

const nameFirst = (inbox: string, firstId: string): string => `${inbox} ${firstId}`;

/** Returns the messages in their order. Of several with the same id the one that is stored keeps it, or else the first. */
export async function separateMessages(tx: SystemTx, arrivals: ArrivedMessage[]): Promise<ArrivedMessage[]> {
  const doubtful = arrivals.flatMap(({ receiver: { company, inbox }, message: { distinct } }) =>
    distinct ? [{ company, inbox, external_id: distinct.firstId }] : [],
  );
  if (doubtful.length === 0) return arrivals;
  const stored = await findDigests(tx, doubtful);
  const owners = new Map(stored.map(({ inbox, external_id, digest }) => [nameFirst(inbox, external_id), digest]));
  return arrivals.map((arrival) => {
    const { receiver, message } = arrival;
    if (!message.distinct || isOwner(owners, receiver.inbox, message.distinct)) return arrival;
    return { ...arrival, message: { ...message, externalId: message.distinct.otherId } };
  });
}

/** The first message takes the id. */
function isOwner(owners: Map<string, string>, inbox: string, { firstId, digest }: DistinctId): boolean {
  const name = nameFirst(inbox, firstId);
  const owner = owners.get(name) ?? digest;
  owners.set(name, owner);
  return owner === digest;
}
