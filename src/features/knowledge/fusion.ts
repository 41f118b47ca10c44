/**
 * Joins ranked lists by reciprocal rank: what several lists have near their beginning comes first. It needs no common scale of scores. A list
 * that is wrong more often counts less.
 */

// With a larger number the places of a list differ less. The usual 60 puts what two lists have anywhere before what one list has first, which
// only helps where all lists are equally good.
const FLATNESS = 5;

export interface RankedList<T> {
  /** The best first. */
  entries: T[];
  weight: number;
}

export interface Fused<T> {
  entry: T;
  /** Between 0 and 1; 1 for an entry that is the first of all lists. */
  score: number;
}

/** Returns the entries of all lists, the best first. `makeKey` says which entries are the same. */
export function fuseRanks<T>(lists: RankedList<T>[], makeKey: (entry: T) => string): Fused<T>[] {
  const whole = lists.reduce((sum, { weight }) => sum + weight, 0);
  const fused = new Map<string, Fused<T>>();
  for (const { entries, weight } of lists) {
    for (const [rank, entry] of entries.entries()) {
      const known = fused.get(makeKey(entry)) ?? { entry, score: 0 };
      known.score += (weight * (FLATNESS + 1)) / (FLATNESS + 1 + rank);
      fused.set(makeKey(entry), known);
    }
  }
  return [...fused.values()]
    .map(({ entry, score }) => ({ entry, score: score / whole }))
    .toSorted((a, b) => b.score - a.score);
}
