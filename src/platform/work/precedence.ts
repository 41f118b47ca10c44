/** Lets background work wait while many callers wait for their answers, because both share the CPU. */
import { setTimeout as sleep } from 'node:timers/promises';

/** So many callers at once keep the process busy; fewer leave it time for background work. */
const MANY_CALLERS = 16;
const LOOK_MS = 20;

export interface Precedence {
  /** Notes a caller who waits for an answer. The returned function notes that the answer is there. */
  enter(): () => void;
  /** Resolves once few callers wait, after `mostMs` in any case, and when `signal` is aborted. */
  waitForCalm(mostMs: number, signal: AbortSignal): Promise<void>;
}

export function createPrecedence(): Precedence {
  let callers = 0;
  const isBusy = (): boolean => callers >= MANY_CALLERS;
  return {
    enter: () => {
      callers += 1;
      return () => void (callers -= 1);
    },
    waitForCalm: async (mostMs, signal) => {
      const deadlineMs = performance.now() + mostMs;
      while (isBusy() && !signal.aborted && performance.now() < deadlineMs) await sleep(LOOK_MS);
    },
  };
}
