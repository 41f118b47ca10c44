/** What a process really holds: its resident memory after a collection, so that garbage nobody has picked up yet does not count. */
import { readFile } from 'node:fs/promises';
import { until } from '../../support/wait.ts';
import type { PlatformProcess } from '../harness/processes.ts';

const COLLECT = `import v8 from 'node:v8';import vm from 'node:vm';v8.setFlagsFromString('--expose-gc');const gc=vm.runInNewContext('gc');
let n=0;process.on('SIGUSR2',()=>{gc({type:'major',execution:'sync',flavor:'last-resort'});console.log('collected '+(n+=1))});`;

/** For the environment of a process that is to be weighed: it collects on SIGUSR2, and says so. */
export const WEIGHABLE = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(COLLECT)}` };

// Two: what the first one leaves to finalizers, the second one takes.
const COLLECTIONS = 2;
// A busy machine lets a full collection take seconds.
const COLLECTED_MS = 30_000;

/** Resident bytes; NaN where there is no /proc to say so, or when the process is gone. */
export async function weigh(weighed: PlatformProcess): Promise<number> {
  for (let left = COLLECTIONS; left > 0 && weighed.alive; left -= 1) await collect(weighed);
  // Failure policy: a process that has just ended weighs nothing; that it ended is another finding.
  const status = await readFile(`/proc/${weighed.pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1_024;
}

async function collect(weighed: PlatformProcess): Promise<void> {
  const said = (): string | undefined => weighed.lines().findLast((line) => line.startsWith('collected '));
  const before = said();
  process.kill(weighed.pid, 'SIGUSR2');
  await until('a collection', () => said() !== before || !weighed.alive, COLLECTED_MS);
}
