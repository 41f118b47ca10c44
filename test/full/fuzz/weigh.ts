/** Measures the memory that a process really needs: its resident memory after a garbage collection. */
import { readFile } from 'node:fs/promises';
import { waitUntil } from '../../support/wait.ts';
import type { PlatformProcess } from '../harness/processes.ts';

const COLLECT = `import v8 from 'node:v8';import vm from 'node:vm';v8.setFlagsFromString('--expose-gc');const gc=vm.runInNewContext('gc');
let n=0;process.on('SIGUSR2',()=>{gc({type:'major',execution:'sync',flavor:'last-resort'});console.log('collected '+(n+=1))});`;

/** The environment of a process whose memory will be measured: it collects garbage on SIGUSR2 and prints a line afterwards. */
export const WEIGHABLE = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(COLLECT)}` };

// Two collections are needed, because the second one frees what the finalizers of the first one release.
const COLLECTIONS = 2;
// The time limit of a collection: on a busy machine a full collection may take seconds.
const COLLECTED_MS = 30_000;

/** Returns the resident bytes; NaN without /proc, or when the process has ended. */
export async function measureMemoryAfterCollection(weighed: PlatformProcess): Promise<number> {
  for (let left = COLLECTIONS; left > 0 && weighed.alive; left -= 1) await collectGarbage(weighed);
  // Failure policy: a process that has just ended counts as NaN; its end is another finding.
  const status = await readFile(`/proc/${weighed.pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1_024;
}

async function collectGarbage(weighed: PlatformProcess): Promise<void> {
  const said = (): string | undefined => weighed.lines().findLast((line) => line.startsWith('collected '));
  const before = said();
  process.kill(weighed.pid, 'SIGUSR2');
  await waitUntil('a collection', () => said() !== before || !weighed.alive, COLLECTED_MS);
}
