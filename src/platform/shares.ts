/** A fair share of something scarce: an owner who holds much of it waits for itself, and hardly for anybody else. */
import { AppError } from './errors.ts';

export interface Shares {
  /** Runs `work` once a place is free for its owner. Throws UNAVAILABLE when that takes too long. */
  within<T>(owner: string, work: () => Promise<T>): Promise<T>;
}

export interface Places {
  /** How many pieces of work run at the same time, whoever owns them. */
  all: number;
  /** How many of these are kept for owners that hold none, and that have held none for long just before. */
  kept: number;
}

interface Holder {
  owner: string;
  running: number;
  waiting: (() => void)[];
}

interface State extends Places {
  most: number;
  waitMs: number;
  taken: number;
  /** Whoever takes a place moves to the end: of equal holders the first has waited for its turn the longest. */
  holders: Map<string, Holder>;
  /** Owners that held a place for long, and until when they get no kept one. */
  slowUntil: Map<string, number>;
}

// An owner that held a place for longer than others would wait gets no kept place for so many times that wait: otherwise
// many slow owners together would hold the kept places, too, one place each.
const SLOW_WAITS = 10;

/**
 * Each owner has at most `most` places, and waits for one at most `waitMs`. A place that comes free goes to the waiting owner
 * that holds the fewest, in turn among equals; the work of one owner begins in its order.
 */
export function createShares(
  most: number,
  waitMs: number,
  places: Places = { all: Number.POSITIVE_INFINITY, kept: 0 },
): Shares {
  const state: State = { ...places, most, waitMs, taken: 0, holders: new Map(), slowUntil: new Map() };
  return {
    within: async (owner, work) => {
      const holder = state.holders.get(owner) ?? { owner, running: 0, waiting: [] };
      state.holders.set(owner, holder);
      if (holder.waiting.length === 0 && hasPlace(state, holder)) take(state, holder);
      else await waitForPlace(state, holder);
      const beganMs = performance.now();
      try {
        return await work();
      } finally {
        giveBack(state, holder, performance.now() - beganMs);
      }
    },
  };
}

function hasPlace({ most, taken, all, kept, slowUntil }: State, { owner, running }: Holder): boolean {
  const mayHaveKept = running === 0 && (slowUntil.get(owner) ?? 0) <= performance.now();
  return running < most && taken < (mayHaveKept ? all : all - kept);
}

function take(state: State, holder: Holder): void {
  state.taken += 1;
  holder.running += 1;
  state.holders.delete(holder.owner);
  state.holders.set(holder.owner, holder);
}

/** The place is handed on at once: nobody slips in between. */
function giveBack(state: State, holder: Holder, heldMs: number): void {
  state.taken -= 1;
  holder.running -= 1;
  if (heldMs > state.waitMs) noteSlow(state, holder.owner);
  const next = nextHolder(state);
  if (next) {
    take(state, next);
    next.waiting.shift()?.();
  }
  forgetIdle(state, holder);
}

function nextHolder(state: State): Holder | null {
  let next: Holder | null = null;
  for (const holder of state.holders.values()) {
    const isBefore = next === null || holder.running < next.running;
    if (isBefore && holder.waiting.length > 0 && hasPlace(state, holder)) next = holder;
  }
  return next;
}

/** Notes stay few: each stands for a place that was held for `waitMs`, and lasts ten times as long. */
function noteSlow({ slowUntil, waitMs }: State, owner: string): void {
  const nowMs = performance.now();
  for (const [known, untilMs] of slowUntil) if (untilMs <= nowMs) slowUntil.delete(known);
  slowUntil.set(owner, nowMs + SLOW_WAITS * waitMs);
}

function forgetIdle({ holders }: State, { owner, running, waiting }: Holder): void {
  if (running + waiting.length === 0) holders.delete(owner);
}

/** Resolves when a place has been taken for whoever waits. */
function waitForPlace(state: State, holder: Holder): Promise<void> {
  const { waiting } = holder;
  return new Promise((resolve, reject) => {
    const begin = (): void => {
      clearTimeout(patience);
      resolve();
    };
    const patience = setTimeout(() => {
      waiting.splice(waiting.indexOf(begin), 1);
      forgetIdle(state, holder);
      reject(new AppError('UNAVAILABLE', 'Too much at once for one company', [], { 'retry-after': '1' }));
    }, state.waitMs);
    waiting.push(begin);
  });
}
