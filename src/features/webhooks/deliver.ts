/** The delivering loop: attempts each delivery once. A receiver that hangs occupies only the slots of its own company, for ten seconds each. */
import type { Kit } from '../../kit.ts';
import { startClaimLoop, type ClaimLoop } from '../../platform/claims/claim-loop.ts';
import type { AheadStatements, Capacity } from '../../platform/claims/queue.ts';
import { onQueued } from '../../platform/events.ts';
import type { SystemTx } from '../../platform/tenant.ts';
import { ATTEMPT_MS, attemptDelivery } from './attempt.ts';
import { claimDeliveries, IS_WAITING, recordOutcomes, type Claimed, type Outcome } from './delivery-queries.ts';
import { createHeaderCache, type OpenedHeaders } from './headers.ts';
import { sweep } from './upkeep.ts';
import { beginHeld, giveBack, insertWorker } from './worker-queries.ts';

export type Deliverer = Pick<ClaimLoop, 'dueWork' | 'stop'>;

export function startDeliveries(kit: Kit): Deliverer {
  const system = kit.database.system('deliveries');
  const openHeaders = createHeaderCache(kit.secrets);
  const loop = startClaimLoop<Claimed, Outcome>(
    {
      name: 'deliveries',
      waiting: IS_WAITING,
      slots: kit.config.DELIVERY_SLOTS,
      slotsPerCompany: kit.config.DELIVERY_SLOTS_PER_COMPANY,
      claim: (capacity) => claim(kit, capacity),
      act: (delivery) => attempt(kit, delivery, openHeaders),
      actMs: ATTEMPT_MS,
      record: (outcomes) => recordOutcomes(system, outcomes),
      sweep: () => sweep(kit),
      ahead: createAheadStatements(system),
    },
    kit,
  );
  const unsubscribe = onQueued(loop.wake);
  return {
    dueWork: loop.dueWork,
    stop: () => {
      unsubscribe();
      return loop.stop();
    },
  };
}

export const createAheadStatements = (system: SystemTx): AheadStatements<Claimed> => ({
  register: (worker) => insertWorker(system, worker),
  begin: (beginning) => beginHeld(system, beginning),
  giveBack: (worker, held) => giveBack(system, worker, held),
});

async function claim({ config, database, metrics }: Kit, capacity: Capacity): ReturnType<typeof claimDeliveries> {
  const system = database.system('deliveries');
  const { claimed, dismissed } = await claimDeliveries(system, capacity, config.WEBHOOK_MAX_AGE);
  if (dismissed > 0) metrics.deliveries.inc({ status: 'FAILED' }, dismissed);
  const [oldest] = claimed;
  if (oldest) metrics.queueAgeSeconds.set(oldest.age);
  return { claimed, dismissed };
}

async function attempt(kit: Kit, delivery: Claimed, open: (delivery: Claimed) => OpenedHeaders): Promise<Outcome> {
  kit.metrics.deliverySlots.inc();
  const outcome = await attemptDelivery(kit, delivery, open);
  kit.metrics.deliverySlots.dec();
  kit.metrics.deliveries.inc({ status: outcome.status });
  return outcome;
}
