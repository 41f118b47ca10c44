/** Deletes what no stream can need any more. */
import type { Kit } from '../../kit.ts';
import { purgeByPages } from '../../platform/store/retention.ts';
import { RESUMABLE_SECONDS } from './cursor.ts';
import { deleteOldChanges, deleteUnwatched } from './upkeep-queries.ts';

// A client that comes back in the last moment still needs the changes while it is answered.
const KEPT_SECONDS = RESUMABLE_SECONDS + 900;

/** Deletes noted changes from which no client can go on any more, and companies that have had no stream for hours. */
export async function purgeChanges({ database }: Pick<Kit, 'database'>): Promise<void> {
  const system = database.system('upkeep');
  await purgeByPages(system, 'record_changes', (range) => deleteOldChanges(system, KEPT_SECONDS, range));
  await purgeByPages(system, 'live_companies', (range) => deleteUnwatched(system, range));
}
