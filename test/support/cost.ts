/** Notes at the end of a test file the CPU time that it and its children used. Loaded before each test file. */
import { appendFileSync, readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const costsPath = process.env['PARLEY_TEST_COSTS'];
const [, program] = process.argv;

let noted = 0;

/** Notes what this process has used since the last note. */
export function noteCost(path: string): void {
  if (!costsPath) return;
  const used = readCpuSeconds();
  appendFileSync(costsPath, `${JSON.stringify({ path, cpu: used - noted })}\n`);
  noted = used;
}

if (program && isMainThread) process.once('exit', () => noteCost(program));

/** Returns the CPU time of this process and of the children that have ended, in seconds. */
export function readCpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + readChildSeconds();
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
