/** What 99 of a hundred stay below, to a tenth of a millisecond. */
export function p99Of(timesMs: number[]): number {
  const sorted = timesMs.toSorted((a, b) => a - b);
  return Math.round(10 * (sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0)) / 10;
}
