/** Begins to ask for the old messages of the phone with which an inbox shares its number. */
import type { Kit } from '../../../kit.ts';
import { HistoryOverdue, RequestHistory } from './jobs.ts';

/** How long the network accepts the request, and how long the first old messages can take. */
const DAY_SECONDS = 86_400;

/** Enqueues the request, and the look whether anything has come. */
export async function enqueueHistory(
  kit: Pick<Kit, 'enqueue'>,
  tx: Parameters<Kit['enqueue']>[0],
  { company, inbox }: { company: string; inbox: string },
): Promise<void> {
  await kit.enqueue(tx, RequestHistory, { company, inbox }, { key: inbox });
  await kit.enqueue(tx, HistoryOverdue, { company, inbox }, { key: inbox, delaySeconds: DAY_SECONDS });
}
