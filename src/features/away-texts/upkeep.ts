/** Deletes the notes of away texts whose time is over. Their messages stay in the conversations. */
import type { Kit } from '../../kit.ts';
import { purgeByPages } from '../../platform/store/retention.ts';
import { deleteOver } from './upkeep-queries.ts';

export async function purgeAwayTexts(kit: Pick<Kit, 'database'>): Promise<void> {
  const system = kit.database.system('upkeep');
  await purgeByPages(system, 'away_texts', (range) => deleteOver(system, range));
}
