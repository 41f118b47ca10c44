/** A fair share of something scarce: whoever holds much of it waits for themselves, and for nobody else. */
import { AppError } from './errors.ts';

export interface Shares {
  /** Runs `work` once its owner holds less than a share; in order. Throws UNAVAILABLE when that takes too long. */
  within<T>(owner: string, work: () => Promise<T>): Promise<T>;
}

interface Holder {
  running: number;
  waiting: (() => void)[];
}

export function createShares(most: number, waitMs: number): Shares {
  const holders = new Map<string, Holder>();
  return {
    within: async (owner, work) => {
      const holder = holders.get(owner) ?? { running: 0, waiting: [] };
      holders.set(owner, holder);
      if (holder.running < most) holder.running += 1;
      else await turnOf(holder, waitMs);
      try {
        return await work();
      } finally {
        // The place is handed on: nobody slips in between.
        const next = holder.waiting.shift();
        if (next) next();
        else if ((holder.running -= 1) === 0) holders.delete(owner);
      }
    },
  };
}

function turnOf({ waiting }: Holder, waitMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const begin = (): void => {
      clearTimeout(patience);
      resolve();
    };
    const patience = setTimeout(() => {
      waiting.splice(waiting.indexOf(begin), 1);
      reject(new AppError('UNAVAILABLE', 'Too much at once for one company', [], { 'retry-after': '1' }));
    }, waitMs);
    waiting.push(begin);
  });
}
