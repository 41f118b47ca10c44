/** The database records each change of the bytes that companies store; this job adds the changes to one sum per company. */
import type { Kit } from '../../kit.ts';
import { createPortionedUpkeep, type UpkeepTask } from '../../platform/work/due-work.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import { addUpUsageChanges, HAS_CHANGES, tryLockUsageSums } from './queries.ts';
import { declareSettingLimit } from '../../platform/values/limits.ts';

declareSettingLimit('COMPANY_QUOTA', { topic: 'Records', what: 'Storage per company', unit: 'bytes', beyond: '409' });

// The pause between two runs. A read of a company's usage adds the recorded changes to its sum, so some thousands of changes may wait.
const LOOK_EVERY_MS = 2_000;
// The number of changes that one transaction adds up, which takes some tens of milliseconds.
const PORTION = 5_000;

/** After a failure the changes stay recorded, and are still included in what a company uses. */
export const createUsageUpkeep = (kit: Kit): UpkeepTask =>
  createPortionedUpkeep(kit, {
    due: HAS_CHANGES,
    everyMs: LOOK_EVERY_MS,
    failure: 'companies: changes of what they store wait',
    // Changes come all the time, so the work ends with a portion that is not full.
    work: async () => (await kit.database.systemTx('upkeep', addUpUsagePortion)) === PORTION,
  });

async function addUpUsagePortion(tx: SystemTx): Promise<number> {
  return (await tryLockUsageSums(tx)) ? addUpUsageChanges(tx, PORTION) : 0;
}
