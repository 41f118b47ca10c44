/** Runs test files side by side, those that take longest first, and those that failed once more, alone. */
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec, type TestEvent } from 'node:test/reporters';
import { readCpuSeconds } from '../test/support/cost.ts';
import { runTwice, sumUp, type Verdict } from './second-run.ts';
import { makePrograms, writeProgram, type Program } from './test-programs.ts';

/** A test waits for timers, child processes and the database more than half of its time. */
const LANES = 4;
const CORES = 2;
/** The time limit of one test, which only ends one that hangs. test/support/deadline.ts limits a whole file. */
const TEST_TIMEOUT_MS = 1_800_000;
/** The costs of the files that take longest, as `node scripts/test.ts --record` has measured them. */
const COSTS = 'scripts/test-costs.json';
/** The expected cost of a file that is not listed there. */
const USUAL: Cost = { cpu: 2, wall: 4 };
/** Files that take less time are not listed. */
const LISTED_SECONDS = 5;
/** How many of the dearest files are shown at the end. */
const SHOWN_FILES = 10;

export interface Cost {
  /** Seconds of CPU time of the file's process and of those that it started, but not of the database server. */
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

/** Runs the files with one database server. Node's summary is printed last, or with `quiet` only when a test failed. */
export async function runTests(files: readonly string[], { record = false, quiet = false } = {}): Promise<boolean> {
  const costs = readCosts();
  // The set-up is loaded only now, after the checks, because it executes the code that they check.
  const { globalSetup, globalTeardown } = await import('../test/support/global-setup.ts');
  await globalSetup();
  const wall = (file: string): number => (costs.get(file) ?? USUAL).wall;
  const programs = makePrograms(files, { wall, shared: LANES });
  const { hasFailed, used } = await runPrograms(programs, { quiet, finish: globalTeardown });
  if (record) writeCosts(new Map([...costs, ...used]));
  return !hasFailed;
}

interface ProgramsOptions {
  quiet: boolean;
  /** Called when no test runs any more, before the costs are printed. */
  finish?(): Promise<void>;
}

/** Runs Node's test runner in this process, and a second one for each file that failed. */
export async function runPrograms(
  programs: readonly Program[],
  { quiet, finish = () => Promise.resolve() }: ProgramsOptions,
): Promise<{ hasFailed: boolean; used: Costs }> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-tests-'));
  const notes = join(folder, 'costs');
  process.env['PARLEY_TEST_COSTS'] = notes;
  writeFileSync(notes, '');
  const files = programs.flatMap((program) => program.files);
  const startedMs = performance.now();
  let hasFailed = true;
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= finish());
  const report = async function* (): AsyncGenerator<TestEvent> {
    const verdict = yield* runTwice(programs, {
      run: (paths) => run({ files: paths, concurrency: LANES, timeout: TEST_TIMEOUT_MS, execArgv: NODE_OPTIONS }),
      write: (program) => writeProgram(program, folder),
      listEnded: () => new Set(readUsed(notes, files).keys()),
    });
    hasFailed = verdict.failed.length > 0;
    await close();
    yield print(describeCosts(readUsed(notes, files)) + describeUnsteady(verdict));
    yield* sumUp(verdict, performance.now() - startedMs);
  };
  try {
    const events = Readable.from(report()).compose(new spec());
    if (quiet) {
      const printed = await text(events);
      if (hasFailed) process.stdout.write(printed);
    } else await pipeline(events, process.stdout, { end: false });
    return { hasFailed, used: readUsed(notes, files) };
  } finally {
    await close();
    rmSync(folder, { recursive: true });
  }
}

const print = (message: string): TestEvent => ({ type: 'test:stdout', data: { message, file: '' } });

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

/** The CPU time of this process and of all that it has waited for: checks, tests and the database. It is printed and judges nothing. */
function describeCosts(used: Costs): string {
  const dearest = [...used].toSorted(([, a], [, b]) => b.cpu - a.cpu).slice(0, SHOWN_FILES);
  const lines = dearest.map(([file, { cpu }]) => `  ${cpu.toFixed(1).padStart(6)} s  ${file}\n`);
  return `CPU time: ${(readCpuSeconds() / 60).toFixed(1)} minutes, the dearest files:\n${lines.join('')}`;
}

function describeUnsteady({ unsteady }: Verdict): string {
  if (unsteady.length === 0) return '';
  return `unsteady:\n${unsteady.map(({ file, failure }) => `  ${file}: ${failure}\n`).join('')}`;
}

function writeCosts(costs: Costs): void {
  const known = new Set(listTestFiles());
  const listed = [...costs].filter(([file, { wall }]) => known.has(file) && wall >= LISTED_SECONDS);
  const lines = listed
    .toSorted(([, a], [, b]) => b.wall - a.wall)
    .map(([file, { cpu, wall }]) => `  ${JSON.stringify(file)}: [${Math.round(cpu)}, ${Math.round(wall)}]`);
  writeFileSync(COSTS, `{\n${lines.join(',\n')}\n}\n`);
}
