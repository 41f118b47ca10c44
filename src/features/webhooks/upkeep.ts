/** The delivery log keeps what it promises, and no longer. */
import type { Kit } from '../../kit.ts';
import { deleteOldDeliveries } from './delivery-queries.ts';

export async function purgeDeliveries(kit: Kit): Promise<void> {
  while ((await deleteOldDeliveries(kit.database.system, kit.config.DELIVERY_RETENTION_DAYS)) > 0);
}
