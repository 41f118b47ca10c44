/** The delivering loop: attempts each delivery once. A receiver that hangs occupies only the slots of its own company, for ten seconds each. */
import type { Kit } from '../../kit.ts';
import { startClaimLoop, type ClaimLoop } from '../../platform/work/claims/claim-loop.ts';
import type { ClaimCapacity } from '../../platform/work/claims/queue.ts';
import { DELIVERIES } from '../../platform/store/events.ts';
import { ATTEMPT_MS, attemptDelivery, type AttemptTools } from './attempt.ts';
import {
  claimDeliveries,
  IS_WAITING,
  recordOutcomes,
  type ClaimedDelivery,
  type DeliveryOutcome,
} from './delivery-queries.ts';
import { createDoorRequests } from './doors/format.ts';
import { createHeaderCache } from './headers.ts';
import { createSweep } from './upkeep.ts';
import { declareSettingLimit } from '../../platform/values/limits.ts';

declareSettingLimit('WEBHOOK_MAX_AGE', {
  topic: 'Webhooks',
  what: 'Event: age before its delivery',
  unit: 'ms',
  beyond: 'FAILED with EXPIRED',
});
declareSettingLimit('DELIVERY_SLOTS', {
  topic: 'Webhooks',
  what: 'Deliveries in flight per worker',
  beyond: 'the next one waits',
});
declareSettingLimit('DELIVERY_SLOTS_PER_COMPANY', {
  topic: 'Webhooks',
  what: 'Deliveries in flight per company and worker',
  beyond: 'the next one waits',
});

export function startDeliveries(kit: Kit): ClaimLoop {
  const system = kit.database.system('deliveries');
  const tools = { openHeaders: createHeaderCache(kit.secrets), buildDoorRequest: createDoorRequests(kit) };
  return startClaimLoop<ClaimedDelivery, DeliveryOutcome>(
    {
      name: DELIVERIES,
      waiting: IS_WAITING,
      slots: kit.config.DELIVERY_SLOTS,
      slotsPerCompany: kit.config.DELIVERY_SLOTS_PER_COMPANY,
      claim: (capacity) => claimCounted(kit, capacity),
      act: (delivery) => attemptAndCount(kit, delivery, tools),
      actMs: ATTEMPT_MS,
      record: (outcomes) => recordOutcomes(system, outcomes),
      sweep: createSweep(kit),
    },
    kit,
  );
}

async function claimCounted(
  { config, database, metrics }: Kit,
  capacity: ClaimCapacity,
): ReturnType<typeof claimDeliveries> {
  const system = database.system('deliveries');
  const { claimed, dismissed } = await claimDeliveries(system, capacity, config.WEBHOOK_MAX_AGE);
  if (dismissed > 0) metrics.deliveries.inc({ status: 'FAILED' }, dismissed);
  const [oldest] = claimed;
  if (oldest) metrics.queueAgeSeconds.set(oldest.age);
  return { claimed, dismissed };
}

async function attemptAndCount(kit: Kit, delivery: ClaimedDelivery, tools: AttemptTools): Promise<DeliveryOutcome> {
  kit.metrics.deliverySlots.inc();
  const outcome = await attemptDelivery(kit, delivery, tools);
  kit.metrics.deliverySlots.dec();
  kit.metrics.deliveries.inc({ status: outcome.status });
  return outcome;
}
