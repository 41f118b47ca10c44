/** Notes in campaigns that their contacts have replied. */
import type { SystemTx } from '../../platform/store/tenant.ts';
import { noteReplies } from '../campaigns/ingest-replies-queries.ts';
import type { Thread } from '../conversations/ingest-queries.ts';
import { isFromContact, messageTime, type PlacedMessage } from './batch.ts';

/** `stored` has the network's ids of the messages that were stored now. Most conversations belong to no campaign, and cost nothing. */
export function noteCampaignReplies(
  tx: SystemTx,
  placed: PlacedMessage[],
  threads: Thread[],
  stored: ReadonlySet<string | null>,
): void {
  const replies = placed.flatMap((arrival, index) => {
    const enrollment = threads[index]?.enrollment ?? null;
    if (enrollment === null || !isFromContact(arrival) || !stored.has(arrival.message.externalId)) return [];
    return [{ company: arrival.receiver.company, enrollment, at: messageTime(arrival.message) }];
  });
  if (replies.length > 0) tx.awaitAtCommit(noteReplies(tx, replies));
}
