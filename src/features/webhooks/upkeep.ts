/** The delivery log tells the truth about what was interrupted, and keeps what it promises, no longer. */
import type { Kit } from '../../kit.ts';
import { purgeByPages } from '../../platform/retention.ts';
import type { SystemTx } from '../../platform/tenant.ts';
import { ATTEMPT_MS } from './attempt.ts';
import { allowBitmaps, deleteOldDeliveries, sweepInterrupted } from './delivery-queries.ts';

// An attempt lasts 10 s at most; 5 s more for its outcome to be written.
const LEASE_SECONDS = ATTEMPT_MS / 1000 + 5;
export const SWEEP_MS = 5_000;

/** Marks what a dead worker left behind. Never throws. */
export async function sweep(kit: Kit): Promise<void> {
  try {
    const interrupted = async (tx: SystemTx): Promise<number> => {
      await allowBitmaps(tx);
      return sweepInterrupted(tx, LEASE_SECONDS);
    };
    // From the reserve of a disk: there are no more of them than slots.
    const swept = await kit.database.systemTx('deliveries', interrupted, { fromReserve: true });
    if (swept === 0) return;
    kit.metrics.deliveries.inc({ status: 'UNKNOWN' }, swept);
    kit.log.warn({ deliveries: swept }, 'deliveries: interrupted attempts are UNKNOWN and will not be repeated');
  } catch (error) {
    // Failure policy: the mark did not move, so the next sweep looks at the same time again.
    kit.log.warn({ err: error }, 'deliveries: the sweep failed');
  }
}

export async function purgeDeliveries(kit: Kit): Promise<void> {
  const system = kit.database.system('upkeep');
  const days = kit.config.DELIVERY_RETENTION_DAYS;
  await purgeByPages(system, 'deliveries', async (stretch) => {
    while ((await deleteOldDeliveries(system, days, stretch)) > 0);
  });
}
