/** Settles messages without an outcome and deletes old data that ingestion leaves behind. */
import type { Kit } from '../../kit.ts';
import { upkeepInPortions, type Upkeep } from '../../platform/due-work.ts';
import { inPortions } from '../../platform/portions.ts';
import { hasParked } from '../messages/ingest-parked-queries.ts';
import { deleteParked } from '../messages/ingest-queries.ts';
import { applyCrossed, giveUpUnknown } from '../messages/ingest.ts';
import { deleteAside } from './queries.ts';

export async function giveUpUnknownOutcomes(kit: Kit): Promise<void> {
  // A long outage leaves many of them.
  await inPortions(() => kit.database.systemTx('upkeep', giveUpUnknown));
}

export async function purgeCallbacks(kit: Kit): Promise<void> {
  const days = kit.config.CALLBACK_RETENTION_DAYS;
  const system = kit.database.system('upkeep');
  await inPortions(() => deleteParked(system, days));
  await inPortions(() => deleteAside(system, days));
}

// The time within which a status is applied that arrives while its message is being stored, which is rare.
const LOOK_EVERY_MS = 2_000;

// A transaction lasts seconds at most, so a status that was parked longer ago still has no message.
const LOOK_BACK_MINUTES = 5;
const MINUTES_A_DAY = 1_440;

/** Applies statuses that arrived while their message was being stored. The first look covers those from before this start. */
export function crossedStatuses(kit: Kit): Upkeep {
  let backMinutes = kit.config.CALLBACK_RETENTION_DAYS * MINUTES_A_DAY;
  const looks = upkeepInPortions(kit, {
    due: hasParked(LOOK_BACK_MINUTES),
    everyMs: LOOK_EVERY_MS,
    failure: 'inbound: crossed statuses wait',
    work: async () => {
      const applied = await kit.database.systemTx('upkeep', (tx) => applyCrossed(tx, backMinutes));
      if (applied === 0) backMinutes = LOOK_BACK_MINUTES;
      return applied > 0;
    },
  });
  looks.begin(true);
  return looks;
}
