/** Settles messages without an outcome and deletes old data that ingestion leaves behind. */
import type { Kit } from '../../kit.ts';
import { createPortionedUpkeep, type UpkeepTask } from '../../platform/work/due-work.ts';
import { workInPortions } from '../../platform/store/portions.ts';
import { hasParked } from '../messages/ingest-parked-queries.ts';
import { deleteOldAcceptances, deleteParked, listDuePlaces, hasDuePlaces } from '../messages/ingest-queries.ts';
import { applyCrossed, giveUpUnknown } from '../messages/ingest.ts';
import { returnLatePlaces } from '../messages/late-places.ts';
import { deleteOldAsides, deleteOldUnreadable } from './queries.ts';
import { declareSettingLimit } from '../../platform/values/limits.ts';

declareSettingLimit('CALLBACK_RETENTION_DAYS', {
  topic: 'Networks',
  what: 'Callback that could not be understood',
  unit: 'days',
  beyond: 'deleted',
});

export async function giveUpUnknownOutcomes(kit: Kit): Promise<void> {
  // A long outage leaves many of them.
  await workInPortions(() => kit.database.systemTx('upkeep', giveUpUnknown));
}

export async function purgeCallbacks(kit: Kit): Promise<void> {
  const days = kit.config.CALLBACK_RETENTION_DAYS;
  const system = kit.database.system('upkeep');
  await workInPortions(() => deleteParked(system, days));
  await workInPortions(() => deleteOldAsides(system, days));
  await workInPortions(() => deleteOldUnreadable(system, days));
  await workInPortions(() => deleteOldAcceptances(system));
}

// The time within which a status is applied that arrives while its message is being stored, which is rare.
const LOOK_EVERY_MS = 2_000;

// A transaction lasts seconds at most, so a status that was parked longer ago still has no message.
const LOOK_BACK_MINUTES = 5;
const MINUTES_A_DAY = 1_440;

/** Applies statuses that arrived while their message was being stored. The first look covers those from before this start. */
export function crossedStatuses(kit: Kit): UpkeepTask {
  let backMinutes = kit.config.CALLBACK_RETENTION_DAYS * MINUTES_A_DAY;
  const looks = createPortionedUpkeep(kit, {
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

async function returnPlacesIn(kit: Kit, company: string): Promise<number> {
  try {
    return await kit.database.tenantTx(company, returnLatePlaces);
  } catch (error) {
    // Failure policy: the places stay due, and those of the other companies are given back.
    kit.log.warn({ err: error, company }, 'inbound: places in the daily limit could not be given back');
    return 0;
  }
}

/** Gives back the places in daily limits whose messages failed after the network had accepted them. */
export function latePlaces(kit: Kit): UpkeepTask {
  return createPortionedUpkeep(kit, {
    due: hasDuePlaces,
    everyMs: LOOK_EVERY_MS,
    failure: 'inbound: places in the daily limit wait to be given back',
    work: async () => {
      const due = await listDuePlaces(kit.database.system('upkeep'));
      let returned = 0;
      for (const { company } of due) returned += await returnPlacesIn(kit, company);
      return returned > 0;
    },
  });
}
