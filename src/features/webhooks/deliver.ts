/**
 * The delivering loop: claims as many deliveries as it has free slots, a few per company, attempts each once, and records the outcome. When
 * it
 * is busy it claims more than it has slots for, so that the next commit runs during the attempts. A receiver that hangs occupies only the
 * slots
 * of its own company, for ten seconds each.
 */
import type { Kit } from '../../kit.ts';
import { onQueued } from '../../platform/events.ts';
import type { DueWork } from '../../platform/due-work.ts';
import { createAhead, type Ahead } from './ahead.ts';
import { ATTEMPT_MS, attemptDelivery } from './attempt.ts';
import { claimDeliveries, IS_WAITING, type Capacity, type Claimed } from './delivery-queries.ts';
import { createFlight, type Flight } from './flight.ts';
import { createHeaderCache } from './headers.ts';
import { createRecorder } from './recorder.ts';
import { sweep, SWEEP_MS } from './upkeep.ts';

// How often the loop looks for deliveries that are held for too long.
const STALE_LOOK_MS = 500;
// How long a stop waits for the last outcomes to be stored, beyond the longest attempt.
const OUTCOME_MS = 1_000;
// How much is claimed ahead, as a multiple of the attempts that ended during the last claim: with a smaller factor, slots stay empty when
// one claim takes longer than the one before. A statement costs as much as thirty rows, so a claim is made only when it can bring at least
// half of this.
const AHEAD_FACTOR = 3;
const AHEAD_PER_SLOT = 2;
// While the database is away, no new attempts begin once this many outcomes wait to be stored.
const MAX_UNRECORDED = 1_000;

export interface Deliverer {
  /** How this process notices deliveries that another process has queued. */
  dueWork: DueWork;
  /** Claims nothing more, waits for the attempts in progress and stores their outcomes. */
  stop(): Promise<void>;
}

type Room = Pick<Capacity, 'slots' | 'ahead' | 'worker'>;

interface Loop {
  kit: Kit;
  flight: Flight;
  ahead: Ahead;
  /** Slots that are kept free for the claim under way. */
  reserved: number;
  /** Attempts that have ended since the last claim was begun. */
  ended: number;
  /** Attempts that ended while the last claim was under way. */
  pace: number;
  /** The company that was served last; the next claim goes on after it. */
  after: string;
  stopping: boolean;
  claiming: boolean;
  /** Whether a look for work is scheduled in this turn of the event loop already. */
  soon: boolean;
  /** Whether another claim was requested while one was under way. */
  again: boolean;
  /** Rises whenever this process notices that something was queued. */
  queued: number;
  /** Whether the last claim took all that it could: another claim would find nothing until something is queued. */
  dry: boolean;
  recorder: ReturnType<typeof createRecorder>;
  headers: ReturnType<typeof createHeaderCache>;
  /** Lets a stop end once nothing is in progress; does nothing before a stop sets it. */
  rest: () => void;
}

export function startDeliveries(kit: Kit): Deliverer {
  const flight = createFlight(kit.config.DELIVERY_SLOTS_PER_COMPANY);
  const rest = (): void => loop.rest();
  const loop: Loop = {
    kit,
    flight,
    ahead: createAhead({
      kit,
      flight,
      slots: () => freeSlots(loop),
      start: (delivery) => void run(loop, delivery),
      rest,
    }),
    reserved: 0,
    ended: 0,
    pace: 0,
    after: '',
    stopping: false,
    claiming: false,
    soon: false,
    again: false,
    queued: 0,
    dry: false,
    recorder: createRecorder(kit, (outcomes) => loop.ahead.forget(outcomes), rest),
    headers: createHeaderCache(kit.secrets),
    rest: () => undefined,
  };
  const staleLook = setInterval(() => loop.ahead.giveBackStale(), STALE_LOOK_MS);
  const sweeper = setInterval(() => void sweep(kit), SWEEP_MS);
  const unsubscribe = onQueued(() => wake(loop));
  void sweep(kit);
  void pump(loop);
  return {
    dueWork: { due: IS_WAITING, begin: () => wake(loop) },
    stop: async () => {
      loop.stopping = true;
      unsubscribe();
      clearInterval(staleLook);
      clearInterval(sweeper);
      loop.ahead.giveBackAll();
      await new Promise<void>((resolve) => {
        loop.rest = () => void (isAtRest(loop) && resolve());
        loop.rest();
        // The database may be away: a delivery whose outcome is not stored in time becomes UNKNOWN at the next worker's sweep.
        setTimeout(resolve, ATTEMPT_MS + OUTCOME_MS).unref();
      });
    },
  };
}

const isAtRest = (loop: Loop): boolean =>
  loop.flight.busy() === 0 && !loop.claiming && loop.ahead.isAtRest() && loop.recorder.waiting() === 0;

const freeSlots = (loop: Loop): number => loop.kit.config.DELIVERY_SLOTS - loop.flight.busy() - loop.reserved;

/** Called when a delivery was queued: looks for work. */
function wake(loop: Loop): void {
  loop.queued += 1;
  loop.dry = false;
  void pump(loop);
}

/** Begins held deliveries, and claims until nothing waits or no slot is free. Never throws. */
async function pump(loop: Loop): Promise<void> {
  void loop.ahead.begin();
  loop.again = loop.claiming;
  if (loop.claiming || loop.stopping) return;
  loop.claiming = true;
  do {
    loop.again = false;
    try {
      while (await claimOnce(loop));
    } catch (error) {
      // Failure policy: this process knows of nothing that it claimed; the next poll tries again.
      loop.kit.log.warn({ err: error }, 'deliveries: claiming failed');
    }
  } while (loop.again);
  loop.claiming = false;
  loop.rest();
}

/** Makes one claim. Returns false when nothing is left to claim now. */
async function claimOnce(loop: Loop): Promise<boolean> {
  const { kit, ahead } = loop;
  // A claim is a write: on a full disk the deliveries stay in the queue.
  if (loop.stopping || loop.dry || loop.recorder.waiting() >= MAX_UNRECORDED || !kit.storage.hasRoom) return false;
  const worker = wantedAhead(loop) > 0 ? await ahead.worker() : null;
  // The deliveries that are held already get the free slots first.
  const left = freeSlots(loop) - ahead.size();
  const wanted = worker === null ? 0 : wantedAhead(loop);
  const capacity: Room = { slots: Math.max(0, left), ahead: Math.max(0, wanted + Math.min(0, left)), worker };
  if (capacity.slots === 0 && 2 * capacity.ahead <= wanted) return false;
  const { queued } = loop;
  loop.reserved = capacity.slots;
  loop.ended = 0;
  try {
    const { count, isAll } = await claim(loop, capacity);
    loop.dry = isAll && queued === loop.queued;
    return count > 0;
  } finally {
    loop.pace = loop.ended;
    loop.reserved = 0;
    void ahead.begin();
  }
}

/** How many deliveries to claim ahead: none while at least half of the slots are free, for then each attempt begins with its claim. */
function wantedAhead({ kit, flight, ahead, pace }: Loop): number {
  const { DELIVERY_SLOTS } = kit.config;
  if (flight.busy() + ahead.size() < DELIVERY_SLOTS / 2) return 0;
  return Math.min(AHEAD_FACTOR * pace, AHEAD_PER_SLOT * DELIVERY_SLOTS);
}

/** Begins the deliveries that have a slot and holds the rest. Returns how many left the queue, and whether it is empty now. */
async function claim(loop: Loop, capacity: Room): Promise<{ count: number; isAll: boolean }> {
  const { kit, flight, ahead, after } = loop;
  const shares = { first: flight.first, free: flight.free(), after, maxAgeMs: kit.config.WEBHOOK_MAX_AGE };
  const { claimed, dismissed } = await kit.storage.write(() =>
    claimDeliveries(kit.database.system('deliveries'), { ...capacity, ...shares }),
  );
  if (dismissed > 0) kit.metrics.deliveries.inc({ status: 'FAILED' }, dismissed);
  for (const { company } of claimed) flight.claim(company);
  for (const delivery of claimed) if (delivery.claimed_by === null) void run(loop, delivery);
  ahead.hold(claimed.filter((delivery) => delivery.claimed_by !== null));
  if (loop.stopping) ahead.giveBackAll();
  loop.after = lastInTurn(claimed, after);
  const [oldest] = claimed;
  if (oldest) kit.metrics.queueAgeSeconds.set(oldest.age);
  kit.metrics.deliverySlots.set(flight.busy());
  const count = claimed.length + dismissed;
  const isAll = dismissed === 0 && count < capacity.slots + capacity.ahead && !isShareSpent(claimed, shares);
  return { count, isAll };
}

/** Whether some company got all the slots that it may have, so that more of its deliveries may wait. */
function isShareSpent(claimed: Claimed[], { first, free }: Pick<Capacity, 'first' | 'free'>): boolean {
  const left = new Map(free);
  for (const { company } of claimed) left.set(company, (left.get(company) ?? first) - 1);
  return left.values().some((count) => count <= 0);
}

/** Never throws: every failure of the attempt becomes an outcome, so its slot always becomes free. */
async function run(loop: Loop, delivery: Claimed): Promise<void> {
  const freeSlot = loop.flight.begin(delivery.company);
  const outcome = await attemptDelivery(loop.kit, delivery, loop.headers);
  freeSlot();
  loop.ended += 1;
  loop.kit.metrics.deliveries.inc({ status: outcome.status });
  loop.recorder.add(outcome);
  pumpSoon(loop);
}

/** Schedules one look for work for all attempts that end in the same turn of the event loop. */
function pumpSoon(loop: Loop): void {
  if (loop.soon) return;
  loop.soon = true;
  setImmediate(() => {
    loop.soon = false;
    loop.kit.metrics.deliverySlots.set(loop.flight.busy());
    void pump(loop);
  });
}

/** Returns the company at which the round stands after this claim. The round goes by company id and starts anew after the highest one. */
function lastInTurn(claimed: Claimed[], after: string): string {
  const companies = claimed.map((delivery) => delivery.company).toSorted();
  return companies.findLast((company) => company <= after) ?? companies.at(-1) ?? '';
}
