/** Runs the contract fuzz and throws an error that shows every broken finding, each with the request that repeats it. */
import { runFuzz, type FuzzSize } from '../fuzz/fuzz.ts';

export async function proveFuzz(size: FuzzSize): Promise<Record<string, number>> {
  const findings = await runFuzz(size);
  const broken = findings.filter(({ ok }) => !ok);
  if (broken.length > 0)
    throw new Error(
      broken.map(({ name, value, evidence = [] }) => [`${name}: ${value}`, ...evidence].join('\n\n')).join('\n\n'),
    );
  return Object.fromEntries(findings.map(({ name, value }) => [name, value]));
}
