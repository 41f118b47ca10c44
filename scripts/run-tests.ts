/** Runs test files side by side, those that take longest first, and those that failed once more, alone. */
import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec, type TestEvent } from 'node:test/reporters';
import { readSeed } from '../test/full/harness/chance.ts';
import { readCpuSeconds } from '../test/support/cost.ts';
import { runTwice, sumUp, type Verdict } from './second-run.ts';
import { makePrograms, writeProgram, type Program } from './test-programs.ts';

/** A test waits for timers, child processes and the database more than half of its time. */
const LANES = 6;
/** The time limit of a process, which may run a hundred files. test/support/deadline.ts limits each of them, and ends one that hangs. */
const TEST_TIMEOUT_MS = 14_400_000;
/** Tests of pages and of whole processes take longer than others of the same length. */
const SLOW_FOLDERS = /^test\/(pages|guarantees)\/|^src\/boot\//;
const SLOW_BYTES = 100_000;
/** When no file has ended for so long, the run says which files it waits for. */
const SILENT_MS = 300_000;
const MOST_NAMED = 12;
/** How many of the dearest files are shown at the end. */
const SHOWN_FILES = 10;

export interface Cost {
  /** Seconds of CPU time of the file's process and of those that it started, but not of the database server. */
  cpu: number;
}
type Costs = ReadonlyMap<string, Cost>;

const PRELOADED = [
  import.meta.resolve('../test/support/current-test.ts'),
  import.meta.resolve('../test/support/deadline.ts'),
  import.meta.resolve('../test/support/cost.ts'),
  import.meta.resolve('../test/support/patient-servers.ts'),
];
/** The same memory and threads for V8 as in `npm start`: with several threads the garbage collection uses more CPU time. */
const NODE_OPTIONS = [
  '--max-semi-space-size=16',
  '--v8-pool-size=1',
  ...PRELOADED.flatMap((address) => ['--import', address]),
];

/** Files start in the order of this number, the largest first, so that none that takes long is left at the end of the run. */
const weigh = (file: string): number => statSync(file).size + (SLOW_FOLDERS.test(file) ? SLOW_BYTES : 0);

/** All test files; the long proofs under test/full are no tests. */
export const listTestFiles = (): string[] =>
  globSync('{src,sandbox,scripts,test}/**/*.test.ts', { exclude: ['test/full/**'] }).map((path) =>
    path.replaceAll('\\', '/'),
  );

/** Runs the files with one database server. Node's summary is printed last, or with `quiet` only when a test failed. */
export async function runTests(files: readonly string[], { quiet = false } = {}): Promise<boolean> {
  // The set-up is loaded only now, after the checks, because it executes the code that they check.
  const { globalSetup, globalTeardown } = await import('../test/support/global-setup.ts');
  await globalSetup();
  const programs = makePrograms(files, { weigh, shared: LANES });
  return !(await runPrograms(programs, { quiet, finish: globalTeardown }));
}

interface ProgramsOptions {
  quiet: boolean;
  /** Called when no test runs any more, before the costs are printed. */
  finish?(): Promise<void>;
}

/** Runs Node's test runner in this process, and a second one for each file that failed. Returns whether a file failed twice. */
export async function runPrograms(
  programs: readonly Program[],
  { quiet, finish = () => Promise.resolve() }: ProgramsOptions,
): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-tests-'));
  const notes = join(folder, 'costs');
  process.env['PARLEY_TEST_COSTS'] = notes;
  // All files draw from one seed, and a file that failed runs again with it: what chance has found must not pass as noise.
  const seed = readSeed();
  process.env['SEED'] = String(seed);
  writeFileSync(notes, '');
  const files = programs.flatMap((program) => program.files);
  const startedMs = performance.now();
  let hasFailed = true;
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= finish());
  const watch = watchSilence(programs, () => new Set(readUsed(notes, files).keys()));
  const report = async function* (): AsyncGenerator<TestEvent> {
    const verdict = yield* runTwice(programs, {
      run: (paths) => run({ files: paths, concurrency: LANES, timeout: TEST_TIMEOUT_MS, execArgv: NODE_OPTIONS }),
      write: (program) => writeProgram(program, folder),
      listEnded: () => new Set(readUsed(notes, files).keys()),
    });
    hasFailed = verdict.failed.length > 0;
    await close();
    yield print(describeCosts(readUsed(notes, files)) + describeFailures(verdict, seed));
    yield* sumUp(verdict, performance.now() - startedMs);
  };
  try {
    const events = Readable.from(report()).compose(new spec());
    if (quiet) {
      const printed = await text(events);
      if (hasFailed) process.stdout.write(printed);
    } else await pipeline(events, process.stdout, { end: false });
    return hasFailed;
  } finally {
    clearInterval(watch);
    await close();
    rmSync(folder, { recursive: true });
  }
}

/** Names the files that have not ended when none has ended for a long time, because a test that hangs prints nothing. */
function watchSilence(programs: readonly Program[], listEnded: () => Set<string>): NodeJS.Timeout {
  let seen = 0;
  return setInterval(() => {
    const ended = listEnded();
    if (ended.size === seen) {
      const next = programs.flatMap(({ files }) => files.find((file) => !ended.has(file)) ?? []);
      const minutes = SILENT_MS / 60_000;
      process.stderr.write(
        `no test file has ended for ${minutes} minutes; next: ${next.slice(0, MOST_NAMED).join(', ')}\n`,
      );
    }
    seen = ended.size;
  }, SILENT_MS).unref();
}

const print = (message: string): TestEvent => ({ type: 'test:stdout', data: { message, file: '' } });

/** Reads the costs that the test files noted when they ended. A file that was killed has noted none. */
function readUsed(notes: string, files: readonly string[]): Costs {
  const names = new Map(files.map((file) => [resolve(file), file]));
  const lines = readFileSync(notes, 'utf8').split('\n').filter(Boolean);
  const noted = lines.map((line) => JSON.parse(line) as Cost & { path: string });
  return new Map(
    noted.flatMap(({ path, cpu }) => {
      const file = names.get(path);
      return file === undefined ? [] : [[file, { cpu }] as const];
    }),
  );
}

/** The CPU time of this process and of all that it has waited for: checks, tests and the database. It is printed and judges nothing. */
function describeCosts(used: Costs): string {
  const dearest = [...used].toSorted(([, a], [, b]) => b.cpu - a.cpu).slice(0, SHOWN_FILES);
  const lines = dearest.map(([file, { cpu }]) => `  ${cpu.toFixed(1).padStart(6)} s  ${file}\n`);
  return `CPU time: ${(readCpuSeconds() / 60).toFixed(1)} minutes, the dearest files:\n${lines.join('')}`;
}

function describeFailures({ failed, unsteady }: Verdict, seed: number): string {
  if (failed.length + unsteady.length === 0) return '';
  const sections = [
    `each failed file ran twice with SEED=${seed}\n`,
    ...(failed.length > 0 ? [`failed twice:\n${failed.map((file) => `  ${file}\n`).join('')}`] : []),
    ...(unsteady.length > 0
      ? [`unsteady:\n${unsteady.map(({ file, failure }) => `  ${file}: ${failure}\n`).join('')}`]
      : []),
  ];
  return sections.join('');
}
