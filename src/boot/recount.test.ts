/** Tests of the command `npm run recount`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform, type Json } from '../../test/support/platform.ts';
import { spawnProgram } from '../../test/support/process.ts';
import { waitUntil } from '../../test/support/wait.ts';
import { loadConfig } from '../config.ts';
import { runRecount } from './recount.ts';

const platform = await startPlatform();
const { call, database, demo } = platform;
const env = { DATABASE_URL: database.url };
const recount = async (...words: string[]): Promise<Json[]> =>
  (await runRecount(loadConfig(env), words))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Json);

const { body: campaign } = await call(201, 'POST', '/v1/campaigns', { body: { name: 'Spring', inbox: demo.inbox } });
await database.sql(
  `with made as (
      insert into contacts (company_id, _id, name, source) select $1, new_id(), 'Person ' || n, 'API' from generate_series(1, 40) n returning _id
    )
    insert into campaign_enrollments (company_id, _id, campaign_id, contact_id, status) select $1, new_id(), $2, _id, 'PENDING' from made`,
  [demo._id, campaign._id],
);
const readPending = async (): Promise<number> =>
  (await call(200, 'GET', `/v1/campaigns/${campaign._id}/analytics`)).body.pending;

test('the recount finds counters that were right already to be right', async () => {
  assert.deepEqual(await recount(), [{ campaigns: 1, wrong: 0, mended: 0 }]);
});

test('the recount names each wrong counter, and mends it unless it is only to check', async () => {
  await database.sql(
    `insert into campaign_changes (company_id, campaign_id, scope, name, amount) values ($1, $2, 'total', 'pending', 7)`,
    [demo._id, campaign._id],
  );
  const found = { company: demo._id, _id: campaign._id, name: 'Spring' };
  const differences = [{ scope: 'total', name: 'pending', kept: 47, counted: 40 }];
  assert.deepEqual(await recount('--check'), [
    { ...found, differences },
    { campaigns: 1, wrong: 1, mended: 0 },
  ]);
  assert.equal(await readPending(), 47);
  assert.deepEqual(await recount('--company', demo._id), [
    { ...found, differences },
    { campaigns: 1, wrong: 1, mended: 1 },
  ]);
  assert.equal(await readPending(), 40);
  assert.deepEqual(await recount(), [{ campaigns: 1, wrong: 0, mended: 0 }]);
});

test('the recount is a command of its own, which tells its usage', async (t) => {
  const program = spawnProgram(t, { purpose: 'recount', words: ['--all'], env });
  assert.equal(await program.ended, 1);
  assert.match(program.stderr(), /usage: npm run recount/);
  await assert.rejects(recount('--company', '0'.repeat(24)), /no company/);
});

test('a command that waits until the database accepts changes says so', async (t) => {
  const setting = (value: string): Promise<unknown> =>
    database.sql(
      `alter role parley in database ${new URL(database.url).pathname.slice(1)} set default_transaction_read_only = ${value}`,
    );
  await setting('on');
  const program = spawnProgram(t, { purpose: 'recount', env });
  await waitUntil('its words', () => /^parley: .*waiting for a host/.test(program.stderr()));
  await setting('off');
  assert.equal(await program.ended, 0);
});
