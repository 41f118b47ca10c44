import type { Kit } from '../../kit.ts';
import { purgeClients } from './client-queries.ts';
import { REFRESH_DAYS } from './grants.ts';
import { purgeApps } from './queries.ts';

/** Removes connections and clients that have ended. A client outlives its last connection, of which the use is noted once a day. */
export async function purgeExpiredApps({ database }: Pick<Kit, 'database'>): Promise<void> {
  const system = database.system('upkeep');
  await purgeApps(system);
  await purgeClients(system, REFRESH_DAYS + 2);
}
