/** A process that opens a child process, writes the child's pid, and leaves it in work that never ends. */
import { openChild } from '../../src/platform/work/child.ts';

const child = openChild(
  { module: new URL('./stubborn-child.ts', import.meta.url), heapMb: 48, nice: 0 },
  async () => 'given',
);
const pid = await child.ask({ wish: 'pid' }, 10_000);
void child.ask({ wish: 'loop' }, Number(process.argv[2])).catch(() => undefined);
process.stdout.write(`${String(pid)}\n`);
// Without a timer the process would end by itself, because a child does not keep its parent alive.
setInterval(() => undefined, 60_000);
