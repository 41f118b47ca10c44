/**
 * Benchmark (d): the time from the command until the platform is ready on an existing database, and the memory of its process ten seconds
 * later.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportProgress } from '../test/support/progress.ts';
import { median, type Figure } from './measure.ts';
import { spawnProgram } from './stage.ts';

const STARTS = 5;
const REST_MS = 10_000;

export async function benchStartUp(): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-'));
  const env = { DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'info' };
  await (await spawnProgram('src/main.ts', ['all'], env)).stop();
  const times: number[] = [];
  let memoryMb = 0;
  for (let count = 0; count < STARTS; count += 1) {
    const began = performance.now();
    const platform = await spawnProgram('src/main.ts', ['all'], env);
    times.push(performance.now() - began);
    reportProgress(`start ${count + 1} of ${STARTS}`);
    if (count === STARTS - 1) {
      await new Promise((resolve) => setTimeout(resolve, REST_MS));
      memoryMb = await measureResidentMb(platform.child.pid ?? 0);
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

async function measureResidentMb(pid: number): Promise<number> {
  try {
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024);
  } catch {
    // Failure policy: this system has no /proc, so `ps` is used, which every other system has.
    const ps = spawn('ps', ['-o', 'rss=', '-p', String(pid)]);
    const [text] = (await once(ps.stdout, 'data')) as [Buffer];
    return Math.round(Number(text.toString()) / 1024);
  }
}
