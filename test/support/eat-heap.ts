/** A million numbers in one object of 8 MB, which the garbage collector need not look into. */
const NUMBERS = 1_000_000;

/**
 * Fills the heap until the process dies. Small objects would fill it, too, but collecting them costs seconds of CPU time, and a test of too
 * much memory would become one of too much time.
 */
export function eatHeap(): never {
  const eaten: number[][] = [];
  // oxlint-disable-next-line unicorn/no-new-array -- Array.from() makes an array of values, which are looked into
  for (;;) eaten.push(new Array<number>(NUMBERS).fill(0.5));
}
