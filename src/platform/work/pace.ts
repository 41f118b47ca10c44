/** Limits an amount per second for each owner separately, such as bytes of one address. */

export interface Pace {
  /** Adds an amount to an owner's account. Returns by how many milliseconds the owner is ahead of its rate, or 0. */
  count(owner: string, amount: number): number;
}

// Each call checks this many of the oldest owners and removes the idle ones. It checks two for each one that it adds, so the map does not
// grow without end.
const CHECKS_PER_CALL = 2;

export function createPace(perSecond: number): Pace {
  /** The time at which each owner is within its rate again. The most recent owner is the last entry. */
  const keptAtMs = new Map<string, number>();
  return {
    count: (owner, amount) => {
      const nowMs = performance.now();
      const atMs = Math.max(nowMs, keptAtMs.get(owner) ?? 0) + (1_000 * amount) / perSecond;
      keptAtMs.delete(owner);
      for (const [idle, untilMs] of keptAtMs.entries().take(CHECKS_PER_CALL))
        if (untilMs <= nowMs) keptAtMs.delete(idle);
      keptAtMs.set(owner, atMs);
      return atMs - nowMs;
    },
  };
}
