/** Percentiles of times in milliseconds, rounded to a tenth. */
export const percentile99 = (timesMs: number[]): number => percentile(timesMs, 0.99);
export const medianTime = (timesMs: number[]): number => percentile(timesMs, 0.5);

/**
 * Returns the median of the 99th percentiles of three parts of a run; the times are in the order in which they were measured. A
 * shared disk stands still for half a second now and then, and the requests of that moment would otherwise be the slowest hundredth.
 */
export function medianPercentile99(timesMs: number[]): number {
  const length = Math.ceil(timesMs.length / 3);
  return medianTime([0, 1, 2].map((stretch) => percentile99(timesMs.slice(stretch * length, (stretch + 1) * length))));
}

/** Returns the time that this share of all times does not exceed. */
function percentile(timesMs: number[], share: number): number {
  const sorted = timesMs.toSorted((a, b) => a - b);
  return Math.round(10 * (sorted[Math.ceil(sorted.length * share) - 1] ?? 0)) / 10;
}

/** Returns the median of shares from 0 to 1, rounded to a hundredth. */
export const medianShare = (shares: number[]): number =>
  Math.round(100 * (shares.toSorted((a, b) => a - b)[Math.floor(shares.length / 2)] ?? 0)) / 100;
