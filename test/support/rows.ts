/** Changes the database without the API: locks rows, and limits how many rows a statement may change. */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import pg from 'pg';
import type { Platform } from './platform.ts';
import { waitUntil } from './wait.ts';

/** Locks these records as another writer would, until the returned function is called. */
export async function lockRows(
  { database }: Platform,
  table: string,
  ids: string[],
  column = '_id',
): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: database.ownerUrl });
  // Failure policy: a failed test keeps its lock until its database is dropped.
  client.on('error', () => undefined);
  await client.connect();
  await client.query(`begin`);
  await client.query(`select 1 from ${table} where ${column} = any($1) for no key update`, [ids]);
  let held = true;
  const letGo = async (): Promise<void> => {
    if (held) await client.end();
    held = false;
  };
  after(letGo);
  return letGo;
}

/**
 * Returns the bytes of a company's records, summed from every table that stores row sizes, and the number that the platform counts. One
 * statement sees all tables at the same time, however many rows a worker writes meanwhile.
 */
export async function measureBytes(
  { database }: Platform,
  company: string,
): Promise<{ records: number; counted: number }> {
  const tables = await database.sql<{ name: string }>(
    `select attrelid::regclass::text as name from pg_attribute join pg_class c on c.oid = attrelid
      where attname = 'record_bytes' and relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace`,
  );
  assert.ok(tables.length >= 10);
  const rows = tables.map(({ name }) => `select record_bytes from ${name} where company_id = $1`);
  const [sums] = await database.sql<{ records: number; counted: number }>(
    `select coalesce(sum(record_bytes), 0)::float8 as records, stored_bytes($1)::float8 as counted from (${rows.join(' union all ')}) r`,
    [company],
  );
  return sums ?? { records: 0, counted: 0 };
}

/** Makes every statement fail that changes more than `most` rows of the table, even the statement of a foreign key. */
export async function limitRowsPerStatement({ database }: Platform, table: string, most: number): Promise<void> {
  await database.sql(`create function bound_${table}() returns trigger language plpgsql as $$ begin
    if (select count(*) from changed) > ${most} then raise exception 'one statement for so many rows'; end if;
    return null;
  end $$`);
  await database.sql(`create trigger bound after update on ${table} referencing new table as changed
    for each statement execute function bound_${table}()`);
}

/**
 * Makes every statement fail that changes or deletes several rows of the table which have more than `mostBytes` in the column together,
 * even the statement of a foreign key.
 */
export async function limitBytesPerStatement(
  { database }: Platform,
  { table, column, mostBytes }: { table: string; column: string; mostBytes: number },
): Promise<void> {
  await database.sql(`create function weigh_${table}() returns trigger language plpgsql as $$ begin
    if (select count(*) > 1 and sum(octet_length(${column}::text)) > ${mostBytes} from changed)
      then raise exception 'one statement for so many bytes'; end if;
    return null;
  end $$`);
  for (const event of ['update', 'delete'])
    await database.sql(`create trigger weigh_${event} after ${event} on ${table} referencing old table as changed
      for each statement execute function weigh_${table}()`);
}

/**
 * Returns how many rows of a table the database has read. A connection reports its counts reliably only when it ends, so all connections
 * are closed first.
 */
export async function countRowsRead({ database, url, demo }: Platform, table: string): Promise<number> {
  await database.sql(
    `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = current_database() and usename = 'parley'`,
  );
  await waitUntil('new connections', async () => {
    const answer = await fetch(`${url}/v1/contacts`, { headers: { authorization: `Bearer ${demo.key}` } });
    const text = await answer.text().catch(() => '');
    return answer.status === 200 && text !== '';
  });
  const [row] = await database.sql<{ count: number }>(
    `select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as count from pg_stat_user_tables where relname = $1`,
    [table],
  );
  return row?.count ?? Number.NaN;
}
