/** Counts statements that this process sends to the database. */
import pg from 'pg';

type Query = (this: object, ...given: unknown[]) => unknown;

/** Returns how often `work` runs the statement with this name for this value, such as an id; with null, for any. */
export async function countStatements(
  name: string,
  value: string | null,
  work: () => Promise<unknown>,
): Promise<number> {
  const prototype = pg.Client.prototype as unknown as { query: Query };
  const { query } = prototype;
  let count = 0;
  prototype.query = function counted(...given) {
    const [statement] = given as [{ name?: string; values?: unknown[] }];
    if (statement.name === name && (value === null || statement.values?.includes(value))) count += 1;
    return query.apply(this, given);
  };
  try {
    await work();
    return count;
  } finally {
    prototype.query = query;
  }
}
