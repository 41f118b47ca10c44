/** What companies store is counted by the database; the changes that it notes are added up here. */
import type { Kit } from '../../kit.ts';
import { seldom, type DueWork } from '../../platform/look-out.ts';
import type { SystemTx } from '../../platform/tenant.ts';
import { addUpChanges, HAS_CHANGES, lockSums } from './queries.ts';

// Whoever asks what a company stores adds up what waits, so it may be some thousands.
const LOOK_EVERY_MS = 2_000;
// Some tens of milliseconds.
const PORTION = 5_000;

/** Adds up what has changed. */
export function changesToAddUp(kit: Kit): DueWork {
  let looking = false;
  async function look(): Promise<void> {
    if (looking || !kit.storage.hasRoom) return;
    looking = true;
    try {
      while ((await kit.database.systemTx('upkeep', addUpPortion)) === PORTION);
    } catch (error) {
      // Failure policy: the changes wait for the next look, and count meanwhile as well.
      kit.log.warn({ err: error }, 'companies: changes of what they store wait');
    }
    looking = false;
  }
  return { due: HAS_CHANGES, begin: seldom(LOOK_EVERY_MS, () => void look()) };
}

async function addUpPortion(tx: SystemTx): Promise<number> {
  return (await lockSums(tx)) ? addUpChanges(tx, PORTION) : 0;
}
