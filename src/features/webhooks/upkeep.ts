/** The delivery log tells the truth about what was interrupted, and keeps what it promises, no longer. */
import type { Kit } from '../../kit.ts';
import { ATTEMPT_MS } from './attempt.ts';
import { countDeliveryPages, deleteOldDeliveries, sweepInterrupted } from './delivery-queries.ts';

// An attempt lasts 10 s at most; 5 s more for its outcome to be written.
const LEASE_SECONDS = ATTEMPT_MS / 1000 + 5;
export const SWEEP_MS = 5_000;

/** Marks what a dead worker left behind. Never throws. */
export async function sweep(kit: Kit): Promise<void> {
  try {
    const swept = await sweepInterrupted(kit.database.system, LEASE_SECONDS);
    if (swept === 0) return;
    kit.metrics.deliveries.inc({ status: 'UNKNOWN' }, swept);
    kit.log.warn({ deliveries: swept }, 'deliveries: interrupted attempts are UNKNOWN and will not be repeated');
  } catch (error) {
    // Failure policy: the mark did not move, so the next sweep looks at the same time again.
    kit.log.warn({ err: error }, 'deliveries: the sweep failed');
  }
}

// Some 8 MB at a time: a transaction of milliseconds.
const PAGES = 1_000;

export async function purgeDeliveries(kit: Kit): Promise<void> {
  const { system } = kit.database;
  const pages = await countDeliveryPages(system);
  for (let from = 0; from < pages; from += PAGES) {
    await deleteOldDeliveries(system, kit.config.DELIVERY_RETENTION_DAYS, { from, to: from + PAGES });
  }
}
