/**
 * `npm test` runs all checks, two at a time, and then the tests if all checks passed. `--checks` leaves the tests out. Runs in the root of
 * the
 * repository, on the Node that npm installed, whichever Node started npm.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

interface Step {
  name: string;
  /** Arguments for the running Node: a script and its arguments. */
  args: string[];
}

/** The build machine has two cores. */
const LANES = 2;
/** A test waits for timers, child processes and the database about a third of its time, so a third file runs meanwhile. */
const TEST_LANES = 3;
/** The slowest files start first, so that all lanes end at about the same time. */
const HEAVY = ['test/guarantees/', 'test/contract/', 'src/features/imports/', 'src/boot/'];
// Each test file runs in a process of its own and loads the same hundred modules.
process.env['NODE_COMPILE_CACHE'] = resolve('node_modules/.cache/compiled');
// Every `node` that is started by a name finds this one, even when npm did not set the path.
process.env['PATH'] = [resolve('node_modules/.bin'), process.env['PATH'] ?? ''].join(delimiter);
/** The time limit of one test, many times what it needs. test/support/deadline.ts limits a whole file. */
const TEST_TIMEOUT_MS = 240_000;

const SQUAWK = findProgram('squawk-cli', 'squawk');
const MIGRATIONS = globSync('migrations/*.sql').toSorted();
const CONCURRENT = '.concurrent.sql';

const CHECKS: Step[] = [
  { name: 'format', args: [findProgram('oxfmt', 'oxfmt'), '--check'] },
  { name: 'lint', args: [findProgram('oxlint', 'oxlint'), '--type-aware', '--deny-warnings'] },
  { name: 'types', args: [findProgram('typescript', 'tsc'), '--noEmit'] },
  { name: 'types of pages', args: [findProgram('typescript', 'tsc'), '-p', 'web', '--noEmit'] },
  { name: 'imports', args: ['scripts/check-imports.ts'] },
  { name: 'tables', args: ['scripts/check-tables.ts'] },
  { name: 'taste', args: ['scripts/check-taste.ts'] },
  { name: 'look-ups', args: ['scripts/check-lookups.ts'] },
  { name: 'dead code', args: [findProgram('knip', 'knip'), '--no-progress'] },
  { name: 'migrations', args: [SQUAWK, ...MIGRATIONS.filter((path) => !path.endsWith(CONCURRENT))] },
  // Each statement of these files stands alone and can be repeated; squawk's rules about transactions do not apply.
  {
    name: 'indexes',
    args: [
      SQUAWK,
      '--no-assume-in-transaction',
      '--exclude=prefer-robust-stmts,require-lock-timeout,require-statement-timeout',
      ...MIGRATIONS.filter((path) => path.endsWith(CONCURRENT)),
    ],
  },
  { name: 'openapi', args: ['scripts/openapi.ts', '--check'] },
  { name: 'docs', args: ['scripts/check-docs.ts'] },
];

process.exitCode = (await runChecks()) ? await runTests() : 1;

/** Returns false when a check failed. Every check runs, so that one run reports all failures. */
async function runChecks(): Promise<boolean> {
  const waiting = [...CHECKS];
  const failed: string[] = [];
  const runLane = async () => {
    for (let step = waiting.shift(); step; step = waiting.shift()) if (!(await runCheck(step))) failed.push(step.name);
  };
  await Promise.all(Array.from({ length: LANES }, runLane));
  if (failed.length > 0) console.log(`✖ failed: ${failed.join(', ')}`);
  return failed.length === 0;
}

/** Prints the output of a check in one piece when it ends, so that two checks do not mix. */
async function runCheck({ name, args }: Step): Promise<boolean> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, args, { stdio: 'pipe' });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => output.push(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  console.log(`${code === 0 ? '✔' : '✖'} ${name} (${seconds} s)`);
  if (code !== 0) process.stdout.write(Buffer.concat(output));
  return code === 0;
}

/** Runs Node's test runner in this process; its summary is printed last. */
async function runTests(): Promise<number> {
  if (process.argv.includes('--checks')) return 0;
  const files = globSync('{src,sandbox,scripts,test}/**/*.test.ts', { exclude: ['test/full/**'] });
  const weigh = (file: string): number => HEAVY.findIndex((folder) => file.startsWith(folder)) >>> 0;
  const ordered = files.toSorted((a, b) => weigh(a) - weigh(b) || (a < b ? -1 : 1));
  console.log(`tests (${files.length} files)`);
  // The set-up runs only after the checks, because it executes the code that they check.
  const { globalSetup, globalTeardown } = await import('../test/support/global-setup.ts');
  await globalSetup();
  const events = run({
    files: ordered,
    concurrency: TEST_LANES,
    timeout: TEST_TIMEOUT_MS,
    execArgv: ['--import', import.meta.resolve('../test/support/deadline.ts')],
  });
  let failed = false;
  events.on('test:fail', () => (failed = true));
  await pipeline(events, new spec(), process.stdout, { end: false });
  await globalTeardown();
  return failed ? 1 : 0;
}

/** The file that a package's command runs, so that it starts without a shell on every system. */
function findProgram(name: string, command: string): string {
  const folder = join('node_modules', name);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { bin: Record<string, string> };
  const program = bin[command];
  if (!program) throw new Error(`${name} has no command ${command}`);
  return join(folder, program);
}
