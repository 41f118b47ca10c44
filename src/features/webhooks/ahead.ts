/**
 * Deliveries that this process has claimed ahead of its slots, so that a slot that comes free waits for no commit. Each begins only after
 * the database knows that it does: what was claimed and not begun when the process dies goes back into the queue.
 */
import type { Kit } from '../../kit.ts';
import { newId } from '../../platform/ids.ts';
import { beginHeld, giveBack, insertWorker } from './ahead-queries.ts';
import type { Claimed, Outcome } from './delivery-queries.ts';
import type { Flight } from './flight.ts';

// A statement costs as much as thirty deliveries: while fewer slots are free than half of all, one that follows another waits for so long.
const PAUSE_MS = 5;
// What waited longer for a slot goes back: others may have one, and the sweep takes it for left behind after 15 s.
const HELD_MS = 1_000;

export interface Ahead {
  /** What waits for its slot. */
  size(): number;
  /** The name under which to claim. */
  worker(): Promise<string>;
  hold(deliveries: Claimed[]): void;
  /** Begins what is held as far as slots are free. Never throws. */
  begin(): Promise<void>;
  /** What is written needs no word any more. */
  forget(outcomes: Outcome[]): void;
  /** Gives back what has waited for too long. */
  giveBackStale(): void;
  giveBackAll(): void;
  /** Nothing is held, and nothing is on its way to the database. */
  isAtRest(): boolean;
}

interface Parts {
  kit: Kit;
  flight: Flight;
  /** How many may begin now. */
  slots: () => number;
  start: (delivery: Claimed) => void;
  /** Called whenever it may have come to rest. */
  rest: () => void;
}

interface Worker {
  id: string;
  turn: number;
  /** The seq of what was begun under this name, and whose outcome is not written. */
  begun: Set<string>;
}

interface State extends Parts {
  worker: Worker | null;
  held: { delivery: Claimed; sinceMs: number }[];
  /** How many are about to begin. */
  beginning: number;
  /** Statements that give back, on their way. */
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

const systemOf = ({ kit }: State) => kit.database.system('deliveries');

const take = ({ held }: State, count: number): Claimed[] => held.splice(0, count).map(({ delivery }) => delivery);

async function createWorker(state: State): Promise<Worker> {
  const id = newId();
  await insertWorker(systemOf(state), id);
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
      // Failure policy: nobody knows whether the database heard of it, so none of it begins, and the name is not used again.
      state.kit.log.warn({ err: error }, 'deliveries: what was claimed ahead can not begin');
      state.worker = null;
      putBack(state, [...picked, ...take(state, state.held.length)]);
    }
    state.beginning = 0;
  }
  state.rest();
}

/** Whether it is worth a statement now; otherwise it is tried again in a moment. */
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

/** What may begin now; what belongs to a company that has become slow goes back. */
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
  const word = { worker: worker.id, turn: worker.turn, begun: [...worker.begun], held: picked };
  const valid = await beginHeld(systemOf(state), word);
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

/** Failure policy: it is not asked again, see giveBack(); the sweep gives back what is left. */
async function giveBackOnce(state: State, worker: string, deliveries: Claimed[]): Promise<void> {
  state.returning += 1;
  try {
    await giveBack(systemOf(state), worker, deliveries);
  } catch (error) {
    const count = deliveries.length;
    state.kit.log.warn({ err: error, deliveries: count }, 'deliveries: giving back failed; the sweep will do it');
  }
  state.returning -= 1;
  state.rest();
}
