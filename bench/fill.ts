/** Fills tables with many rows in SQL. */
import type { TestDatabase } from '../test/support/database.ts';

/**
 * Runs `insert`, which inserts many rows into these tables, in a third of the time: PostgreSQL does not check the foreign keys of the rows,
 * and builds the indexes afterwards, except those that keep values unique. Then it updates the statistics of the planner.
 */
export async function fillTables(
  { sql }: Pick<TestDatabase, 'sql'>,
  tables: readonly string[],
  insert: () => Promise<void>,
): Promise<void> {
  const indexes = await sql<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
      where indrelid = any($1::text[]::regclass[]) and not indisunique`,
    [tables],
  );
  for (const { name } of indexes) await sql(`drop index ${name}`);
  // The triggers of the foreign keys are disabled, but not those of sql/.
  for (const table of tables) await sql(`alter table ${table} disable trigger all, enable trigger user`);
  await insert();
  for (const table of tables) await sql(`alter table ${table} enable trigger all`);
  for (const { definition } of indexes) await sql(definition);
  for (const table of tables) await sql(`vacuum analyze ${table}`);
}
