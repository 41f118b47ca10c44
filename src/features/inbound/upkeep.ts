/** Settles and deletes what ingestion leaves behind. */
import type { Kit } from '../../kit.ts';
import { oneAtATime, throttle, type DueWork, type Looks } from '../../platform/due-work.ts';
import { hasParked } from '../messages/ingest-parked-queries.ts';
import { deleteParked } from '../messages/ingest-queries.ts';
import { applyCrossed, giveUpUnknown } from '../messages/ingest.ts';
import { deleteAside } from './queries.ts';

export async function giveUpUnknownOutcomes(kit: Kit): Promise<void> {
  // Works page by page until a page is empty: a long outage leaves many of them.
  while ((await kit.database.systemTx('upkeep', giveUpUnknown)) > 0);
}

export async function purgeCallbacks(kit: Kit): Promise<void> {
  const days = kit.config.CALLBACK_RETENTION_DAYS;
  const system = kit.database.system('upkeep');
  while ((await deleteParked(system, days)) > 0);
  while ((await deleteAside(system, days)) > 0);
}

// A status that arrives while its message is being stored is rare. It is applied within this time.
const LOOK_EVERY_MS = 2_000;

// A transaction lasts seconds at most, so a status that was parked longer ago still has no message.
const LOOK_BACK_MINUTES = 5;
const MINUTES_A_DAY = 1_440;

/** Applies statuses that arrived while their message was being stored. The first look covers those from before this start. */
export function crossedStatuses(kit: Kit): DueWork & Pick<Looks, 'stop'> {
  let backMinutes = kit.config.CALLBACK_RETENTION_DAYS * MINUTES_A_DAY;
  const { begin, stop } = oneAtATime(async (signal) => {
    if (!kit.storage.hasRoom) return;
    try {
      while (!signal.aborted && (await kit.database.systemTx('upkeep', (tx) => applyCrossed(tx, backMinutes))) > 0);
      backMinutes = LOOK_BACK_MINUTES;
    } catch (error) {
      // Failure policy: the next look comes in two seconds. A database that is away is logged elsewhere.
      kit.log.warn({ err: error }, 'inbound: crossed statuses wait');
    }
  });
  begin();
  return { due: hasParked(LOOK_BACK_MINUTES), begin: throttle(LOOK_EVERY_MS, begin), stop };
}
