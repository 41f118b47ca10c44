/** Changes the schema of a database that is in use. */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

// The number of tries of a change that cannot get a table lock: with the pauses and the lock time-out they take about a minute.
const LOCK_ROUNDS = 20;
const LOCK_PAUSE_MS = 1_000;
// PostgreSQL's codes for a lock time-out and for a deadlock.
const BLOCKED = new Set(['55P03', '40P01']);

/**
 * Runs `change` in a transaction, and again while a table is locked. It waits for a lock at most 2 s at a time, because all other statements
 * wait behind it. `what` begins the message of an error.
 */
export async function changeSchema(client: pg.Client, what: string, change: () => Promise<void>): Promise<void> {
  for (let round = 1; ; round += 1) {
    try {
      return await tryChange(client, what, change);
    } catch (error) {
      const { cause } = error as { cause?: { code?: string } };
      if (!BLOCKED.has(cause?.code ?? '') || round === LOCK_ROUNDS) throw error;
      await sleep(LOCK_PAUSE_MS);
    }
  }
}

async function tryChange(client: pg.Client, what: string, change: () => Promise<void>): Promise<void> {
  try {
    await client.query('begin');
    await client.query("set local lock_timeout = '2s'");
    await change();
    await client.query('commit');
  } catch (error) {
    // Failure policy: a failed rollback is ignored, because a broken connection has ended its transaction; the first error is thrown.
    await client.query('rollback').catch(() => undefined);
    throw new Error(`${what}: ${(error as Error).message}`, { cause: error });
  }
}
