/** Lets those who open a link wait for a file that is still on its way from a network. */
import type { ChangeFeed } from '../../platform/store/changes/feed.ts';
import { declareLimit } from '../../platform/values/limits.ts';

export interface Arrivals {
  /**
   * Waits until the file may have arrived, for `ms` at most. Returns false at once when too many wait already. `look` is called after each
   * change, and ends the wait by true.
   */
  wait(company: string, attachment: string, look: () => Promise<boolean>): Promise<boolean>;
}

// People wait no longer for a picture, and most files are there after one second.
const WAIT_MS = declareLimit(10_000, {
  topic: 'Files',
  what: 'Links that wait for a file: time',
  unit: 'ms',
  beyond: '503',
});
// Those who wait each hold a connection. A page with new pictures opens some tens of them at once.
const MOST_OF_COMPANY = declareLimit(32, {
  topic: 'Files',
  what: 'Links that wait for a file, per company and process',
  beyond: '503 immediately',
});
const MOST = declareLimit(256, {
  topic: 'Files',
  what: 'Links that wait for a file, per process',
  beyond: '503 immediately',
});

export function createArrivals(changes: ChangeFeed): Arrivals {
  const waiting = new Map<string, number>();
  let all = 0;

  function count(company: string, change: 1 | -1): void {
    const left = (waiting.get(company) ?? 0) + change;
    if (left > 0) waiting.set(company, left);
    else waiting.delete(company);
    all += change;
  }

  return {
    async wait(company, attachment, look) {
      if (all >= MOST || (waiting.get(company) ?? 0) >= MOST_OF_COMPANY) return false;
      count(company, 1);
      const deadline = performance.now() + WAIT_MS;
      const signals = followFile(changes, company, attachment);
      try {
        // The first look comes after the feed is followed, so that no change is missed between the two.
        while (!(await look())) if (!(await signals.next(deadline - performance.now()))) return false;
        return true;
      } finally {
        signals.end();
        count(company, -1);
      }
    },
  };
}

/** Follows what becomes of one file. */
function followFile(changes: ChangeFeed, company: string, attachment: string) {
  let changed = false;
  let ended = false;
  let wake = (): void => undefined;
  const signal = (): void => {
    changed = true;
    wake();
  };
  const end = changes.follow(company, {
    changed: (some) => {
      if (some.some(({ kind, ids }) => kind === 'ATTACHMENT' && (ids === null || ids.includes(attachment)))) signal();
    },
    missed: signal,
    ended: () => {
      ended = true;
      wake();
    },
  });
  return {
    end,
    /** Waits for the next change. Returns false when none came in time, or when the process stops. */
    async next(ms: number): Promise<boolean> {
      if (!changed && !ended) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, Math.max(0, ms));
        wake = resolve;
        await promise;
        clearTimeout(timer);
      }
      const had = changed;
      changed = false;
      return had && !ended;
    },
  };
}
