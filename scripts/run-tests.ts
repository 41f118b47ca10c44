/** Runs test files side by side, the most expensive ones first, and fails a file that uses more CPU time than its budget. */
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { makePrograms, writeProgram, type Program } from './test-programs.ts';

/** A test waits for timers, child processes and the database a third of its time. A fourth file at once made others wait too long for the database. */
const LANES = 3;
const CORES = 2;
/** The time limit of one test, many times what it needs even on a busy machine. test/support/deadline.ts limits a whole file. */
const TEST_TIMEOUT_MS = 600_000;
/** The costs of the files that take longest, as `node scripts/test.ts --record` has measured them. */
const COSTS = 'scripts/test-costs.json';
/** The expected cost of a file that is not listed there. */
const USUAL: Cost = { cpu: 2, wall: 4 };
/** Files that take less time are not listed. */
const LISTED_SECONDS = 5;
/** A file may use this many times its listed CPU time, and in any case this many seconds: slower machines use more for the same work. */
const BUDGET_FACTOR = 4;
const LEAST_BUDGET_SECONDS = 25;

export interface Cost {
  /**
   * Seconds of CPU time of the file's process and of those that it started, but not of the database server. Other work on the machine
   * hardly changes it, so that it can be judged.
   */
  cpu: number;
  /** Seconds from the start of the file's process to its end, which decide in what order files start. */
  wall: number;
}
type Costs = ReadonlyMap<string, Cost>;

const PRELOADED = [
  import.meta.resolve('../test/support/current-test.ts'),
  import.meta.resolve('../test/support/deadline.ts'),
  import.meta.resolve('../test/support/cost.ts'),
];
/** The same memory and threads for V8 as in `npm start`: with several threads the garbage collection uses more CPU time. */
const NODE_OPTIONS = [
  '--max-semi-space-size=16',
  '--v8-pool-size=1',
  ...PRELOADED.flatMap((address) => ['--import', address]),
];

function readCosts(): Costs {
  const listed = JSON.parse(readFileSync(COSTS, 'utf8')) as Record<string, [cpu: number, wall: number]>;
  return new Map(Object.entries(listed).map(([file, [cpu, wall]]) => [file, { cpu, wall }]));
}

/** All test files; the long proofs under test/full are no tests. */
export const listTestFiles = (): string[] =>
  globSync('{src,sandbox,scripts,test}/**/*.test.ts', { exclude: ['test/full/**'] }).map((path) =>
    path.replaceAll('\\', '/'),
  );

/** Estimates how long these files take on two idle cores. */
export function estimateSeconds(files: readonly string[]): number {
  const costs = readCosts();
  const add = (part: keyof Cost): number => files.reduce((sum, file) => sum + (costs.get(file) ?? USUAL)[part], 0);
  return Math.ceil(Math.max(add('cpu') / CORES, add('wall') / LANES));
}

/**
 * Runs the files with one database server; a summary is printed last, or with `quiet` only when a test failed. Returns false when a test
 * failed, or a file cost too much or did not end.
 */
export async function runTests(files: readonly string[], { record = false, quiet = false } = {}): Promise<boolean> {
  const costs = readCosts();
  // The set-up is loaded only now, after the checks, because it executes the code that they check.
  const { globalSetup, globalTeardown } = await import('../test/support/global-setup.ts');
  await globalSetup();
  try {
    const { hasFailed, used } = await runPrograms(
      makePrograms(files, (file) => (costs.get(file) ?? USUAL).wall),
      quiet,
    );
    if (record) writeCosts(new Map([...costs, ...used]));
    const overruns = listOverruns(used, costs);
    for (const sentence of overruns) console.log(`✖ ${sentence}`);
    return !hasFailed && overruns.length === 0;
  } finally {
    await globalTeardown();
  }
}

/** Runs Node's test runner in this process. */
export async function runPrograms(
  programs: readonly Program[],
  quiet: boolean,
): Promise<{ hasFailed: boolean; used: Costs }> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-tests-'));
  const notes = join(folder, 'costs');
  process.env['PARLEY_TEST_COSTS'] = notes;
  writeFileSync(notes, '');
  try {
    const events = run({
      files: programs.map((program) => writeProgram(program, folder)),
      concurrency: LANES,
      timeout: TEST_TIMEOUT_MS,
      execArgv: NODE_OPTIONS,
    });
    let hasFailed = false;
    events.on('test:fail', () => (hasFailed = true));
    if (quiet) {
      const report = await text(events.compose(new spec()));
      if (hasFailed) process.stdout.write(report);
    } else await pipeline(events, new spec(), process.stdout, { end: false });
    const files = programs.flatMap((program) => program.files);
    const used = readUsed(notes, files);
    const unended = files.filter((file) => !used.has(file));
    if (unended.length > 0)
      console.log(`✖ these files did not end, because their process ended before: ${unended.join(' ')}`);
    return { hasFailed: hasFailed || unended.length > 0, used };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Reads the costs that the test files noted when they ended. A file that was killed has noted none. */
function readUsed(notes: string, files: readonly string[]): Costs {
  const names = new Map(files.map((file) => [resolve(file), file]));
  const lines = readFileSync(notes, 'utf8').split('\n').filter(Boolean);
  const noted = lines.map((line) => JSON.parse(line) as Cost & { path: string });
  return new Map(
    noted.flatMap(({ path, cpu, wall }) => {
      const file = names.get(path);
      return file === undefined ? [] : [[file, { cpu, wall }] as const];
    }),
  );
}

/** A sentence for each file that used more CPU time than its budget. */
export function listOverruns(used: Costs, costs: Costs): string[] {
  return [...used].flatMap(([file, { cpu }]) => {
    const budget = Math.max(LEAST_BUDGET_SECONDS, BUDGET_FACTOR * (costs.get(file)?.cpu ?? 0));
    if (cpu <= budget) return [];
    return [
      `${file} used ${cpu.toFixed(1)} s of CPU time, and its budget is ${budget.toFixed(1)} s: make it cheaper, or measure it anew with ` +
        `node scripts/test.ts --record ${file} and commit ${COSTS}`,
    ];
  });
}

function writeCosts(costs: Costs): void {
  const known = new Set(listTestFiles());
  const listed = [...costs].filter(([file, { wall }]) => known.has(file) && wall >= LISTED_SECONDS);
  const lines = listed
    .toSorted(([, a], [, b]) => b.wall - a.wall)
    .map(([file, { cpu, wall }]) => `  ${JSON.stringify(file)}: [${Math.round(cpu)}, ${Math.round(wall)}]`);
  writeFileSync(COSTS, `{\n${lines.join(',\n')}\n}\n`);
}
