/** Locks of the whole installation that a process holds on a connection of its own, so that its work may take longer than a transaction. */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { newClient, PATIENT_WAIT_MS } from './db.ts';
import { findHosts } from './hosts.ts';

// How often a process checks whether another one has released the lock.
const TURN_MS = 50;

/**
 * Waits until this connection has the lock, which it keeps until the connection ends. The lock is requested again and again, because a
 * statement that waits for a lock would hold a snapshot, and creating an index concurrently waits for all snapshots to end.
 */
export async function takeAdvisoryLock(client: pg.Client, lock: number): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ mine: boolean }>('select pg_try_advisory_lock($1) as mine', [lock]);
    if (rows[0]?.mine) return;
    await sleep(TURN_MS);
  }
}

/** Runs `work` while this process holds the lock; processes that want it as well wait for each other. */
export async function runExclusively<T>(url: string, lock: number, work: () => Promise<T>): Promise<T> {
  const connectionString = await findHosts(url).choose(PATIENT_WAIT_MS);
  const client = newClient({ connectionString, application_name: 'parley lock', keepAlive: true });
  await client.connect();
  try {
    await takeAdvisoryLock(client, lock);
    return await work();
  } finally {
    await client.end();
  }
}
