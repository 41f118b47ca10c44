/** Runs test files side by side, the most expensive ones first, and fails a file that uses more CPU time than its budget. */
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

/** A test waits for timers, child processes and the database a third of its time. A fourth file at once made others wait too long for the database. */
const LANES = 3;
const CORES = 2;
/** The time limit of one test, many times what it needs. test/support/deadline.ts limits a whole file. */
const TEST_TIMEOUT_MS = 240_000;
/** The costs of the files that take longest, as `node scripts/test.ts --record` has measured them. */
const COSTS = 'scripts/test-costs.json';
/** What a file is expected to cost that is not listed there. */
const USUAL: Cost = { cpu: 2, wall: 4 };
/** Files that take less time are not listed. */
const LISTED_SECONDS = 5;
/** A file may use so many times the CPU time that is listed, and so much in any case: slower machines use more for the same work. */
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

const PRELOADED = [import.meta.resolve('../test/support/deadline.ts'), import.meta.resolve('../test/support/cost.ts')];

function readCosts(): Costs {
  const listed = JSON.parse(readFileSync(COSTS, 'utf8')) as Record<string, [cpu: number, wall: number]>;
  return new Map(Object.entries(listed).map(([file, [cpu, wall]]) => [file, { cpu, wall }]));
}

/** All test files; the long proofs under test/full are no tests. */
export const listTestFiles = (): string[] =>
  globSync('{src,sandbox,scripts,test}/**/*.test.ts', { exclude: ['test/full/**'] }).map((path) =>
    path.replaceAll('\\', '/'),
  );

/** About how long these files take on two idle cores. */
export function estimateSeconds(files: readonly string[]): number {
  const costs = readCosts();
  const add = (part: keyof Cost): number => files.reduce((sum, file) => sum + (costs.get(file) ?? USUAL)[part], 0);
  return Math.ceil(Math.max(add('cpu') / CORES, add('wall') / LANES));
}

/**
 * Runs Node's test runner in this process; its summary is printed last, or with `quiet` only when a test failed. Returns false when a test
 * failed or cost too much.
 */
export async function runTests(files: readonly string[], { record = false, quiet = false } = {}): Promise<boolean> {
  const costs = readCosts();
  const ordered = files.toSorted((a, b) => (costs.get(b)?.wall ?? 0) - (costs.get(a)?.wall ?? 0) || (a < b ? -1 : 1));
  const folder = mkdtempSync(join(tmpdir(), 'parley-costs-'));
  process.env['PARLEY_TEST_COSTS'] = join(folder, 'costs');
  writeFileSync(join(folder, 'costs'), '');
  // The set-up is loaded only now, after the checks, because it executes the code that they check.
  const { globalSetup, globalTeardown } = await import('../test/support/global-setup.ts');
  await globalSetup();
  let hasFailed = false;
  try {
    const events = run({
      files: ordered,
      concurrency: LANES,
      timeout: TEST_TIMEOUT_MS,
      execArgv: PRELOADED.flatMap((address) => ['--import', address]),
    });
    events.on('test:fail', () => (hasFailed = true));
    if (quiet) {
      const report = await text(events.compose(new spec()));
      if (hasFailed) process.stdout.write(report);
    } else await pipeline(events, new spec(), process.stdout, { end: false });
    const used = readUsed(join(folder, 'costs'), files);
    if (record) writeCosts(new Map([...costs, ...used]));
    for (const sentence of listOverruns(used, costs)) {
      console.log(`✖ ${sentence}`);
      hasFailed = true;
    }
  } finally {
    await globalTeardown();
    rmSync(folder, { recursive: true });
  }
  return !hasFailed;
}

/** The costs that the files have noted at their ends; one that was killed has noted none. */
function readUsed(path: string, files: readonly string[]): Costs {
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  const noted = lines.map((line) => JSON.parse(line) as Cost & { file: string });
  const used = noted.map(({ file, cpu, wall }) => [relative('.', file).replaceAll('\\', '/'), { cpu, wall }] as const);
  return new Map(used.filter(([file]) => files.includes(file)));
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
