/**
 * Benchmark (d): the time from the command until the platform is ready on an existing database, and the memory of its process ten seconds
 * later.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportProgress } from '../test/support/progress.ts';
import { median, type Figure } from './measure.ts';
import { measureResidentMb, spawnProgram } from './stage.ts';

const STARTS = 5;
const REST_MS = 10_000;

export async function benchStartUp(): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-'));
  const env = { DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'info' };
  await (await spawnProgram('src/launch.js', ['all'], env)).stop();
  const times: number[] = [];
  let memoryMb = 0;
  for (let count = 0; count < STARTS; count += 1) {
    const began = performance.now();
    const platform = await spawnProgram('src/launch.js', ['all'], env);
    times.push(performance.now() - began);
    reportProgress(`start ${count + 1} of ${STARTS}`);
    if (count === STARTS - 1) {
      await new Promise((resolve) => setTimeout(resolve, REST_MS));
      memoryMb = Math.round(await measureResidentMb(platform));
    }
    await platform.stop();
  }
  await rm(folder, { recursive: true, force: true });
  const readyMs = median(times);
  return [
    {
      name: '(d) ready after the first initdb',
      value: `${Math.round(readyMs)} ms`,
      goal: '<= 1500 ms',
      met: readyMs <= 1_500,
    },
    { name: '(d) resident ten seconds after ready', value: `${memoryMb} MB`, goal: '<= 160 MB', met: memoryMb <= 160 },
  ];
}
