/** Settles deliveries that were interrupted, and deletes deliveries that are older than the retention time. */
import type { Kit } from '../../kit.ts';
import { workInPortions } from '../../platform/store/portions.ts';
import { renewPartitions, type PartitionedTable } from '../../platform/store/partitions.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import { purgeRuns } from '../../platform/work/runs/runs.ts';
import { ATTEMPT_MS } from './attempt.ts';
import { deleteOldDeliveries, findFirstKeptDelivery, sweepInterrupted } from './delivery-queries.ts';
import { REPLAYS } from './replays/replays.ts';
import { declareSettingLimit } from '../../platform/values/limits.ts';

declareSettingLimit('DELIVERY_RETENTION_DAYS', {
  topic: 'Webhooks',
  what: 'Delivery log: age',
  unit: 'days',
  beyond: 'deleted',
});

const LOG: PartitionedTable = { name: 'deliveries', days: 1 };

// An attempt lasts at most 10 s; 5 s more are left for storing its outcome.
const LEASE_SECONDS = ATTEMPT_MS / 1000 + 5;

/** Returns a function that settles the deliveries of workers that died. It never throws. */
export function createSweep(kit: Kit): () => Promise<void> {
  return async () => {
    try {
      // Interrupted deliveries may be settled from the reserve of a full disk: there are never more of them than slots.
      const sweep = (tx: SystemTx): Promise<number> => sweepInterrupted(tx, LEASE_SECONDS);
      const unknown = await kit.database.systemTx('deliveries', sweep, { fromReserve: true });
      if (unknown === 0) return;
      kit.metrics.deliveries.inc({ status: 'UNKNOWN' }, unknown);
      kit.log.warn({ deliveries: unknown }, 'deliveries: interrupted attempts are UNKNOWN and will not be repeated');
    } catch (error) {
      // Failure policy: the next sweep settles the same deliveries.
      kit.log.warn({ err: error }, 'deliveries: the sweep failed');
    }
  };
}

export async function purgeDeliveries(kit: Kit): Promise<void> {
  const system = kit.database.system('upkeep');
  const days = kit.config.DELIVERY_RETENTION_DAYS;
  await renewPartitions(system, LOG, days, {
    before: await findFirstKeptDelivery(system, days),
    purge: (suffix, range) => workInPortions(() => deleteOldDeliveries(system, days, suffix, range)),
  });
  await purgeRuns(kit.database, REPLAYS, days);
}
