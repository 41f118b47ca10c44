/** A pooler such as PgBouncer between the platform and PostgreSQL. */
import type pg from 'pg';

/**
 * Throws one sentence when a pooler gives each transaction another session: the platform sets the role and the limits of a session once, and
 * listens and locks in it. A session would keep its server process while `other`, a new connection, uses one.
 */
export async function refuseTransactionPooling(client: pg.Client, other: pg.Client): Promise<void> {
  const first = await readProcess(client);
  // Without a pooler, the server says the number of the process when the connection is made.
  if (first === (client as pg.Client & { processID: number }).processID) return;
  try {
    await other.connect();
    await other.query('begin');
    const second = await readProcess(other);
    if (second === first || (await readProcess(client)) !== first)
      throw new Error(
        'the pooler of DATABASE_URL gives each transaction another session: set pool_mode = session, or name PostgreSQL itself',
      );
  } finally {
    await other.end();
  }
}

/** Runs the statements of a new session, and notes the number of the server's process in the client: a pooler says another one. */
export async function setUpSession(client: pg.ClientBase, session: string): Promise<void> {
  const results: unknown = await client.query(`${session}; select pg_backend_pid() as "processID"`);
  Object.assign(client, (results as pg.QueryResult<object>[]).at(-1)?.rows[0]);
}

async function readProcess(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ id: number }>('select pg_backend_pid() as id');
  return rows[0]?.id;
}
