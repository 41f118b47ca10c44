/** The order of imports: each process works on one of a company at a time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestDatabase } from '../../../test/support/database.ts';
import { makeEmptyRowsSheet } from '../../../test/support/hostile-sheets.ts';
import { startPlatform } from '../../../test/support/platform.ts';
import { awaitImport, postForm } from '../../../test/support/sheets.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { newId } from '../../platform/values/ids.ts';
import { pollDueWork } from '../../platform/work/due-work.ts';
import { openDatabase } from '../../platform/store/tenant.ts';
import { contactImporter } from '../contacts/import/importer.ts';
import { tableRowImporter } from '../tables/rows/importer.ts';
import { endImport } from './queries.ts';
import { claimImports } from './turn-queries.ts';
import { startImports } from './loop.ts';
import type { RowImporter } from './work.ts';

const PATH = '/v1/contacts/import';

test('an import of one row begins while two processes import eight long sheets of another company, each one at a time', async (t) => {
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
    (
      await platform.database.sql('select 1 from imports where claimed_at is not null and company_id = $1', [
        greedy._id,
      ])
    ).length;
  await waitUntil('one of them to be worked on', async () => (await countClaimed()) > 0);
  const { body } = await postForm(
    platform,
    [201, PATH],
    { file: { name: 'one.csv', data: 'external_id\nAna\n' } },
    { key: neighbour.key },
  );
  let most = 0;
  const look = setInterval(() => void countClaimed().then((held) => (most = Math.max(most, held))), 20);
  t.after(() => clearInterval(look));
  const done = await awaitImport(platform, `${PATH}/${body._id}`, { key: neighbour.key });
  clearInterval(look);
  assert.deepEqual([done.status, done.created_count], ['COMPLETED', 1]);
  assert.ok(most <= 2, `${most} of the long ones were worked on at once`);
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
  t.after(async () => {
    await database.close();
    await store.close();
  });
  const company = newId();
  await store.sql(`insert into companies (_id, name) values ($1, 'C')`, [company]);
  await store.sql(
    `insert into imports (company_id, _id, kind, file_name, format, principal) values ($1, 'i', 'CONTACTS', 'a.csv', 'CSV', '{}')`,
    [company],
  );
  const claim = async (): Promise<unknown[]> => {
    const capacity = { slots: 4, first: 1, free: new Map<string, number>(), after: '' };
    return (await claimImports(database.system('upkeep'), capacity)).claimed;
  };
  await database.tenantTx(company, async (tx) => {
    await endImport(tx, 'i', null);
    assert.deepEqual(await claim(), []);
  });
  assert.deepEqual(await claim(), []);
  assert.deepEqual(await store.sql('select status from imports'), [{ status: 'COMPLETED' }]);
});
