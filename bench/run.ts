/** The command `npm run bench [a b c d e f …]`: prints each figure beside its goal, and exits with 1 when a goal is missed. */
import { benchDeliveries } from './deliveries.ts';
import { benchDoor } from './door.ts';
import { benchImport } from './import.ts';
import { benchIngestion } from './ingestion.ts';
import type { Figure } from './measure.ts';
import { benchReadMessage } from './read-message.ts';
import { printProgress, reportProgress } from '../test/support/progress.ts';
import { openStage, type Stage } from './stage.ts';
import { benchConversations } from './records-conversations.ts';
import { benchRecords } from './records.ts';
import { benchTables } from './records-tables.ts';
import { benchStartUp } from './start-up.ts';
import { benchWholeFlow } from './whole-flow.ts';

const asked = process.argv.slice(2);
const isWanted = (name: string): boolean => asked.length === 0 || asked.includes(name);

printProgress();
const figures: Figure[] = [];
for (const [name, bench] of [
  ['a', benchIngestion],
  ['b', benchDeliveries],
  ['c', benchReadMessage],
  ['e', benchDoor],
  ['f', benchWholeFlow],
  ['records', benchRecords],
  ['tables', benchTables],
  ['import', benchImport],
  ['h', (stage: Stage) => benchConversations(stage)],
] as const) {
  if (!isWanted(name)) continue;
  reportProgress(`(${name}) …`);
  const stage = await openStage();
  try {
    figures.push(...(await bench(stage)));
  } finally {
    await stage.close();
  }
}
if (isWanted('d')) figures.push(...(await benchStartUp()));
for (const { name, value, goal, met } of figures) {
  process.stdout.write(`${met ? 'ok  ' : 'MISS'} ${name.padEnd(45)} ${value.padEnd(32)} goal ${goal}\n`);
}
process.exitCode = figures.every((figure) => figure.met) ? 0 : 1;
