/**
 * Shares limited slots fairly among owners, such as database connections among companies: an owner that uses many slots waits, and others
 * hardly do.
 */
import { AppError } from '../values/errors.ts';

export interface Shares {
  /** Runs `work` as soon as a slot is free for its owner. Throws UNAVAILABLE when that takes too long. */
  within<T>(owner: string, work: () => Promise<T>): Promise<T>;
}

export interface ShareLimits {
  /** How many pieces of work run at the same time for all owners together. */
  all: number;
  /** How many of these slots are reserved for owners that use none now and have not used one for long shortly before. */
  kept: number;
  /** How many pieces of work of one owner may wait; further ones are refused at once. Without it only `waitMs` limits them. */
  mostWaiting?: number;
}

interface SlotOwner {
  owner: string;
  running: number;
  waiting: (() => void)[];
}

interface SharesState extends Required<ShareLimits> {
  most: number;
  waitMs: number;
  taken: number;
  /** An owner that takes a slot moves to the end, so that among equal owners the first has waited longest for its turn. */
  holders: Map<string, SlotOwner>;
  /** Owners that used a slot for long, each with the time until which it gets no reserved slot. */
  slowUntil: Map<string, number>;
}

// An owner that used a slot for longer than `waitMs` gets no reserved slot for this many times `waitMs`. Otherwise many slow owners with
// one slot each could use up all reserved slots.
const SLOW_WAITS = 10;

/**
 * Each owner uses at most `most` slots and waits for one at most `waitMs`. A free slot goes to the waiting owner with the fewest slots, in
 * turn among equals. Work of the same owner begins in the order of its calls.
 */
export function createShares(
  most: number,
  waitMs: number,
  places: ShareLimits = { all: Number.POSITIVE_INFINITY, kept: 0 },
): Shares {
  const state: SharesState = {
    mostWaiting: Number.POSITIVE_INFINITY,
    ...places,
    most,
    waitMs,
    taken: 0,
    holders: new Map(),
    slowUntil: new Map(),
  };
  return {
    within: async (owner, work) => {
      const holder = state.holders.get(owner) ?? { owner, running: 0, waiting: [] };
      state.holders.set(owner, holder);
      if (holder.waiting.length === 0 && hasFreeSlot(state, holder)) takeSlot(state, holder);
      else await waitForSlot(state, holder);
      const beganMs = performance.now();
      try {
        return await work();
      } finally {
        freeSlot(state, holder, performance.now() - beganMs);
      }
    },
  };
}

function hasFreeSlot({ most, taken, all, kept, slowUntil }: SharesState, { owner, running }: SlotOwner): boolean {
  const mayHaveKept = running === 0 && (slowUntil.get(owner) ?? 0) <= performance.now();
  return running < most && taken < (mayHaveKept ? all : all - kept);
}

function takeSlot(state: SharesState, holder: SlotOwner): void {
  state.taken += 1;
  holder.running += 1;
  state.holders.delete(holder.owner);
  state.holders.set(holder.owner, holder);
}

/** Frees a slot and passes it directly to the next waiting owner, so that no new call can take it in between. */
function freeSlot(state: SharesState, holder: SlotOwner, heldMs: number): void {
  state.taken -= 1;
  holder.running -= 1;
  if (heldMs > state.waitMs) noteSlowOwner(state, holder.owner);
  const next = nextWaitingOwner(state);
  if (next) {
    takeSlot(state, next);
    next.waiting.shift()?.();
  }
  forgetIdleOwner(state, holder);
}

function nextWaitingOwner(state: SharesState): SlotOwner | null {
  let next: SlotOwner | null = null;
  for (const holder of state.holders.values()) {
    const isBefore = next === null || holder.running < next.running;
    if (isBefore && holder.waiting.length > 0 && hasFreeSlot(state, holder)) next = holder;
  }
  return next;
}

/**
 * Remembers a slow owner and forgets expired entries. The map stays small, because each entry requires a slot that was used for `waitMs`.
 */
function noteSlowOwner({ slowUntil, waitMs }: SharesState, owner: string): void {
  const nowMs = performance.now();
  for (const [known, untilMs] of slowUntil) if (untilMs <= nowMs) slowUntil.delete(known);
  slowUntil.set(owner, nowMs + SLOW_WAITS * waitMs);
}

function forgetIdleOwner({ holders }: SharesState, { owner, running, waiting }: SlotOwner): void {
  if (running + waiting.length === 0) holders.delete(owner);
}

const makeTooMuchError = (): AppError => new AppError('UNAVAILABLE', 'Too much at once', [], { 'retry-after': '1' });

/** Resolves when freeSlot() has taken a slot for this owner. Rejects after `waitMs`, and at once when too many wait already. */
async function waitForSlot(state: SharesState, holder: SlotOwner): Promise<void> {
  const { waiting } = holder;
  if (waiting.length >= state.mostWaiting) throw makeTooMuchError();
  return new Promise((resolve, reject) => {
    const begin = (): void => {
      clearTimeout(patience);
      resolve();
    };
    const patience = setTimeout(() => {
      waiting.splice(waiting.indexOf(begin), 1);
      forgetIdleOwner(state, holder);
      reject(makeTooMuchError());
    }, state.waitMs);
    waiting.push(begin);
  });
}
