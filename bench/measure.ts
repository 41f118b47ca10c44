/** What all benchmarks share: a load at a fixed width, interleaved rounds, and medians that are compared in one run. */
export interface Round {
  name: string;
  /** Does one unit of work; called from `width` loops at once. */
  work: () => Promise<unknown>;
}

/** Units per second over `durationMs`, with `width` in flight. */
export async function rateOf(work: () => Promise<unknown>, width: number, durationMs: number): Promise<number> {
  const started = performance.now();
  let done = 0;
  const loop = async (): Promise<void> => {
    while (performance.now() - started < durationMs) {
      await work();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: width }, loop));
  return (done * 1000) / (performance.now() - started);
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Each round after the other, again and again: what disturbs the machine disturbs all of them alike. */
export async function compare(
  rounds: Round[],
  options: { width: number; durationMs: number; times: number },
): Promise<Map<string, number>> {
  const rates = new Map<string, number[]>(rounds.map((round) => [round.name, []]));
  for (const round of rounds) await rateOf(round.work, options.width, options.durationMs / 4);
  for (let time = 0; time < options.times; time += 1) {
    for (const round of rounds)
      rates.get(round.name)?.push(await rateOf(round.work, options.width, options.durationMs));
  }
  return new Map([...rates].map(([name, values]) => [name, median(values)]));
}

export interface Figure {
  name: string;
  /** What was measured over what limits it; or an amount with its unit. */
  value: string;
  goal: string;
  met: boolean;
}

export const ratio = (name: string, measured: number, limit: number, goal: number): Figure => ({
  name,
  value: `${(measured / limit).toFixed(2)} (${Math.round(measured)}/s of ${Math.round(limit)}/s)`,
  goal: `>= ${goal}`,
  met: measured / limit >= goal,
});
