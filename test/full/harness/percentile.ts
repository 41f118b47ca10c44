/** Percentiles of times in milliseconds, rounded to a tenth. */
export const percentile99 = (timesMs: number[]): number => percentile(timesMs, 0.99);
export const medianTime = (timesMs: number[]): number => percentile(timesMs, 0.5);

/** Returns the time that this share of all times does not exceed. */
function percentile(timesMs: number[], share: number): number {
  const sorted = timesMs.toSorted((a, b) => a - b);
  return Math.round(10 * (sorted[Math.ceil(sorted.length * share) - 1] ?? 0)) / 10;
}
