/** Lets those who open a link wait for a file that is still on its way from a network. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChangeFeed } from '../../platform/store/changes/feed.ts';
import type { TenantRead } from '../../platform/store/tenant.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import { findAttachment, type AttachmentRow } from './queries.ts';

export interface Arrivals {
  /**
   * Waits until a file of the company has arrived. Returns false when it did not come in time, and at once when too many wait already. `look`
   * is called after changes, and ends the wait by true.
   */
  wait(company: string, look: () => Promise<boolean>, waitMs?: number): Promise<boolean>;
}

// People wait no longer for a picture, and most files are there after one second.
const WAIT_MS = declareLimit(10_000, {
  topic: 'Files',
  what: 'Links that wait for a file: time',
  unit: 'ms',
  beyond: '503',
});
// A busy company changes all the time. Changes within this time share one look.
const GATHER_MS = 100;
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
    async wait(company, look, waitMs = WAIT_MS) {
      if (all >= MOST || (waiting.get(company) ?? 0) >= MOST_OF_COMPANY) return false;
      count(company, 1);
      const deadline = performance.now() + waitMs;
      const signals = followCompany(changes, company);
      try {
        // The first look comes after the feed is followed, so that no change is missed between the two.
        while (!(await look())) {
          if (!(await signals.next(deadline - performance.now()))) return false;
          await sleep(GATHER_MS);
        }
        return true;
      } finally {
        signals.end();
        count(company, -1);
      }
    },
  };
}

/** Finds an attachment. While its file is on its way, it is waited for; then the record is returned as it is. */
export async function findArrived(
  read: TenantRead,
  arrivals: Arrivals,
  { id, waitMs }: { id: string; waitMs?: number },
): Promise<AttachmentRow | null> {
  let row = await findAttachment(read, id);
  if (row?.state !== 'PENDING') return row;
  const look = async (): Promise<boolean> => {
    row = await findAttachment(read, id);
    return row?.state !== 'PENDING';
  };
  await arrivals.wait(read.companyId, look, waitMs);
  return row;
}

/** Follows the changes of one company. */
function followCompany(changes: ChangeFeed, company: string) {
  let changed = false;
  let ended = false;
  let wake = (): void => undefined;
  const signal = (): void => {
    changed = true;
    wake();
  };
  const end = changes.follow(company, {
    changed: signal,
    ended: () => {
      ended = true;
      wake();
    },
  });
  return {
    end,
    /** Waits for the next change. Returns false when none came in time, or when the process stops. */
    async next(ms: number): Promise<boolean> {
      if (ms <= 0) return false;
      if (!changed && !ended) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, ms);
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
