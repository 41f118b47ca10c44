/** Deletes old turns of agents, and the tokens that were counted on old days. */
import type { Kit } from '../../../kit.ts';
import { workInPortions } from '../../../platform/store/portions.ts';
import { purgeByPages } from '../../../platform/store/retention.ts';
import { deleteOldBudgets, deleteOldConversationBudgets, deleteOldTurns } from './queue-queries.ts';
import { declareLimit } from '../../../platform/values/limits.ts';

// How long a turn can be read.
const KEPT_DAYS = declareLimit(90, { topic: 'Agents', what: 'Log of answers: age', unit: 'days', beyond: 'deleted' });
// Only the budgets of today count; those of yesterday may still be corrected.
const KEPT_BUDGET_DAYS = 2;
const PORTION = 1_000;

export async function purgeTurns(kit: Kit): Promise<void> {
  const system = kit.database.system('upkeep');
  await deleteOldBudgets(system, KEPT_DAYS);
  await workInPortions(() => deleteOldConversationBudgets(system, { days: KEPT_BUDGET_DAYS, most: PORTION }));
  await purgeByPages(system, 'agent_turns', (range) =>
    workInPortions(() => deleteOldTurns(system, { days: KEPT_DAYS, most: PORTION }, range)),
  );
}
