/** Deletes old bulk runs, and old entries of pacing and of the daily limits. */
import type { Kit } from '../../kit.ts';
import { workInPortions } from '../../platform/store/portions.ts';
import { purgeByPages } from '../../platform/store/retention.ts';
import { deleteOldMinutes, deleteOldPairs, deleteOldPeople, deleteOldPlaces, deleteOldRuns } from './upkeep-queries.ts';
import { declareLimit } from '../../platform/values/limits.ts';

// How long a run can be read.
const KEPT_DAYS = declareLimit(30, {
  topic: 'Campaigns',
  what: 'Bulk send: age of the result',
  unit: 'days',
  beyond: 'deleted',
});
// A run has up to 10,000 rows, which are deleted with it.
const PORTION = 5;

export async function purgeBulk(kit: Kit): Promise<void> {
  const system = kit.database.system('upkeep');
  await purgeByPages(system, 'bulk_runs', (range) =>
    workInPortions(() => deleteOldRuns(system, { days: KEPT_DAYS, most: PORTION }, range)),
  );
  await purgeByPages(system, 'portfolio_people', (range) => deleteOldPeople(system, range));
  await purgeByPages(system, 'message_places', (range) => deleteOldPlaces(system, range));
  await purgeByPages(system, 'portfolio_minutes', (range) => deleteOldMinutes(system, range));
  await purgeByPages(system, 'send_pairs', (range) => deleteOldPairs(system, range));
}
