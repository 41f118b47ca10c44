/** A pooler between the platform and PostgreSQL. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openTestDatabase } from '../../../test/support/database.ts';
import { startPooler } from '../../../test/support/pooler.ts';
import { closePool, one, openPool } from './db.ts';
import { ROLES } from './roles.ts';
import { findMissing } from './migrations.ts';
import { openDatabase } from './open-database.ts';
import { hasUnanswered, queryOnce } from './unanswered.ts';

const database = await openTestDatabase();
after(database.close);

test('through a pooler of sessions each pool has its role and limits, and statements are prepared', async (context) => {
  const url = await startPooler(context, database.url, 'session');
  assert.deepEqual(await findMissing(url, []), []);
  const pooled = openDatabase({ url, poolSize: 2, statementMs: 4_321 });
  const settings = {
    name: 'test.settings',
    text: `select current_user as role, current_setting('statement_timeout') as most`,
    values: [],
  };
  for (let round = 0; round < 3; round += 1)
    assert.deepEqual(await one(pooled.system('upkeep'), settings), { role: 'parley_system', most: '4321ms' });
  const read = pooled.read('000000000000000000000000');
  assert.deepEqual(await one(read, settings), { role: 'parley_read', most: '4321ms' });
  await pooled.close();
});

test('through a pooler, too, a connection without an answer is kept while the server works for it', async (context) => {
  const url = await startPooler(context, database.url, 'session');
  const pool = openPool(url, ROLES.system, 1, { statementMs: 100, waitMs: 60_000 });
  context.after(() => closePool(pool));
  await queryOnce(pool, { text: 'set statement_timeout = 0' });
  await assert.rejects(queryOnce(pool, { text: 'select pg_sleep(60)' }), /Query read timeout/);
  assert.equal(await hasUnanswered(), true);
});

test('a start through a pooler of transactions is refused with the setting that it needs', async (context) => {
  const url = await startPooler(context, database.url, 'transaction');
  await assert.rejects(findMissing(url, []), /set pool_mode = session/);
});
