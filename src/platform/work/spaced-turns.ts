/**
 * Runs expensive work of each owner one piece after another, with a pause as long as the piece took, so that one owner keeps no more than
 * half a core busy, however much it asks for at once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createShares, type Shares } from './shares.ts';

// The longest pause: a piece of work that took longer was waiting for something else.
const MAX_PAUSE_MS = 2_000;

export interface Spacing {
  /** An owner whose turn does not come within this time gets UNAVAILABLE. */
  waitMs: number;
  /** A piece of work that took less than this time has no pause after it. */
  cheapMs: number;
}

export function createSpacedTurns({ waitMs, cheapMs }: Spacing): Shares {
  const turns = createShares(1, waitMs);
  return {
    within: <T>(owner: string, work: () => Promise<T>) =>
      new Promise<T>((resolve, reject) => {
        const runThenPause = async (): Promise<void> => {
          const beganMs = performance.now();
          // The caller gets the result before the pause.
          await work().then(resolve, reject);
          const tookMs = performance.now() - beganMs;
          if (tookMs > cheapMs) await sleep(Math.min(tookMs, MAX_PAUSE_MS), undefined, { ref: false });
        };
        turns.within(owner, runThenPause).catch(reject);
      }),
  };
}
