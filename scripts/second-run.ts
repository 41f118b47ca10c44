/**
 * Runs test programs and, once all have ended, each failed test file once more, alone and with the same seed. A file that passes then counts
 * as passed and is listed as unsteady: a test may wait for a busy machine, but it must not fail because of it.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { inspect } from 'node:util';
import type { TestEvent } from 'node:test/reporters';
import type { Program } from './test-programs.ts';

/** Runs one or more files that Node can run, and returns what they report. */
export type Runner = (paths: string[]) => AsyncIterable<TestEvent>;

export interface RunOptions {
  run: Runner;
  /** The path of the file that Node runs for a program. */
  write(program: Program): string;
  /** Returns the files that have run to their end, as their process has noted. */
  listEnded(): ReadonlySet<string>;
}

export interface Verdict {
  /** Files that failed twice. */
  failed: string[];
  /** Files that failed, and passed when they ran alone, with their first failure. */
  unsteady: { file: string; failure: string }[];
  counts: Counts;
}

type Counts = Record<'tests' | 'suites' | 'pass' | 'fail' | 'cancelled' | 'skipped' | 'todo', number>;

/** The events of one test file. */
interface Report {
  events: TestEvent[];
  /** The first failure; undefined when nothing failed. */
  failure?: string | undefined;
}

/** What Node tells in the order of the tests. It tells everything else a second time. */
const ORDERED = new Set(['test:start', 'test:pass', 'test:fail', 'test:plan', 'test:diagnostic', 'test:summary']);
const PRINTED = new Set(['test:stdout', 'test:stderr']);
const CANCELLED = new Set(['cancelledByParent', 'testTimeoutFailure', 'testAborted']);

/** Yields the events of each file's last run, and returns the verdict. */
export async function* runTwice(programs: readonly Program[], options: RunOptions): AsyncGenerator<TestEvent, Verdict> {
  const verdict: Verdict = { failed: [], unsteady: [], counts: countNothing() };
  const first: { file: string; failure: string }[] = [];
  for await (const [file, { events, failure }] of report(programs, options)) {
    if (failure !== undefined) first.push({ file, failure });
    else yield* countEach(events, verdict.counts);
  }
  for (const { file, failure } of first) {
    for await (const [, again] of report([{ files: [file], weight: 0 }], options)) {
      yield* countEach(again.events, verdict.counts);
      if (again.failure === undefined) verdict.unsteady.push({ file, failure });
      else verdict.failed.push(file);
    }
  }
  return verdict;
}

/** Runs the programs and yields the report of each file. */
async function* report(
  programs: readonly Program[],
  { run, write, listEnded }: RunOptions,
): AsyncGenerator<[string, Report]> {
  const byPath = new Map(programs.map((program) => [resolve(write(program)), program]));
  for await (const [path, events] of groupByProgram(run([...byPath.keys()]), [...byPath.keys()]))
    yield* divideByFile(events, path, { files: byPath.get(path)?.files ?? [], ended: listEnded() });
}

const isReported = ({ type }: TestEvent): boolean => ORDERED.has(type) || PRINTED.has(type);

/** The path of the program that an event belongs to; undefined for the closing lines of the whole run. */
function programOf({ data }: TestEvent): string | undefined {
  const { entryFile, file } = data as { entryFile?: string; file?: string };
  return entryFile ?? file;
}

/** Yields the events of one program after the other, each as soon as the next one begins to report. */
async function* groupByProgram(
  events: AsyncIterable<TestEvent>,
  paths: readonly string[],
): AsyncGenerator<[path: string, events: TestEvent[]]> {
  const held = new Map<string | undefined, TestEvent[]>(paths.map((path) => [path, []]));
  let current: string | undefined;
  for await (const event of events) {
    const path = programOf(event);
    const own = held.get(path);
    if (!own || !isReported(event)) continue;
    if (ORDERED.has(event.type) && path !== current) {
      if (current !== undefined) yield [current, held.get(current) ?? []];
      held.delete(current);
      current = path;
    }
    own.push(event);
  }
  for (const [path, left] of held) yield [path as string, left];
}

interface Ends {
  files: readonly string[];
  /** The files that have run to their end. */
  ended: ReadonlySet<string>;
}

/**
 * Divides the events of a program. In a program of several files each file is a suite with its name. When the process fails as a whole, or
 * ends before its tests, the files that have not ended fail, or all of them when it is unknown which one was to blame.
 */
function divideByFile(events: readonly TestEvent[], path: string, { files, ended }: Ends): Map<string, Report> {
  const reports = new Map<string, Report>(files.map((file) => [file, { events: [] }]));
  const [first = ''] = files;
  let open: TestEvent[] = [];
  let whole: TestEvent | undefined;
  let isSummedUp = false;
  const give = (file: string): void => {
    const own = reports.get(files.find((one) => resolve(one) === resolve(file)) ?? first) as Report;
    own.events.push(...open);
    own.failure ??= findFailure(open);
    open = [];
  };
  for (const event of events) {
    if (event.type === 'test:summary') isSummedUp = true;
    else if (readName(event) === path) whole = event;
    else open.push(event);
    if (isEnd(event) && event !== whole) give(files.length === 1 ? first : event.data.name);
  }
  give(first);
  if (isSummedUp && whole?.type !== 'test:fail' && files.every((file) => ended.has(file))) return reports;
  const left = files.filter((file) => !ended.has(file));
  for (const file of left.length > 0 ? left : files) {
    const fault = makeFault(file, whole);
    reports.get(file)?.events.push(fault);
    (reports.get(file) as Report).failure ??= findFailure([fault]);
  }
  return reports;
}

const readName = ({ data }: TestEvent): string | undefined => (data && 'name' in data ? data.name : undefined);

const isEnd = (event: TestEvent): event is TestEvent & { type: 'test:pass' | 'test:fail' } =>
  (event.type === 'test:pass' || event.type === 'test:fail') && event.data.nesting === 0;

/** The failure of a file whose process has failed as a whole, or has ended before the tests of this file. */
function makeFault(file: string, whole: TestEvent | undefined): TestEvent & { type: 'test:fail' } {
  const error =
    whole?.type === 'test:fail'
      ? whole.data.details.error
      : new Error('the process ended before the tests of this file');
  const details = { duration_ms: 0, type: 'test' as const, error: error as typeof error & { cause: unknown } };
  return {
    type: 'test:fail',
    data: { name: file, nesting: 0, testNumber: 0, details, file: resolve(file) },
  } as ReturnType<typeof makeFault>;
}

/** A comparison of two records differs in a line somewhere behind its sentence. */
const MOST_LINES = 30;

function findFailure(events: readonly TestEvent[]): string | undefined {
  for (const event of events) {
    if (event.type !== 'test:fail' || isExcused(event.data)) continue;
    const { error } = event.data.details;
    const cause: unknown = error.cause ?? error;
    const lines = (cause instanceof Error ? explain(cause) : inspect(cause))
      .split('\n')
      .filter((line) => line.trim() !== '');
    const shown = lines.slice(0, MOST_LINES).join('\n    ');
    return event.data.nesting === 0 && existsSync(event.data.name) ? shown : `${event.data.name}: ${shown}`;
  }
  return undefined;
}

/** The message of an error with those of its causes: fetch itself only says that it failed. */
function explain({ message, cause }: Error): string {
  return cause instanceof Error ? `${message}: ${explain(cause)}` : message;
}

const isExcused = ({ skip, todo }: { skip?: string | boolean; todo?: string | boolean }): boolean =>
  (skip !== undefined && skip !== false) || (todo !== undefined && todo !== false);

const countNothing = (): Counts => ({ tests: 0, suites: 0, pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 });

function* countEach(events: readonly TestEvent[], counts: Counts): Generator<TestEvent> {
  for (const event of events) {
    count(counts, event);
    yield event;
  }
}

/** Counts as Node does; in addition, a suite that fails by itself, such as a file that cannot be loaded, is a failed test. */
function count(counts: Counts, event: TestEvent): void {
  if (event.type !== 'test:pass' && event.type !== 'test:fail') return;
  const { data } = event;
  const failureType =
    event.type === 'test:fail' ? (event.data.details.error as { failureType?: string }).failureType : '';
  if (data.details.type === 'suite') counts.suites += 1;
  if (data.details.type === 'suite' && (event.type === 'test:pass' || failureType === 'subtestsFailed')) return;
  counts.tests += 1;
  if (data.skip !== undefined && data.skip !== false) counts.skipped += 1;
  else if (data.todo !== undefined && data.todo !== false) counts.todo += 1;
  else if (event.type === 'test:pass') counts.pass += 1;
  else if (CANCELLED.has(failureType ?? '')) counts.cancelled += 1;
  else counts.fail += 1;
}

/** Yields the closing lines of Node's test runner for all files together. */
export function* sumUp({ counts, failed }: Verdict, durationMs: number): Generator<TestEvent> {
  const lines = [...Object.entries(counts), ['duration_ms', durationMs]].map((line) => line.join(' '));
  for (const message of lines) yield { type: 'test:diagnostic', data: { message, nesting: 0, level: 'info' } };
  const { tests, suites, pass: passed, fail, ...rest } = counts;
  const summed = { tests, suites, passed, failed: fail, ...rest, topLevel: tests };
  // Without a file it is the summary of the whole run, after which the reporter shows the failures.
  const data = { success: failed.length === 0, counts: summed, duration_ms: durationMs, file: undefined };
  yield { type: 'test:summary', data } as TestEvent;
}
