/** The platform that test files share is for each of them as after a first start. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { uploadFile } from './attachments.ts';
import { openPlatform } from './platform.ts';
import { renew } from './renewal.ts';
import { waitUntil } from './wait.ts';

const { platform, close } = await openPlatform();
after(close);
const { database, dataDir } = platform;

/** The number of rows of each table that has some. */
async function countRows(): Promise<string> {
  const tables = await database.sql<{ name: string }>(
    `select relname as name from pg_class
      where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace order by 1`,
  );
  const counts = tables.map(({ name }) => `select '${name}' as name, count(*)::int as rows from ${name}`);
  const rows = await database.sql<{ name: string; rows: number }>(counts.join(' union all '));
  return JSON.stringify(rows.filter((row) => row.rows > 0));
}

const readCompany = async (): Promise<string> =>
  (JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8')) as { company_id: string }).company_id;

test('a renewed platform has the records of a first start, under new ids, and nothing that tests have left', async () => {
  const first = await waitUntil('the first start to be over', async () => {
    const counted = await countRows();
    return counted.includes('templates') && counted;
  });
  await platform.receive({ text: 'Oi' });
  await platform.createUser((await platform.createCompany())._id, 'OWNER');
  await uploadFile(platform, { data: 'a file' });
  await database.sql(`create function left_behind() returns trigger language plpgsql as $$ begin return null; end $$`);
  await database.sql(
    'create trigger left_behind before insert on contacts for each row execute function left_behind()',
  );
  assert.notEqual(await countRows(), first);
  const company = await readCompany();
  await renew(platform);
  assert.notEqual(await readCompany(), company);
  await waitUntil('the same records', async () => (await countRows()) === first);
  assert.deepEqual(await database.sql(`select from pg_proc where proname = 'left_behind'`), []);
  assert.deepEqual((await platform.sandbox('GET', '/sandbox/messages')).messages, []);
  assert.deepEqual((await readdir(dataDir)).toSorted(), ['credentials.json', 'secrets.json']);
});
