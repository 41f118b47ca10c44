/** Deletes old runs. */
import type { Kit } from '../../../kit.ts';
import { purgeByPages } from '../../../platform/store/retention.ts';
import { deleteOldRuns } from './upkeep-queries.ts';
import { declareLimit } from '../../../platform/values/limits.ts';

// How long a run can be read after its end.
const KEPT_DAYS = declareLimit(30, {
  topic: 'Messages',
  what: 'Bulk change: age of the result',
  unit: 'days',
  beyond: 'deleted',
});

export async function purgeConversationRuns(kit: Kit): Promise<void> {
  const system = kit.database.system('upkeep');
  await purgeByPages(system, 'conversation_runs', (range) => deleteOldRuns(system, KEPT_DAYS, range));
}
