/** The command `npm run bench [a b c d e f …]`: prints each figure beside its goal, and exits with 1 when a goal is missed. */
import { benchBulk } from './bulk.ts';
import { benchCampaigns } from './campaigns.ts';
import { benchConsole } from './console.ts';
import { benchDeliveries } from './deliveries.ts';
import { benchAccessControl } from './door.ts';
import { benchFiles } from './files.ts';
import { benchGrowth } from './growth.ts';
import { benchImport } from './import.ts';
import { benchIngestion } from './ingestion.ts';
import type { Figure } from './measure.ts';
import { benchLive } from './live.ts';
import { benchMcp } from './mcp.ts';
import { benchReadMessage } from './read-message.ts';
import { printProgress, reportProgress } from '../test/support/progress.ts';
import { benchPictures } from './pictures.ts';
import { openBenchStage, type BenchStage } from './stage.ts';
import { benchRecall } from './recall.ts';
import { benchConversations } from './records-conversations.ts';
import { benchRecords } from './records.ts';
import { benchTables } from './records-tables.ts';
import { benchSend } from './send.ts';
import { benchSheet } from './sheet.ts';
import { benchStartUp } from './start-up.ts';
import { benchLoader } from './web-chat-loader.ts';
import { benchWebChat } from './web-chat.ts';
import { benchWholeFlow } from './whole-flow.ts';

/** Each bench by its name, on a stage of its own. */
const ON_STAGE: Record<string, (stage: BenchStage) => Promise<Figure[]>> = {
  a: benchIngestion,
  b: benchDeliveries,
  c: benchReadMessage,
  e: benchAccessControl,
  f: benchWholeFlow,
  records: benchRecords,
  tables: benchTables,
  import: benchImport,
  files: benchFiles,
  pictures: benchPictures,
  send: benchSend,
  growth: benchGrowth,
  bulk: benchBulk,
  campaigns: benchCampaigns,
  live: benchLive,
  mcp: benchMcp,
  'web-chat': async (stage) => [...(await benchWebChat(stage)), ...(await benchLoader(stage))],
  console: benchConsole,
  h: (stage) => benchConversations(stage),
};
const ALONE: Record<string, () => Promise<Figure[]>> = { recall: benchRecall, sheet: benchSheet, d: benchStartUp };

const names = [...Object.keys(ON_STAGE), ...Object.keys(ALONE)];
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !names.includes(name));
if (unknown.length > 0) throw new Error(`no bench has the name ${unknown.join(', ')}; there are ${names.join(', ')}`);
const isWanted = ([name]: [string, unknown]): boolean => asked.length === 0 || asked.includes(name);

printProgress();
const figures: Figure[] = [];
for (const [name, bench] of Object.entries(ON_STAGE).filter(isWanted)) {
  reportProgress(`(${name}) …`);
  const stage = await openBenchStage();
  try {
    figures.push(...(await bench(stage)));
  } finally {
    await stage.close();
  }
}
for (const [, bench] of Object.entries(ALONE).filter(isWanted)) figures.push(...(await bench()));
for (const { name, value, goal, met } of figures) {
  process.stdout.write(`${met ? 'ok  ' : 'MISS'} ${name.padEnd(45)} ${value.padEnd(32)} goal ${goal}\n`);
}
process.exitCode = figures.every((figure) => figure.met) ? 0 : 1;
