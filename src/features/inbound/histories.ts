/** Collects what a batch says about the old messages of phones. */
import type { InboundHistory } from '../../channels/phone-sync.ts';
import type { HistoryNews } from '../inboxes/ingest-history-queries.ts';
import type { Receiver } from '../inboxes/ingest-queries.ts';

/** Adds an element to the news of its inbox. The furthest progress counts, and a failure only without any. */
export function addHistory(news: Map<string, HistoryNews>, receiver: Receiver, element: InboundHistory): void {
  const { company, inbox } = receiver;
  const before = news.get(inbox);
  const { status, progress, error } = element;
  const isFurther = before === undefined || (progress ?? -1) >= (before.progress ?? -1);
  if (isFurther) news.set(inbox, { company, inbox, status, progress, error });
}
