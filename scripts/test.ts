/**
 * `npm test`: every check, two at a time, then the tests. Stops at the first failure. `--checks` leaves the tests out.
 * Runs from the root of the repository on the Node that npm installed, whatever Node started npm.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

interface Step {
  name: string;
  /** Arguments for this very Node: a script and what follows it. */
  args: string[];
}

/** The build machine has two cores. */
const LANES = 2;
/** A test waits for timers, children and the database about a third of its time, so a third file runs meanwhile. */
const TEST_LANES = 3;
/** Each file is a process of its own, and loads the same some hundred modules. */
const COMPILED = resolve('node_modules/.cache/compiled');
/** For a file as a whole: many times what one may take, so a test that hangs is named and not waited for. */
const TEST_TIMEOUT_MS = 300_000;

const SQUAWK = programOf('squawk-cli', 'squawk');
const MIGRATIONS = globSync('migrations/*.sql').toSorted();
const CONCURRENT = '.concurrent.sql';

const CHECKS: Step[] = [
  { name: 'format', args: [programOf('oxfmt', 'oxfmt'), '--check'] },
  { name: 'lint', args: [programOf('oxlint', 'oxlint'), '--type-aware', '--deny-warnings'] },
  { name: 'types', args: [programOf('typescript', 'tsc'), '--noEmit'] },
  { name: 'types of pages', args: [programOf('typescript', 'tsc'), '-p', 'web', '--noEmit'] },
  { name: 'imports', args: ['scripts/check-imports.ts'] },
  { name: 'tables', args: ['scripts/check-tables.ts'] },
  { name: 'taste', args: ['scripts/check-taste.ts'] },
  { name: 'look-ups', args: ['scripts/check-lookups.ts'] },
  { name: 'dead code', args: [programOf('knip', 'knip'), '--no-progress'] },
  { name: 'migrations', args: [SQUAWK, ...MIGRATIONS.filter((path) => !path.endsWith(CONCURRENT))] },
  // Each of their statements stands alone and may be run again; what squawk knows of transactions is not about them.
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

const running = new Set<ChildProcess>();
process.exitCode = (await runChecks()) ? await runTests() : 1;

/** False when a check failed; what ran beside it is ended, what came after it never starts. */
async function runChecks(): Promise<boolean> {
  const waiting = [...CHECKS];
  let failed = false;
  const runLane = async () => {
    for (let step = waiting.shift(); step && !failed; step = waiting.shift()) {
      const ok = await runCheck(step, () => failed);
      if (ok || failed) continue;
      failed = true;
      for (const child of running) child.kill();
    }
  };
  await Promise.all(Array.from({ length: LANES }, runLane));
  return !failed;
}

/** The output comes in one piece when the step ends, so that two steps do not mix. */
async function runCheck({ name, args }: Step, isMoot: () => boolean): Promise<boolean> {
  const startedMs = performance.now();
  const child = spawnNode(args, 'pipe');
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => output.push(chunk));
  const code = await exitCodeOf(child);
  if (isMoot()) return false;
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  console.log(`${code === 0 ? '✔' : '✖'} ${name} (${seconds} s)`);
  if (code !== 0) process.stdout.write(Buffer.concat(output));
  return code === 0;
}

/** The exit code of the test runner; its own summary is the last word. */
async function runTests(): Promise<number> {
  if (process.argv.includes('--checks')) return 0;
  const files = globSync('{src,sandbox,scripts,test}/**/*.test.ts', { exclude: ['test/full/**'] }).toSorted();
  const options = [
    '--test-global-setup=test/support/global-setup.ts',
    `--test-concurrency=${TEST_LANES}`,
    `--test-timeout=${TEST_TIMEOUT_MS}`,
  ];
  console.log(`tests (${files.length} files)`);
  return exitCodeOf(spawnNode(['--test', ...options, ...files], 'inherit'));
}

function spawnNode(args: string[], stdio: 'pipe' | 'inherit'): ChildProcess {
  // Whatever calls `node` further down finds this one, also when npm did not set the path.
  const path = [resolve('node_modules/.bin'), process.env['PATH'] ?? ''].join(delimiter);
  const child = spawn(process.execPath, args, {
    stdio,
    env: { ...process.env, PATH: path, NODE_COMPILE_CACHE: COMPILED },
  });
  running.add(child);
  return child;
}

function exitCodeOf(child: ChildProcess): Promise<number> {
  return new Promise((settle, fail) => {
    child.on('error', fail);
    child.on('close', (code) => {
      running.delete(child);
      // Ended by a signal: it has no code, and it did not succeed.
      settle(code ?? 1);
    });
  });
}

/** The file that a package's command runs, so that it can be started without a shell on every system. */
function programOf(name: string, command: string): string {
  const folder = join('node_modules', name);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { bin: Record<string, string> };
  const program = bin[command];
  if (!program) throw new Error(`${name} has no command ${command}`);
  return join(folder, program);
}
