/**
 * Shares limited slots fairly among owners, such as database connections among companies: an owner that uses many slots waits, and others
 * hardly do. Where callers come first, an owner's background work waits behind its callers.
 */
import { AppError } from '../values/errors.ts';
import { isInBackground } from './background.ts';

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
  /** Present where callers come first: how many slots background work leaves to the callers of its owner, and how long it waits for one. */
  callersFirst?: { left: number; backgroundWaitMs: number };
  /** Whether an error says that work took long for a cause that is not its owner's. Then no work that runs at the moment makes its owner slow. */
  excuses?: (error: unknown) => boolean;
}

interface Waiting {
  begin: () => void;
  isBackground: boolean;
}

interface SlotOwner {
  owner: string;
  running: number;
  /** How much of what is running is background work. */
  background: number;
  /** Callers, and then background work. */
  waiting: Waiting[];
}

interface SharesState extends Required<Omit<ShareLimits, 'callersFirst'>>, Pick<ShareLimits, 'callersFirst'> {
  /** Work that began before this time makes no owner slow. */
  excusedMs: number;
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
    excuses: () => false,
    excusedMs: Number.NEGATIVE_INFINITY,
    ...places,
    most,
    waitMs,
    taken: 0,
    holders: new Map(),
    slowUntil: new Map(),
  };
  return {
    within: async (owner, work) => {
      const holder = state.holders.get(owner) ?? { owner, running: 0, background: 0, waiting: [] };
      state.holders.set(owner, holder);
      const isBackground = state.callersFirst !== undefined && isInBackground();
      const [first] = holder.waiting;
      const isFirst = !first || (first.isBackground && !isBackground);
      if (isFirst && hasFreeSlot(state, holder, isBackground)) takeSlot(state, holder, isBackground);
      else await waitForSlot(state, holder, isBackground);
      const beganMs = performance.now();
      try {
        return await work();
      } catch (error) {
        if (state.excuses(error)) state.excusedMs = performance.now();
        throw error;
      } finally {
        if (isBackground) holder.background -= 1;
        freeSlot(state, holder, beganMs);
      }
    },
  };
}

function hasFreeSlot(state: SharesState, { owner, running, background }: SlotOwner, isBackground: boolean): boolean {
  const { most, taken, all, kept, slowUntil, callersFirst } = state;
  // An owner with a single slot leaves none, because its background work would never run.
  if (isBackground && background >= Math.max(1, most - (callersFirst?.left ?? 0))) return false;
  const mayHaveKept = running === 0 && (slowUntil.get(owner) ?? 0) <= performance.now();
  return running < most && taken < (mayHaveKept ? all : all - kept);
}

function takeSlot(state: SharesState, holder: SlotOwner, isBackground: boolean): void {
  state.taken += 1;
  holder.running += 1;
  if (isBackground) holder.background += 1;
  state.holders.delete(holder.owner);
  state.holders.set(holder.owner, holder);
}

/** Frees a slot and passes it directly to the next waiting owner, so that no new call can take it in between. */
function freeSlot(state: SharesState, holder: SlotOwner, beganMs: number): void {
  state.taken -= 1;
  holder.running -= 1;
  const isLong = performance.now() - beganMs > state.waitMs;
  if (isLong && beganMs > state.excusedMs) noteSlowOwner(state, holder.owner);
  const next = nextWaitingOwner(state);
  const turn = next?.waiting.shift();
  if (next && turn) {
    takeSlot(state, next, turn.isBackground);
    turn.begin();
  }
  forgetIdleOwner(state, holder);
}

function nextWaitingOwner(state: SharesState): SlotOwner | null {
  let next: SlotOwner | null = null;
  for (const holder of state.holders.values()) {
    const isBefore = next === null || holder.running < next.running;
    const [first] = holder.waiting;
    if (isBefore && first && hasFreeSlot(state, holder, first.isBackground)) next = holder;
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
async function waitForSlot(state: SharesState, holder: SlotOwner, isBackground: boolean): Promise<void> {
  const { waiting } = holder;
  if (waiting.length >= state.mostWaiting) throw makeTooMuchError();
  const waitMs = (isBackground && state.callersFirst?.backgroundWaitMs) || state.waitMs;
  return new Promise((resolve, reject) => {
    const begin = (): void => {
      clearTimeout(patience);
      resolve();
    };
    const turn: Waiting = { begin, isBackground };
    const patience = setTimeout(() => {
      waiting.splice(waiting.indexOf(turn), 1);
      forgetIdleOwner(state, holder);
      reject(makeTooMuchError());
    }, waitMs);
    const behind = isBackground ? -1 : waiting.findIndex((each) => each.isBackground);
    waiting.splice(behind < 0 ? waiting.length : behind, 0, turn);
  });
}
