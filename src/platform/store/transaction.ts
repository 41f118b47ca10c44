/** Runs a transaction on one connection and controls how its statements are sent. */
import type pg from 'pg';
import { isReadOnlyServer, type Executor } from './db.ts';
import { createExecutorFrom, sendStatement } from './executors.ts';
import { queryLast } from './unanswered.ts';

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
}

/**
 * Runs `work` between BEGIN (`begin` may also contain settings) and COMMIT. When `work` throws, the transaction is rolled back and the first
 * error is thrown. A COMMIT without an answer throws as well, although the transaction may be committed later.
 */
export async function inTransaction<T>(
  pool: pg.Pool,
  begin: string,
  work: (executor: TransactionExecutor) => Promise<T>,
  { startsWithBegin = false }: TransactionOptions = {},
): Promise<T> {
  const client = await pool.connect();
  const ignore = (): void => undefined;
  const unawaited = collectUnawaited();
  const gather = createStatementGatherer(client);
  let isEnding = false;
  let result: T;
  try {
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
    result = await work({ ...executor, awaitAtCommit: unawaited.add });
  } catch (error) {
    await rollBack(client, error);
    // After a failed statement all later ones fail as well, so the first failure of an unawaited statement is the cause.
    throw unawaited.failure()?.error ?? error;
  } finally {
    isEnding = true;
  }
  gather();
  // It is never followed by ROLLBACK: without an answer, it may still be committed.
  const [{ command }] = await Promise.all([queryLast(pool, client, { text: 'commit' }), ...unawaited.answers]);
  // When the error of a statement was ignored, PostgreSQL answers COMMIT with ROLLBACK. The caller must not take that for a success.
  if (command !== 'COMMIT') throw new Error('the transaction was rolled back at its end');
  return result;
}

/** Ends a transaction that has failed, and gives the connection back. A connection to a server that is read-only now is not used again. */
async function rollBack(client: pg.PoolClient, error: unknown): Promise<void> {
  try {
    await client.query('rollback');
    client.release(isReadOnlyServer(error) ? (error as Error) : undefined);
  } catch (rollbackError) {
    // Failure policy: a connection that cannot roll back is broken; it is removed from the pool.
    client.release(rollbackError as Error);
  }
}

/** Resolves with the answer of a statement once BEGIN has succeeded, too. */
async function resolveAfter<T>(begun: Promise<unknown>, answer: Promise<T>): Promise<T> {
  const [first] = await Promise.all([answer, begun]);
  return first;
}

/**
 * Returns a function that holds the statements sent to the connection until the end of the current turn of the event loop. They leave in one
 * network packet, because each one costs a system call here and wakes the database there.
 */
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
