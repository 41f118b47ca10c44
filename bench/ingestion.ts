/**
 * Benchmark (a): from a signed callback over HTTP to a stored message, its conversation and an enqueued
 * event, compared with a bare loop that runs the same statements over the same number of connections.
 */
import { createBareLoop } from './bare-store.ts';
import { postOncePerPerson, openCallbackCaller } from './callbacks.ts';
import { median, measureRate, makeRatioFigure, type Figure } from './measure.ts';
import { runPgbench } from './pgbench.ts';
import { spawnProgram, type BenchStage } from './stage.ts';

const WIDTH = 64;
// The number of connections in the platform's pool.
const CONNECTIONS = 10;
const PEOPLE = 2_000;

export async function benchIngestion(stage: BenchStage): Promise<Figure[]> {
  const api = await spawnProgram('src/launch.js', ['api'], stage.env);
  const caller = openCallbackCaller(api.url, stage, { connections: WIDTH, people: PEOPLE });
  const bare = await createBareLoop(stage, { connections: CONNECTIONS, people: PEOPLE });
  const callback = caller.call;
  // Every person writes once before anything is measured, because most messages come from people who wrote before.
  // The bare loop does this with one caller, because it cannot handle two callers that create the same contact.
  await postOncePerPerson(callback, WIDTH, PEOPLE);
  await postOncePerPerson(bare.work, 1, PEOPLE);
  const both = await measureInTurn(callback, bare.work);
  const lone = await measureRate(callback, 1, 2_000);
  const pgbench = await runPgbench(stage.database.ownerUrl, { people: PEOPLE, connections: CONNECTIONS, seconds: 8 });
  const platformAgain = await measureRate(callback, WIDTH, 4_000);
  await api.stop();
  await caller.close();
  await bare.close();
  return [
    makeRatioFigure('(a) callbacks stored / bare pg loop', both.platform, both.bare, 1),
    ...(pgbench === null
      ? []
      : [makeRatioFigure('(a) callbacks stored / pgbench -M prepared', platformAgain, pgbench, 1)]),
    { name: '(a) one caller alone', value: `${(1000 / lone).toFixed(2)} ms a callback`, goal: 'reported', met: true },
  ];
}

async function measureInTurn(
  platform: () => Promise<void>,
  bare: () => Promise<void>,
): Promise<{ platform: number; bare: number }> {
  const figures = { platform: [] as number[], bare: [] as number[] };
  for (let round = 0; round < 5; round += 1) {
    figures.platform.push(await measureRate(platform, WIDTH, 3_000));
    figures.bare.push(await measureRate(bare, CONNECTIONS, 3_000));
  }
  return { platform: median(figures.platform), bare: median(figures.bare) };
}
