/** Chance that can be repeated: every random run prints its seed and replays from it. */
import { randomInt } from 'node:crypto';

export interface Chance {
  readonly seed: number;
  /** A whole number from 0 to below `below`. */
  int(below: number): number;
  pick<T>(items: readonly T[]): T;
  shuffle<T>(items: readonly T[]): T[];
}

/** Mulberry32: small, and the same on every machine. */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const int = (below: number): number => Math.floor(next() * below);
  return {
    seed,
    int,
    pick: <T>(items: readonly T[]): T => items[int(items.length)] as T,
    shuffle: (items) => {
      const shuffled = [...items];
      for (let index = shuffled.length - 1; index > 0; index -= 1) {
        const other = int(index + 1);
        [shuffled[index], shuffled[other]] = [shuffled[other] as never, shuffled[index] as never];
      }
      return shuffled;
    },
  };
}

/** The seed of this run: SEED=123 in the environment repeats an earlier one. */
export function seedOfRun(): number {
  const given = Number(process.env['SEED']);
  return Number.isSafeInteger(given) && given > 0 ? given : randomInt(1, 2 ** 31);
}
