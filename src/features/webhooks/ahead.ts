/**
 * Deliveries that this process has claimed before it has free slots for them, so that a slot that becomes free need not wait for a commit.
 * Each
 * delivery begins only after the database has noted it as begun. When the process dies, the deliveries that it has not begun return to the
 * queue.
 */
import type { Kit } from '../../kit.ts';
import { newId } from '../../platform/ids.ts';
import { beginHeld, giveBack, insertWorker } from './ahead-queries.ts';
import type { Claimed, Outcome } from './delivery-queries.ts';
import type { Flight } from './flight.ts';

// A statement costs as much as thirty deliveries. While fewer than half of the slots are free, two statements are at least this far apart.
const PAUSE_MS = 5;
// A delivery that was claimed ahead and found no free slot within this time returns to the queue: another worker may have a slot, and after
// 15 s the sweep treats the claim as abandoned.
const HELD_MS = 1_000;

export interface Ahead {
  /** The number of deliveries that are claimed and have not begun. */
  size(): number;
  /** The id under which this worker claims deliveries. */
  worker(): Promise<string>;
  hold(deliveries: Claimed[]): void;
  /** Begins held deliveries, as many as there are free slots. Never throws. */
  begin(): Promise<void>;
  /** Removes deliveries whose outcome is stored from the list of begun ones. */
  forget(outcomes: Outcome[]): void;
  /** Returns the deliveries that were held for too long to the queue. */
  giveBackStale(): void;
  giveBackAll(): void;
  /** Whether no delivery is held and no statement is under way. */
  isAtRest(): boolean;
}

interface Parts {
  kit: Kit;
  flight: Flight;
  /** The number of attempts that may begin now. */
  slots: () => number;
  start: (delivery: Claimed) => void;
  /** Called whenever isAtRest() may have become true. */
  rest: () => void;
}

interface Worker {
  id: string;
  turn: number;
  /** The seq of each delivery that was begun under this id and whose outcome is not stored yet. */
  begun: Set<string>;
}

interface State extends Parts {
  worker: Worker | null;
  held: { delivery: Claimed; sinceMs: number }[];
  /** The number of deliveries that are about to begin. */
  beginning: number;
  /** The number of statements under way that return deliveries to the queue. */
  returning: number;
  lastMs: number;
  pause: NodeJS.Timeout | null;
}

export function createAhead(parts: Parts): Ahead {
  const nothing = { worker: null, held: [], beginning: 0, returning: 0, pause: null };
  const state: State = { ...parts, ...nothing, lastMs: Number.NEGATIVE_INFINITY };
  return {
    size: () => state.held.length + state.beginning,
    worker: async () => (state.worker ??= await createWorker(state)).id,
    hold: (deliveries) => hold(state, deliveries),
    begin: () => begin(state),
    forget: (outcomes) => {
      for (const { seq } of outcomes) state.worker?.begun.delete(seq);
    },
    giveBackStale: () => {
      const limitMs = performance.now() - HELD_MS;
      const count = state.held.findLastIndex(({ sinceMs }) => sinceMs < limitMs) + 1;
      putBack(state, take(state, count));
    },
    giveBackAll: () => putBack(state, take(state, state.held.length)),
    isAtRest: () => state.held.length + state.beginning + state.returning === 0,
  };
}

const systemDatabase = ({ kit }: State) => kit.database.system('deliveries');

const take = ({ held }: State, count: number): Claimed[] => held.splice(0, count).map(({ delivery }) => delivery);

async function createWorker(state: State): Promise<Worker> {
  const id = newId();
  await insertWorker(systemDatabase(state), id);
  return { id, turn: 0, begun: new Set() };
}

function hold(state: State, deliveries: Claimed[]): void {
  const sinceMs = performance.now();
  const isMine = (delivery: Claimed): boolean => delivery.claimed_by === state.worker?.id;
  state.held.push(...deliveries.filter(isMine).map((delivery) => ({ delivery, sinceMs })));
  putBack(
    state,
    deliveries.filter((delivery) => !isMine(delivery)),
  );
}

async function begin(state: State): Promise<void> {
  if (state.beginning > 0) return;
  while (state.worker && isWorthwhile(state)) {
    const picked = pick(state);
    if (picked.length === 0) break;
    state.beginning = picked.length;
    state.lastMs = performance.now();
    try {
      await beginPicked(state, state.worker, picked);
    } catch (error) {
      // Failure policy: nobody knows whether the database has noted these deliveries as begun, so none of them begins, and the worker takes
      // a new id.
      state.kit.log.warn({ err: error }, 'deliveries: what was claimed ahead can not begin');
      state.worker = null;
      putBack(state, [...picked, ...take(state, state.held.length)]);
    }
    state.beginning = 0;
  }
  state.rest();
}

/** Whether enough slots are free to pay for a statement now. If not, a timer tries again after the pause. */
function isWorthwhile(state: State): boolean {
  const slots = Math.min(state.held.length, state.slots());
  const waitMs = state.lastMs + PAUSE_MS - performance.now();
  if (slots <= 0) return false;
  if (waitMs <= 0 || slots >= state.kit.config.DELIVERY_SLOTS / 2) return true;
  state.pause ??= setTimeout(() => {
    state.pause = null;
    void begin(state);
  }, waitMs);
  return false;
}

/** Picks the held deliveries that may begin now. Those of a company whose receiver has become slow return to the queue. */
function pick(state: State): Claimed[] {
  const picked: Claimed[] = [];
  const refused: Claimed[] = [];
  const besides = new Map<string, number>();
  const slots = state.slots();
  while (slots > picked.length && state.held.length > 0) {
    const [delivery] = take(state, 1) as [Claimed];
    const count = besides.get(delivery.company) ?? 0;
    const may = state.flight.mayBegin(delivery.company, count);
    if (may) besides.set(delivery.company, count + 1);
    (may ? picked : refused).push(delivery);
  }
  putBack(state, refused);
  return picked;
}

async function beginPicked(state: State, worker: Worker, picked: Claimed[]): Promise<void> {
  for (const { seq } of picked) worker.begun.add(seq);
  worker.turn += 1;
  const beginning = { worker: worker.id, turn: worker.turn, begun: [...worker.begun], held: picked };
  const valid = await beginHeld(systemDatabase(state), beginning);
  if (valid === null) throw new Error('this worker was closed');
  const may = new Set(valid);
  const refused = picked.filter(({ seq }) => !may.has(seq));
  for (const { seq } of refused) worker.begun.delete(seq);
  putBack(state, refused);
  for (const delivery of picked) if (may.has(delivery.seq)) state.start(delivery);
}

function putBack(state: State, deliveries: Claimed[]): void {
  for (const { company } of deliveries) state.flight.withdraw(company);
  for (const [worker, its] of Map.groupBy(deliveries, ({ claimed_by }) => claimed_by ?? '')) {
    void giveBackOnce(state, worker, its);
  }
}

/** Failure policy: the statement is not repeated (giveBack() says why); the sweep returns to the queue what is left. */
async function giveBackOnce(state: State, worker: string, deliveries: Claimed[]): Promise<void> {
  state.returning += 1;
  try {
    await giveBack(systemDatabase(state), worker, deliveries);
  } catch (error) {
    const count = deliveries.length;
    state.kit.log.warn({ err: error, deliveries: count }, 'deliveries: giving back failed; the sweep will do it');
  }
  state.returning -= 1;
  state.rest();
}
