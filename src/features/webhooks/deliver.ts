/**
 * The delivering loop: claims as many deliveries as it has free slots, a few per company, attempts each once, and records
 * what became of them. A receiver that hangs costs its own company its own slots, for ten seconds each.
 */
import type { Kit } from '../../kit.ts';
import { onQueued } from '../../platform/events.ts';
import { ATTEMPT_MS, attemptDelivery } from './attempt.ts';
import { claimDeliveries, isQueueEmpty, type Claimed } from './delivery-queries.ts';
import { createFlight, type Flight } from './flight.ts';
import { createHeaderCache } from './headers.ts';
import { createRecorder } from './recorder.ts';
import { sweep, SWEEP_MS } from './upkeep.ts';

// Another process may have queued something: nobody waits longer than this for a loop that sleeps.
const POLL_MS = 200;
// An outcome is written in a moment, or not at all for now.
const OUTCOME_MS = 1_000;
// Outcomes that could not be written yet (the database is away): no new attempts beyond this many.
const MAX_UNRECORDED = 1_000;

export interface Deliverer {
  /** Claims nothing more, waits for what is in flight and records it. */
  stop(): Promise<void>;
}

interface Loop {
  kit: Kit;
  flight: Flight;
  /** The company that was served last. */
  after: string;
  stopping: boolean;
  claiming: boolean;
  /** Somebody queued while the last claim was looking elsewhere. */
  again: boolean;
  recorder: ReturnType<typeof createRecorder>;
  headers: ReturnType<typeof createHeaderCache>;
  /** Set while a stop waits for the last outcome. */
  rest: () => void;
}

export function startDeliveries(kit: Kit): Deliverer {
  const loop: Loop = {
    kit,
    flight: createFlight(kit.config.DELIVERY_SLOTS_PER_COMPANY),
    after: '',
    stopping: false,
    claiming: false,
    again: false,
    recorder: createRecorder(kit, () => loop.rest()),
    headers: createHeaderCache(kit.secrets),
    rest: () => undefined,
  };
  const poll = setInterval(() => void look(loop), POLL_MS);
  const sweeper = setInterval(() => void sweep(kit), SWEEP_MS);
  const silence = onQueued(() => void pump(loop));
  void sweep(kit);
  void pump(loop);
  return {
    stop: async () => {
      loop.stopping = true;
      silence();
      clearInterval(poll);
      clearInterval(sweeper);
      await new Promise<void>((resolve) => {
        loop.rest = () => void (isAtRest(loop) && resolve());
        loop.rest();
        // The database is away: what is not written is UNKNOWN to the sweep of whoever comes after.
        setTimeout(resolve, ATTEMPT_MS + OUTCOME_MS).unref();
      });
    },
  };
}

const isAtRest = (loop: Loop): boolean => loop.flight.busy() === 0 && !loop.claiming && loop.recorder.waiting() === 0;

/** Claims when somebody else has queued something. Never throws. */
async function look(loop: Loop): Promise<void> {
  if (loop.claiming || loop.stopping) return;
  try {
    if (await isQueueEmpty(loop.kit.database.system('deliveries'))) return;
  } catch {
    // Failure policy: the next look comes in a moment; a database that is away is told where something is claimed.
  }
  await pump(loop);
}

/** Claims until nothing is waiting or no slot is free. Never throws. */
async function pump(loop: Loop): Promise<void> {
  loop.again = loop.claiming;
  if (loop.claiming || loop.stopping) return;
  loop.claiming = true;
  do {
    loop.again = false;
    try {
      while (await claimOnce(loop));
    } catch (error) {
      // Failure policy: nothing was claimed that this process knows of; the next poll tries again.
      loop.kit.log.warn({ err: error }, 'deliveries: claiming failed');
    }
  } while (loop.again);
  loop.claiming = false;
  loop.rest();
}

/** False when there is nothing to do now. */
async function claimOnce(loop: Loop): Promise<boolean> {
  const { DELIVERY_SLOTS, WEBHOOK_MAX_AGE } = loop.kit.config;
  const slots = DELIVERY_SLOTS - loop.flight.busy();
  if (loop.stopping || slots <= 0 || loop.recorder.waiting() >= MAX_UNRECORDED) return false;
  const { storage, database } = loop.kit;
  // A claim is a write: while there is no room for it the queue waits.
  if (!storage.hasRoom) return false;
  const capacity = {
    slots,
    first: loop.flight.first,
    free: loop.flight.free(),
    after: loop.after,
    maxAgeMs: WEBHOOK_MAX_AGE,
  };
  const { claimed, dismissed } = await storage.write(() => claimDeliveries(database.system('deliveries'), capacity));
  if (dismissed > 0) loop.kit.metrics.deliveries.inc({ status: 'FAILED' }, dismissed);
  for (const delivery of claimed) void run(loop, delivery);
  loop.after = lastInTurn(claimed, loop.after);
  return claimed.length + dismissed > 0;
}

/** Never throws: the attempt turns every failure into an outcome, so a slot always comes free. */
async function run(loop: Loop, delivery: Claimed): Promise<void> {
  const land = loop.flight.begin(delivery.company);
  loop.kit.metrics.deliverySlots.set(loop.flight.busy());
  loop.kit.metrics.queueAgeSeconds.set(delivery.age);
  const outcome = await attemptDelivery(loop.kit, delivery, loop.headers);
  land();
  loop.kit.metrics.deliverySlots.set(loop.flight.busy());
  loop.kit.metrics.deliveries.inc({ status: outcome.status });
  loop.recorder.add(outcome);
  setImmediate(() => void pump(loop));
}

/** The round goes by company id and begins anew after the last one. */
function lastInTurn(claimed: Claimed[], after: string): string {
  const companies = claimed.map((delivery) => delivery.company).toSorted();
  return companies.findLast((company) => company <= after) ?? companies.at(-1) ?? '';
}
