/** The database records each change of the bytes that companies store; this job adds the changes to one sum per company. */
import type { Kit } from '../../kit.ts';
import { oneAtATime, throttle, type DueWork, type Looks } from '../../platform/due-work.ts';
import type { SystemTx } from '../../platform/tenant.ts';
import { addUpChanges, HAS_CHANGES, lockSums } from './queries.ts';

// The pause between two runs. A read of a company's usage adds the recorded changes to its sum, so some thousands of changes may wait.
const LOOK_EVERY_MS = 2_000;
// The number of changes that one transaction adds up, which takes some tens of milliseconds.
const PORTION = 5_000;

export function changesToAddUp(kit: Kit): DueWork & Pick<Looks, 'stop'> {
  const { begin, stop } = oneAtATime(async (signal) => {
    if (!kit.storage.hasRoom) return;
    try {
      while (!signal.aborted && (await kit.database.systemTx('upkeep', addUpPortion)) === PORTION);
    } catch (error) {
      // Failure policy: the changes stay recorded for the next run; until then the usage of a company still includes them.
      kit.log.warn({ err: error }, 'companies: changes of what they store wait');
    }
  });
  return { due: HAS_CHANGES, begin: throttle(LOOK_EVERY_MS, begin), stop };
}

async function addUpPortion(tx: SystemTx): Promise<number> {
  return (await lockSums(tx)) ? addUpChanges(tx, PORTION) : 0;
}
