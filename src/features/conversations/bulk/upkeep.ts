/** Deletes old runs. */
import type { Kit } from '../../../kit.ts';
import { purgeByPages } from '../../../platform/store/retention.ts';
import { deleteOldRuns } from './upkeep-queries.ts';

// How long a run can be read after its end.
const KEPT_DAYS = 30;

export async function purgeConversationRuns(kit: Kit): Promise<void> {
  const system = kit.database.system('upkeep');
  await purgeByPages(system, 'conversation_runs', (range) => deleteOldRuns(system, KEPT_DAYS, range));
}
