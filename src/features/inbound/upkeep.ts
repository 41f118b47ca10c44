/** What ingestion leaves behind is settled or removed here. */
import type { Kit } from '../../kit.ts';
import { deleteParked } from '../messages/ingest-queries.ts';
import { applyCrossed, giveUpUnknown } from '../messages/ingest.ts';
import { deleteAside } from './queries.ts';

export async function giveUpUnknownOutcomes(kit: Kit): Promise<void> {
  // A page at a time, until one comes back empty: a long outage leaves many.
  while ((await kit.database.systemTx(giveUpUnknown)) > 0);
}

export async function purgeCallbacks(kit: Kit): Promise<void> {
  const days = kit.config.CALLBACK_RETENTION_DAYS;
  await kit.database.systemTx(async (tx) => {
    await deleteParked(tx, days);
    await deleteAside(tx, days);
  });
}

// A crossing is rare, and its status waits no longer than this.
const LOOK_EVERY_MS = 2_000;

/** Looks for statuses that crossed their message, until stopped. Returns the way to stop. */
export function watchCrossed(kit: Kit): () => void {
  const timer = setInterval(() => {
    // Failure policy: the next look comes in two seconds; a database that is away is told elsewhere.
    kit.database
      .systemTx(applyCrossed)
      .catch((error: unknown) => kit.log.warn({ err: error }, 'inbound: crossed statuses wait'));
  }, LOOK_EVERY_MS);
  return () => clearInterval(timer);
}
