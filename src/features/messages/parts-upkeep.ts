/** Divides the messages of large companies into parts for the search, when they were stored before there were parts or were imported. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kit } from '../../kit.ts';
import { workInPortions } from '../../platform/store/portions.ts';
import { createPortionedUpkeep, type UpkeepTask } from '../../platform/work/due-work.ts';
import { findUndivided, HAS_UNDIVIDED, movePortion } from './parts-upkeep-queries.ts';

const LOOK_EVERY_MS = 5_000;

/** Looks through all companies for those with too many messages that are in no part. */
export async function findUndividedMessages(kit: Kit): Promise<void> {
  const system = kit.database.system('upkeep');
  await workInPortions((last: string | null) => findUndivided(system, last));
}

export const createPartsUpkeep = (kit: Kit): UpkeepTask =>
  createPortionedUpkeep(kit, {
    due: HAS_UNDIVIDED,
    everyMs: LOOK_EVERY_MS,
    failure: 'messages: some are in no part for the search',
    work: async () => {
      const startedMs = performance.now();
      const moved = await kit.database.systemTx('upkeep', movePortion);
      // The pause leaves half of the time to requests.
      await sleep(performance.now() - startedMs);
      return moved > 0;
    },
  });
