/**
 * Connections whose COMMIT has no answer. With synchronous replication the server holds a COMMIT back until a standby has it, however long
 * that takes and whatever the time limits of statements are. Such a connection keeps its place in the pool, because the server keeps its
 * process: closing it and opening another would only add processes. It is never cancelled, because the server would then report as committed
 * what only one machine has.
 */
import type pg from 'pg';
import { askQuickly, closeAbruptly } from './hosts.ts';

/** The driver's own time-out would close the connection, so statements that may commit go without it. */
export const NEVER_MS = 2 ** 31 - 1;
// How often the server is asked again whether it still works for the connections.
const ASK_MS = 5_000;

const unanswered = new Map<pg.PoolClient, pg.Pool>();
let again: NodeJS.Timeout | undefined;
let asking: Promise<void> | undefined;

/** Runs a single statement on a connection of the pool. */
export async function queryOnce(pool: pg.Pool, query: pg.QueryConfig): Promise<pg.QueryResult> {
  return queryLast(pool, await pool.connect(), query);
}

/**
 * Runs the last statement on a connection, and gives the connection back to the pool. Throws when there is no answer within the query time-out
 * of the pool; the connection is then given back when the answer comes, or when the server does not work for it.
 */
export async function queryLast(pool: pg.Pool, client: pg.PoolClient, query: pg.QueryConfig): Promise<pg.QueryResult> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    unanswered.set(client, pool);
    again ??= setInterval(() => void hasUnanswered(), ASK_MS).unref();
    void hasUnanswered();
    late.reject(new Error('Query read timeout'));
  }, pool.options.query_timeout);
  const giveBack = (error?: Error): void => {
    clearTimeout(timer);
    unanswered.delete(client);
    client.release(error);
  };
  const answer = client.query({ ...query, query_timeout: NEVER_MS } as pg.QueryConfig);
  answer.then(() => giveBack(), giveBack);
  return Promise.race([answer, late.promise]);
}

/** Returns how many connections of this process have no answer. */
export const countUnanswered = (): number => unanswered.size;

/** Closes connections for which their server does not work. Returns whether others have no answer. Never throws. */
export async function hasUnanswered(): Promise<boolean> {
  if (unanswered.size > 0) await (asking ??= closeGone().finally(() => (asking = undefined)));
  if (unanswered.size > 0) return true;
  clearInterval(again);
  again = undefined;
  return false;
}

/** Closes the connections of a pool that have no answer, so that it can end. */
export function closeUnanswered(pool: pg.Pool): void {
  for (const [client, of] of unanswered) if (of === pool) closeAbruptly(client);
}

/**
 * Closes connections for which their server does not work: it was restarted or replaced, or has never received the statement because the
 * network lost the connection. Never throws.
 */
async function closeGone(): Promise<void> {
  const clients = [...unanswered.keys()] as (pg.PoolClient & { processID: number })[];
  for (const same of Map.groupBy(clients, ({ host, port }) => `${host}:${port}`).values()) {
    const [{ user, password, database, host, port, ssl } = {} as pg.PoolClient] = same;
    const text = `select pid from pg_stat_activity where pid = any($1::int[]) and state = 'active'`;
    const ids = same.map(({ processID }) => processID);
    // Failure policy: a server that does not answer may still work for the connections.
    const found = await askQuickly<{ pid: number }>({ user, password, database, host, port, ssl }, text, [ids]).catch(
      () => null,
    );
    for (const client of same)
      if (found && unanswered.has(client) && !found.some(({ pid }) => pid === client.processID)) {
        unanswered.delete(client);
        closeAbruptly(client);
      }
  }
}
