/** The order of imports: one of each company at a time, over all processes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { openTestDatabase } from '../../../test/support/database.ts';
import { makeEmptyRowsSheet } from '../../../test/support/hostile-sheets.ts';
import { startPlatform } from '../../../test/support/platform.ts';
import { awaitImport, postForm } from '../../../test/support/sheets.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { pollDueWork } from '../../platform/due-work.ts';
import { openDatabase } from '../../platform/tenant.ts';
import { contactImporter } from '../contacts/import/importer.ts';
import { tableRowImporter } from '../tables/rows/importer.ts';
import { claimImport } from './turn-queries.ts';
import { startImports } from './turns.ts';
import type { RowImporter } from './work.ts';

const PATH = '/v1/contacts/import';

test('an import of one row begins while two processes import eight long sheets of another company, one at a time', async (t) => {
  const platform = await startPlatform();
  const { kit } = platform.running;
  const second = startImports(kit, {
    CONTACTS: contactImporter as RowImporter,
    TABLE: tableRowImporter as RowImporter,
  });
  const stopLooking = pollDueWork(kit.database.system('upkeep'), [second.dueWork], { everyMs: 100, log: kit.log });
  t.after(second.stop);
  t.after(stopLooking);
  const [greedy, neighbour] = [await platform.createCompany(), await platform.createCompany()];
  const file = { name: 'empty.xlsx', data: makeEmptyRowsSheet(24) };
  for (let n = 0; n < 8; n += 1) await postForm(platform, [201, PATH], { file }, { key: greedy.key });
  const countClaimed = async (): Promise<number> =>
    (await platform.database.sql('select 1 from imports where held_by is not null and company_id = $1', [greedy._id]))
      .length;
  await waitUntil('one of them to be worked on', async () => (await countClaimed()) > 0);
  const { body } = await postForm(
    platform,
    [201, PATH],
    { file: { name: 'one.csv', data: 'name\nAna\n' } },
    { key: neighbour.key },
  );
  let most = 0;
  const look = setInterval(() => void countClaimed().then((held) => (most = Math.max(most, held))), 20);
  t.after(() => clearInterval(look));
  const done = await awaitImport(platform, `${PATH}/${body._id}`, { key: neighbour.key });
  clearInterval(look);
  assert.deepEqual([done.status, done.created_count], ['COMPLETED', 1]);
  assert.equal(most, 1);
  // One of them may begin before the short one is there as a whole, and one in each process that was looking at that moment.
  const before = await platform.database.sql(
    'select 1 from imports where company_id = $1 and started_at between $2 and $3',
    [greedy._id, done.createdAt, done.started_at],
  );
  assert.ok(before.length <= 3, `${before.length} of the long ones began before it`);
});

test('an import that ends while a worker claims it stays ended', async (t) => {
  const store = await openTestDatabase();
  const database = openDatabase({ url: store.url, poolSize: 2 });
  const ending = new pg.Client({ connectionString: store.ownerUrl });
  t.after(async () => {
    await ending.end();
    await database.close();
    await store.close();
  });
  await store.sql(`insert into companies (_id, name) values ('c', 'C')`);
  await store.sql(`insert into imports (company_id, _id, kind, file_name, format, principal)
    values ('c', 'i', 'CONTACTS', 'a.csv', 'CSV', '{}')`);
  await ending.connect();
  await ending.query(`begin; update imports set status = 'COMPLETED', finished_at = now()`);
  const claiming = database.systemTx('upkeep', (tx) => claimImport(tx, 'somebody'));
  await waitUntil('the claim to wait for the row', async () => {
    const waiting = await store.sql(
      `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    );
    return waiting.length > 0;
  });
  await ending.query('commit');
  assert.equal(await claiming, null);
  assert.deepEqual(await store.sql('select status from imports'), [{ status: 'COMPLETED' }]);
});
