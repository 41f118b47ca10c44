/** npm run bench [a b c d]: prints each figure beside its goal; exits 1 when one is missed. */
import { benchDeliveries } from './deliveries.ts';
import { benchIngestion } from './ingestion.ts';
import type { Figure } from './measure.ts';
import { benchReadMessage } from './read-message.ts';
import { openStage } from './stage.ts';
import { benchStartUp } from './start-up.ts';

const asked = process.argv.slice(2);
const wanted = (name: string): boolean => asked.length === 0 || asked.includes(name);

const figures: Figure[] = [];
for (const [name, bench] of [
  ['a', benchIngestion],
  ['b', benchDeliveries],
  ['c', benchReadMessage],
] as const) {
  if (!wanted(name)) continue;
  const stage = await openStage();
  try {
    figures.push(...(await bench(stage)));
  } finally {
    await stage.close();
  }
}
if (wanted('d')) figures.push(...(await benchStartUp()));
for (const { name, value, goal, met } of figures) {
  process.stdout.write(`${met ? 'ok  ' : 'MISS'} ${name.padEnd(45)} ${value.padEnd(32)} goal ${goal}\n`);
}
process.exitCode = figures.every((figure) => figure.met) ? 0 : 1;
