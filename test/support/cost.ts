/** Notes at the end of a test file's process how long it ran, and the CPU time that it and its children used. Loaded before each test file. */
import { appendFileSync, readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const notes = process.env['PARLEY_TEST_COSTS'];
const [, file] = process.argv;

if (notes && file && isMainThread) {
  process.once('exit', () => {
    const { user, system } = process.cpuUsage();
    const cpu = (user + system) / 1e6 + readChildSeconds();
    appendFileSync(notes, `${JSON.stringify({ file, cpu, wall: performance.now() / 1_000 })}\n`);
  });
}

/** The CPU time of the children that have ended, which Linux tells in hundredths of a second; 0 on other systems. */
function readChildSeconds(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // The second field is the name in parentheses, which may hold anything. The 16th and 17th are the user and system time of children.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[13]) + Number(fields[14])) / 100;
  } catch {
    // Failure policy: without /proc only the process itself is counted.
    return 0;
  }
}
