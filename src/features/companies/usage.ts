/** The database records each change of what companies store; this job adds the changes to one sum per company. */
import type { Kit } from '../../kit.ts';
import { throttle, type DueWork } from '../../platform/due-work.ts';
import type { SystemTx } from '../../platform/tenant.ts';
import { addUpChanges, HAS_CHANGES, lockSums } from './queries.ts';

// Reading a company's usage adds the recorded changes to its sum, so some thousands of changes may wait.
const LOOK_EVERY_MS = 2_000;
// Adding up this many changes takes some tens of milliseconds.
const PORTION = 5_000;

export function changesToAddUp(kit: Kit): DueWork {
  let looking = false;
  async function look(): Promise<void> {
    if (looking || !kit.storage.hasRoom) return;
    looking = true;
    try {
      while ((await kit.database.systemTx('upkeep', addUpPortion)) === PORTION);
    } catch (error) {
      // Failure policy: the changes stay recorded for the next run; until then they are still included in what a company uses.
      kit.log.warn({ err: error }, 'companies: changes of what they store wait');
    }
    looking = false;
  }
  return { due: HAS_CHANGES, begin: throttle(LOOK_EVERY_MS, () => void look()) };
}

async function addUpPortion(tx: SystemTx): Promise<number> {
  return (await lockSums(tx)) ? addUpChanges(tx, PORTION) : 0;
}
