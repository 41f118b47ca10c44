/** Notes whether the database takes changes, so that a process whose changes fail is not ready. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../values/errors.ts';
import { exec, isAway, isStorageFull, type Executor, type Statement } from './db.ts';
import { hasUnanswered } from './unanswered.ts';

// A process is not ready when its changes have failed for this long. A failover in order takes less.
const FAILING_MS = 5_000;
// A test that takes longer than this counts as failed: programs that ask for readiness soon give up.
const TEST_MS = 1_000;

export interface WriteWatch {
  /** Passes on the result of a change, and notes when the database did not take it. */
  note<T>(change: Promise<T>): Promise<T>;
  /** The same for each statement of an executor; a read that fails leads to a test as well. */
  noteStatements(executor: Executor): Executor;
  /** Throws UNAVAILABLE when changes have failed or had no answer for some seconds, and a test fails as well. */
  check(): Promise<void>;
  /** Makes a small change. Returns whether the database took it within a second. */
  takesChanges(): Promise<boolean>;
}

const TEST_WRITE: Statement = {
  name: 'writes.test',
  text: `insert into platform_state (key, value) values ('database.tested', now()::text)
    on conflict (key) do update set value = excluded.value`,
  values: [],
};

export function createWriteWatch(openSystem: () => Executor): WriteWatch {
  /** The time from which on changes have failed; null while the last test, or every change, has succeeded. */
  let sinceMs: number | null = null;
  let testing: Promise<boolean> | null = null;
  const fail = (beganMs: number): void => void (sinceMs = Math.min(sinceMs ?? beganMs, beganMs));

  async function runTest(): Promise<boolean> {
    // A test would wait as those changes do, and take one more connection.
    if (await hasUnanswered()) return false;
    try {
      await exec(openSystem(), TEST_WRITE);
      sinceMs = null;
      return true;
    } catch {
      // Failure policy: the cause does not matter, because the changes that failed have logged it.
      return false;
    }
  }

  const takesChanges = (): Promise<boolean> => {
    testing ??= runTest().finally(() => (testing = null));
    return Promise.race([testing, sleep(TEST_MS, false, { ref: false })]);
  };

  async function note<T>(change: Promise<T>): Promise<T> {
    const beganMs = performance.now();
    try {
      return await change;
    } catch (error) {
      if (isAway(error) && !isStorageFull(error)) fail(beganMs);
      throw error;
    }
  }

  return {
    takesChanges,
    note,
    noteStatements: (executor) => ({
      ...executor,
      query: (statement) => note(executor.query(statement)),
      execute: (statement) => note(executor.execute(statement)),
    }),
    check: async () => {
      if (sinceMs === null) return;
      const isLong = performance.now() - sinceMs >= FAILING_MS;
      if (!(await takesChanges()) && isLong)
        throw new AppError('UNAVAILABLE', 'The database takes no changes', [], { 'retry-after': '5' });
    },
  };
}
