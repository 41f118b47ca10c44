/** Measures a load with a fixed number of callers in alternating rounds, and compares medians within one run. All benchmarks use this. */
import { reportProgress } from '../test/support/progress.ts';

export interface RateRound {
  name: string;
  /** Does one unit of work; `width` loops call this function at the same time. */
  work: () => Promise<unknown>;
}

/** Measures units of work per second over `durationMs`, with `width` calls in flight. */
export async function measureRate(work: () => Promise<unknown>, width: number, durationMs: number): Promise<number> {
  const started = performance.now();
  let done = 0;
  const loop = async (): Promise<void> => {
    while (performance.now() - started < durationMs) {
      await work();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: width }, loop));
  const rate = (done * 1000) / (performance.now() - started);
  reportProgress(`${Math.round(rate)}/s, ${width} at a time`);
  return rate;
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Runs the rounds in turn, again and again, so that a disturbance of the machine affects all of them alike. */
export async function compareRates(
  rounds: RateRound[],
  options: { width: number; durationMs: number; times: number },
): Promise<Map<string, number>> {
  const rates = new Map<string, number[]>(rounds.map((round) => [round.name, []]));
  for (const round of rounds) await measureRate(round.work, options.width, options.durationMs / 4);
  for (let time = 0; time < options.times; time += 1) {
    for (const round of rounds)
      rates.get(round.name)?.push(await measureRate(round.work, options.width, options.durationMs));
  }
  return new Map([...rates].map(([name, values]) => [name, median(values)]));
}

export interface Figure {
  name: string;
  /** The measured rate divided by its limit, or an amount with its unit. */
  value: string;
  goal: string;
  met: boolean;
}

export const makeRatioFigure = (name: string, measured: number, limit: number, goal: number): Figure => ({
  name,
  value: `${(measured / limit).toFixed(2)} (${Math.round(measured)}/s of ${Math.round(limit)}/s)`,
  goal: `>= ${goal}`,
  met: measured / limit >= goal,
});

/** One query that is measured on a large set of records and on a small set. */
export interface SizeQuestion {
  name: string;
  goalMs: number;
  /** The number of calls on each set. */
  calls: number;
  large: (call: number) => Promise<unknown>;
  small: (call: number) => Promise<unknown>;
  /** Whether the query may take at most twice as long on the large set as on the small set. */
  common?: boolean;
}

/**
 * Compares the 95th percentile of the times on both sets. Calls alternate, so that a disturbance of the machine affects both sets alike.
 */
export async function compareSizes({ name, goalMs, calls, large, small, common }: SizeQuestion): Promise<Figure> {
  reportProgress(name);
  const times: [number[], number[]] = [[], []];
  // The first calls are not measured: they load pages from the disk and prepare statements.
  for (let call = -10; call < calls; call += 1) {
    for (const [which, ask] of [large, small].entries()) {
      const startedMs = performance.now();
      await ask(Math.abs(call));
      if (call >= 0) times[which]?.push(performance.now() - startedMs);
    }
  }
  const [onLarge, onSmall] = [percentile(times[0], 95), percentile(times[1], 95)];
  return {
    name,
    value: `p95 ${onLarge.toFixed(1)} ms (of 10,000: ${onSmall.toFixed(1)} ms)`,
    goal: `<= ${goalMs} ms${common ? ', <= 2 x' : ''}`,
    met: onLarge <= goalMs && (!common || onLarge <= 2 * onSmall),
  };
}

/** Returns the time that `share` per cent of all times do not exceed. */
export function percentile(times: number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.ceil((times.length * share) / 100) - 1] ?? Number.NaN;
}
