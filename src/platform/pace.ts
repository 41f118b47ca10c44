/** So much a second for each owner: whoever brings more is told how long to wait, and takes nothing from anybody else. */

export interface Pace {
  /** Counts what an owner brought. Answers by how many milliseconds it is ahead of its pace, 0 when it is not. */
  count(owner: string, amount: number): number;
}

// For each newcomer so many of the oldest are looked at, so those that have been idle go sooner than others come.
const LOOKS = 2;

export function createPace(perSecond: number): Pace {
  /** When an owner that brings nothing more has kept its pace; the one that came last stands at the end. */
  const keptAtMs = new Map<string, number>();
  return {
    count: (owner, amount) => {
      const nowMs = performance.now();
      const atMs = Math.max(nowMs, keptAtMs.get(owner) ?? 0) + (1_000 * amount) / perSecond;
      keptAtMs.delete(owner);
      for (const [idle, untilMs] of keptAtMs.entries().take(LOOKS)) if (untilMs <= nowMs) keptAtMs.delete(idle);
      keptAtMs.set(owner, atMs);
      return atMs - nowMs;
    },
  };
}
