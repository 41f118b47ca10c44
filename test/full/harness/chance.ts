/** Random choices that can be repeated: every random run prints its seed, and the same seed gives the same choices again. */
import { randomInt } from 'node:crypto';
import { createRandom } from '../../support/random.ts';

export interface Chance {
  readonly seed: number;
  /** A whole number from 0 to `below` - 1. */
  int(below: number): number;
  pick<T>(items: readonly T[]): T;
  shuffle<T>(items: readonly T[]): T[];
}

export function createChance(seed: number): Chance {
  const next = createRandom(seed);
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

/** Returns the seed of this run; SEED=123 in the environment repeats an earlier run. */
export function readSeed(): number {
  const given = Number(process.env['SEED']);
  return Number.isSafeInteger(given) && given > 0 ? given : randomInt(1, 2 ** 31);
}
