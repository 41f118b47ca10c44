/** Sends statements on connections, prepared or not. */
import type pg from 'pg';
import { ONE_PLAN, type Executor, type Statement } from './db.ts';
import { NEVER_MS, queryLast, queryOnce } from './unanswered.ts';

/** Runs single statements, each in a transaction of its own. */
export const createExecutor = (pool: pg.Pool): Executor =>
  createExecutorFrom(({ name, text, values, planEachTime }) =>
    planEachTime ? queryPlanned(pool, { text, values }) : queryOnce(pool, { name, text, values }),
  );

/** Sends a statement on this connection. */
export function sendStatement(
  client: pg.PoolClient,
  { name, text, values, planEachTime }: Statement,
): Promise<pg.QueryResult> {
  if (!planEachTime) return client.query({ name, text, values });
  client.query(PLAN_EACH_TIME).catch(ignore);
  const answer = client.query({ text, values });
  client.query(PLAN_ONCE).catch(ignore);
  return answer;
}

/** What follows on the connection is sent without waiting for the answer, which may come when the connection has been given back. */
async function queryPlanned(pool: pg.Pool, query: pg.QueryConfig): Promise<pg.QueryResult> {
  const client = await pool.connect();
  client.query(PLAN_EACH_TIME).catch(ignore);
  const answer = queryLast(pool, client, query);
  client.query(PLAN_ONCE).catch(ignore);
  return answer;
}

const PLAN_EACH_TIME = { text: 'set plan_cache_mode = auto', query_timeout: NEVER_MS };
const PLAN_ONCE = { text: `set plan_cache_mode = ${ONE_PLAN}`, query_timeout: NEVER_MS };
// Failure policy: when one of these fails, the connection is broken, or its transaction is rolled back with what was set in it.
const ignore = (): void => undefined;

export function createExecutorFrom(run: (statement: Statement) => Promise<pg.QueryResult>): Executor {
  return {
    query: async <R>(statement: Statement) => (await run(statement)).rows as R[],
    execute: async (statement) => (await run(statement)).rowCount ?? 0,
  };
}
