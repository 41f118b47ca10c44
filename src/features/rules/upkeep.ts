/** Deletes old runs of rules. */
import type { Kit } from '../../kit.ts';
import { purgeByPages } from '../../platform/store/retention.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import { deleteOldRuns } from './queue-queries.ts';

const KEPT_DAYS = declareLimit(30, { topic: 'Messages', what: 'Runs of rules: age', unit: 'days', beyond: 'deleted' });

export async function purgeRuns(kit: Pick<Kit, 'database'>): Promise<void> {
  const system = kit.database.system('upkeep');
  await purgeByPages(system, 'rule_runs', (range) => deleteOldRuns(system, KEPT_DAYS, range));
}
