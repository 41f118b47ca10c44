/** Runs a transaction on one connection and controls how its statements are sent. */
import type pg from 'pg';
import { createExecutorFrom, sendStatement, type Executor } from './db.ts';

/** Runs the statements of one transaction. */
export interface TransactionExecutor extends Executor {
  /**
   * Registers the answer of a statement that is not awaited: later statements and COMMIT are sent without waiting for it. When the
   * statement fails, nothing is committed.
   */
  awaitAtCommit(answer: Promise<unknown>): void;
}

export interface TransactionOptions {
  /**
   * Sends the first statements together with BEGIN. If BEGIN failed they would run without a transaction, so they have to be harmless then:
   * reads, or statements under row-level security, which see and change nothing without the company that BEGIN sets. Later statements
   * are sent after BEGIN has succeeded.
   */
  startsWithBegin?: boolean;
  /** Sends all statements of one turn of the event loop as one network packet, because each packet wakes the database. */
  gathers?: boolean;
}

/**
 * Runs `work` between BEGIN (`begin` may also contain settings) and COMMIT. When anything throws, the transaction is rolled back and the
 * first error is thrown.
 */
export async function inTransaction<T>(
  pool: pg.Pool,
  begin: string,
  work: (executor: TransactionExecutor) => Promise<T>,
  { startsWithBegin = false, gathers = false }: TransactionOptions = {},
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const ignore = (): void => undefined;
  const unawaited = collectUnawaited();
  let isEnding = false;
  try {
    const gather = gathers ? createStatementGatherer(client) : ignore;
    gather();
    const begun = client.query(begin);
    // Failure policy: a failed BEGIN is thrown when the answer of a statement is used, or else by COMMIT.
    begun.catch(ignore);
    if (!startsWithBegin) await begun;
    const executor = createExecutorFrom(async (statement) => {
      // It would run outside of the transaction, and could be lost although the transaction is committed.
      if (isEnding) throw new Error(`a statement after COMMIT: ${statement.name ?? statement.text}`);
      gather();
      const answer = sendStatement(client, statement);
      return startsWithBegin ? resolveAfter(begun, answer) : answer;
    });
    const result = await work({ ...executor, awaitAtCommit: unawaited.add });
    isEnding = true;
    gather();
    const [{ command }] = await Promise.all([client.query('commit'), ...unawaited.answers]);
    // When the error of a statement was ignored, PostgreSQL answers COMMIT with ROLLBACK. The caller must not take that for a success.
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back at its end');
    return result;
  } catch (error) {
    try {
      await client.query('rollback');
    } catch (rollbackError) {
      // Failure policy: a connection that can not roll back is broken; it is removed from the pool.
      broken = rollbackError as Error;
    }
    // After a failed statement all later ones fail as well, so the first failure of an unawaited statement is the cause.
    throw unawaited.failure()?.error ?? error;
  } finally {
    client.release(broken);
  }
}

/** Resolves with the answer of a statement once BEGIN has succeeded, too. */
async function resolveAfter<T>(begun: Promise<unknown>, answer: Promise<T>): Promise<T> {
  const [first] = await Promise.all([answer, begun]);
  return first;
}

/** Returns a function that buffers the statements sent to the connection until the end of the current turn of the event loop. */
function createStatementGatherer(client: pg.PoolClient): () => void {
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

function collectUnawaited() {
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
