/** Changes the schema of a database that is in use. */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

// All other statements wait behind one that waits for a lock, so it waits for a moment only. The last tries wait longer, because autovacuum
// gives way to a statement that has waited for a second. Together the tries take about a minute.
const LOCK_ROUNDS = 70;
const LOCK_PAUSE_MS = 500;
const LONG_ROUNDS = 10;
// PostgreSQL's codes for a lock time-out and for a deadlock.
const BLOCKED = new Set(['55P03', '40P01']);

/** Runs `change` in a transaction, and again while a table is locked. `what` begins the message of an error. */
export const changeSchema = (client: pg.Client, what: string, change: () => Promise<void>): Promise<void> =>
  repeatWhileLocked((left) => tryChange(client, what, left < LONG_ROUNDS ? '2s' : '100ms', change));

/** Repeats `work` while it fails because a table is locked; `left` is how many more tries there are. */
export async function repeatWhileLocked<T>(work: (left: number) => Promise<T>): Promise<T> {
  for (let left = LOCK_ROUNDS - 1; ; left -= 1) {
    try {
      return await work(left);
    } catch (error) {
      const { code, cause } = error as { code?: string; cause?: { code?: string } };
      if (!BLOCKED.has(code ?? cause?.code ?? '') || left === 0) throw error;
      await sleep(LOCK_PAUSE_MS);
    }
  }
}

async function tryChange(
  client: pg.Client,
  what: string,
  lockTimeout: string,
  change: () => Promise<void>,
): Promise<void> {
  try {
    await client.query('begin');
    await client.query(`set local lock_timeout = '${lockTimeout}'`);
    await change();
    await client.query('commit');
  } catch (error) {
    // Failure policy: a failed rollback is ignored, because a broken connection has ended its transaction; the first error is thrown.
    await client.query('rollback').catch(() => undefined);
    throw new Error(`${what}: ${(error as Error).message}`, { cause: error });
  }
}
