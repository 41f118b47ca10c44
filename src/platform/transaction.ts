/** One transaction on one connection, and how its statements travel. */
import type pg from 'pg';
import { executorBy, send, type Executor } from './db.ts';

/** What the statements of one transaction need besides. */
export interface TransactionExecutor extends Executor {
  /**
   * Takes the answer of a statement that nobody waits for: what follows, and COMMIT, is sent behind it without waiting. When it
   * fails nothing is committed.
   */
  trails(answer: Promise<unknown>): void;
}

export interface TransactionOptions {
  /**
   * The first statements travel together with BEGIN. They may only read: if BEGIN itself failed, they would run without a
   * transaction. Nothing is sent after them before BEGIN has succeeded.
   */
  readsFirst?: boolean;
  /** What is asked for in one turn of the event loop leaves in one piece: each piece wakes the database. */
  gathers?: boolean;
}

/**
 * Runs `work` between BEGIN (with the settings that travel in its round trip) and COMMIT. When anything throws, the
 * transaction is rolled back and the first error is what the caller sees.
 */
export async function inTransaction<T>(
  pool: pg.Pool,
  begin: string,
  work: (executor: TransactionExecutor) => Promise<T>,
  { readsFirst = false, gathers = false }: TransactionOptions = {},
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const ignore = (): void => undefined;
  const trail = createTrail();
  try {
    const gather = gathers ? gatherer(client) : ignore;
    gather();
    const begun = client.query(begin);
    // Failure policy: whoever believes an answer hears of it; when nothing is asked, COMMIT does.
    begun.catch(ignore);
    if (!readsFirst) await begun;
    const executor = executorBy(async (statement) => {
      gather();
      const answer = send(client, statement);
      return readsFirst ? answerAfter(begun, answer) : answer;
    });
    const result = await work({ ...executor, trails: trail.add });
    gather();
    const [{ command }] = await Promise.all([client.query('commit'), ...trail.answers]);
    // A statement's error that was swallowed has rolled everything back: nobody must take that for done.
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back at its end');
    return result;
  } catch (error) {
    try {
      await client.query('rollback');
    } catch (rollbackError) {
      // Failure policy: the connection is gone with its transaction; it must not return to the pool.
      broken = rollbackError as Error;
    }
    // After a failed statement all others fail as well, so what was thrown here may only be its consequence.
    throw trail.failure()?.error ?? error;
  } finally {
    client.release(broken);
  }
}

/** No answer is believed before the transaction has begun. */
async function answerAfter<T>(begun: Promise<unknown>, answer: Promise<T>): Promise<T> {
  const [first] = await Promise.all([answer, begun]);
  return first;
}

/** What is written to the connection from now on waits until the event loop has nothing else to do in this turn. */
function gatherer(client: pg.PoolClient): () => void {
  const { stream } = (client as pg.PoolClient & Pick<pg.Client, 'connection'>).connection;
  let isHeld = false;
  return () => {
    if (isHeld) return;
    isHeld = true;
    stream.cork();
    setImmediate(() => {
      isHeld = false;
      stream.uncork();
    });
  };
}

function createTrail() {
  const answers: Promise<unknown>[] = [];
  let failure: { error: unknown } | null = null;
  return {
    answers,
    add: (answer: Promise<unknown>): void => {
      answers.push(answer);
      answer.catch((error: unknown) => (failure ??= { error }));
    },
    failure: (): { error: unknown } | null => failure,
  };
}
