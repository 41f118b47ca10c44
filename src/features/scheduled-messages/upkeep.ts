/** Deletes scheduled messages that ended long ago. Their messages stay in the conversations. */
import type { Kit } from '../../kit.ts';
import { purgeByPages } from '../../platform/store/retention.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import { deleteEnded } from './upkeep-queries.ts';

const KEPT_DAYS = declareLimit(30, {
  topic: 'Messages',
  what: 'Scheduled messages that were sent or cancelled, or have failed: age',
  unit: 'days',
  beyond: 'deleted; the messages stay',
});

export async function purgeScheduled(kit: Pick<Kit, 'database'>): Promise<void> {
  const system = kit.database.system('upkeep');
  await purgeByPages(system, 'scheduled_messages', (range) => deleteEnded(system, KEPT_DAYS, range));
}
