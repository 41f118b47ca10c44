import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newClient } from './db.ts';
import { openTestDatabase } from '../../../test/support/database.ts';

const database = await openTestDatabase();
after(() => database.close());

test('a table is analysed when it has more than doubled, also one that is partitioned, and not because its rows change', async () => {
  const client = newClient({ connectionString: database.ownerUrl });
  await client.connect();
  /** Runs the statement, and reports it to the statistics at once. Returns how often the table has been analysed by then. */
  const analysedAfter = async (text: string): Promise<number> => {
    await client.query(text);
    await client.query('select pg_stat_force_next_flush()');
    await client.query('select refresh_statistics()');
    const { rows } = await client.query(
      `select analyze_count::int as count from pg_stat_user_tables where relname = 'rate_buckets'`,
    );
    return rows[0].count;
  };
  const insert = (from: number, to: number): string =>
    `insert into rate_buckets (subject, tokens, refilled_at) select n::text, 1, now() from generate_series(${from}, ${to}) n`;
  try {
    await client.query('alter table rate_buckets set (autovacuum_enabled = off)');
    assert.equal(await analysedAfter(insert(1, 100)), 1);
    assert.equal(await analysedAfter('update rate_buckets set tokens = tokens + 1'), 1);
    assert.equal(await analysedAfter(insert(101, 200)), 1);
    assert.equal(await analysedAfter(insert(201, 300)), 2);
    const partitioned = async (): Promise<number> =>
      (await client.query(`select reltuples::int as rows from pg_class where relname = 'audit_log'`)).rows[0].rows;
    await analysedAfter(
      `insert into audit_log (_id, actor_type, actor_name, action, resource) select new_id(), 'USER', 'Ana', 'x', 'x' from generate_series(1, 100)`,
    );
    await analysedAfter('select 1');
    assert.equal(await partitioned(), 100);
  } finally {
    await client.end();
  }
});
