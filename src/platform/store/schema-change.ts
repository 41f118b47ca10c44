/** Changes the schema of a database that is in use. */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

// Each try waits for a lock only for a moment, because all other statements wait behind it. Together the tries take about a minute.
const LOCK_ROUNDS = 120;
const LOCK_PAUSE_MS = 400;
const LOCK_WAIT = '100ms';
// PostgreSQL's codes for a lock time-out and for a deadlock.
const BLOCKED = new Set(['55P03', '40P01']);

/** Runs `change` in a transaction, and again while a table is locked. `what` begins the message of an error. */
export const changeSchema = (client: pg.Client, what: string, change: () => Promise<void>): Promise<void> =>
  repeatWhileLocked(() => tryChange(client, what, change));

/** Repeats `work` while it fails because a table is locked. */
export async function repeatWhileLocked<T>(work: () => Promise<T>): Promise<T> {
  for (let round = 1; ; round += 1) {
    try {
      return await work();
    } catch (error) {
      const { code, cause } = error as { code?: string; cause?: { code?: string } };
      if (!BLOCKED.has(code ?? cause?.code ?? '') || round === LOCK_ROUNDS) throw error;
      await sleep(LOCK_PAUSE_MS);
    }
  }
}

async function tryChange(client: pg.Client, what: string, change: () => Promise<void>): Promise<void> {
  try {
    await client.query('begin');
    await client.query(`set local lock_timeout = '${LOCK_WAIT}'`);
    await change();
    await client.query('commit');
  } catch (error) {
    // Failure policy: a failed rollback is ignored, because a broken connection has ended its transaction; the first error is thrown.
    await client.query('rollback').catch(() => undefined);
    throw new Error(`${what}: ${(error as Error).message}`, { cause: error });
  }
}
