/** Exports of contacts as CSV: all or filtered contacts, and protection against formulas in spreadsheets. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { importSheet } from '../../../test/support/sheets.ts';
import { writeAsContact } from '../../../test/support/traffic.ts';
import { countRowsRead } from '../../../test/support/rows.ts';
import { newId } from '../../platform/values/ids.ts';

const platform = await startPlatform();
const { call, database } = platform;
const PATH = '/v1/contacts/export';

const exported = async (query = '', key = platform.demo.key): Promise<{ text: string; rows: Json[] }> => {
  const { body, headers } = await call(200, 'GET', PATH + query, { key });
  assert.match(headers.get('content-type') ?? '', /^text\/csv; charset=utf-8/);
  assert.equal(headers.get('content-disposition'), 'attachment; filename="contacts.csv"');
  return { text: body, rows: parse(body, { columns: true }) };
};
const seed = (company: string, count: number): Promise<unknown> =>
  database.sql(
    `insert into contacts (company_id, _id, name, source, created_at)
      select $1, lpad(to_hex(n), 24, '0'), 'Person ' || n, 'API', now() - n * interval '1 second' from generate_series(1, $2::int) n`,
    [company, count],
  );

test('an export has every contact once, newest first, however many portions it takes', async () => {
  const company = await platform.createCompany();
  await seed(company._id, 5_432);
  const { rows } = await exported('', company.key);
  assert.deepEqual(
    rows.map(({ name }) => name),
    Array.from({ length: 5_432 }, (_, n) => `Person ${n + 1}`),
  );
});

test('an export finds the same contacts as the list by search and filters, also when they are few and far apart', async () => {
  const company = await platform.createCompany();
  await seed(company._id, 4_000);
  const filter = (value: string): string =>
    `?filters=${encodeURIComponent(JSON.stringify([{ field: 'contact.name', operator: 'ends_with', value }]))}`;
  for (const query of [filter('999'), '?search=person%203999', filter('nobody')]) {
    const { body } = await call(200, 'GET', `/v1/contacts${query}&limit=100`, { key: company.key });
    const { rows } = await exported(query, company.key);
    assert.deepEqual(
      rows.map(({ _id }) => _id),
      body.result.map(({ _id }: Json) => _id),
    );
  }
  expectProblem(await call(400, 'GET', `${PATH}?filters=[1]`), 'VALIDATION_FAILED', 'filters[0]');
  expectProblem(await call(400, 'GET', `${PATH}?limit=10`), 'VALIDATION_FAILED', 'limit');
});

test('an export can be imported again and changes nothing; none of its cells begins like a formula', async () => {
  const mark = newId();
  const define = async (slug: string, type: string): Promise<void> =>
    void (await call(201, 'POST', '/v1/custom-fields', { body: { title: slug, slug, context: 'contact', type } }));
  await define('name', 'TEXT');
  await define('items', 'LIST');
  await define('size', 'NUMBER');
  const { body: contact } = await call(201, 'POST', '/v1/contacts', {
    body: {
      name: `=HYPERLINK("http://evil.example";"${mark}")`,
      email: `x-${mark}@example.com`,
      phone_number: '+5511987650001',
      external_id: `-${mark}`,
      tags: ['@vip', 'a,b', 'c; d'],
      custom_fields: { name: '+1+1', items: ['=1', 'x;y'], size: -5 },
    },
  });
  const { rows } = await exported(`?search=${mark}`);
  const [row] = rows;
  assert.equal(row?.name, `'=HYPERLINK("http://evil.example";"${mark}")`);
  assert.deepEqual([row?.phone_number, row?.['custom_fields.size']], ['+5511987650001', '-5']);
  assert.deepEqual([row?.['custom_fields.name'], row?.external_id], ["'+1+1", `'-${mark}`]);
  await call(201, 'POST', '/v1/contacts', { body: { name: `A name alone ${mark}` } });
  await database.sql('update contacts set username = $2 where _id = $1', [contact._id, 'ana.sa']);
  assert.equal((await exported(`?search=${mark}`)).rows.find(({ _id }) => _id === contact._id)?.username, 'ana.sa');
  const { contact: unnamed } = await writeAsContact(platform, { from: '', bsuid: `BR.${mark}`, name: '' });
  assert.deepEqual([unnamed.name, unnamed.phone_number], [null, null]);
  const absorbed = { phone_number: '+5511987650003', external_id: `gone-${mark}` };
  const { body: gone } = await call(201, 'POST', '/v1/contacts', { body: absorbed });
  await call(201, 'POST', `/v1/contacts/${contact._id}/merge`, { body: { contact: gone._id } });
  const everything = async (): Promise<Json[]> => (await call(200, 'GET', '/v1/contacts?limit=100')).body.result;
  const all = await everything();
  const { text } = await exported();
  const done = await importSheet(platform, '/v1/contacts/import', { file: { name: 'again.csv', data: text } });
  assert.deepEqual([done.row_errors, done.created_count, done.updated_count], [[], 0, all.length]);
  assert.deepEqual(await everything(), all);
});

test('an export has the contacts of its own company only, and needs the scope to read contacts', async () => {
  const other = await platform.createCompany();
  assert.deepEqual((await exported('', other.key)).rows, []);
  const key = await platform.createKey(other._id, ['contacts:create']);
  await call(403, 'GET', PATH, { key: key.token });
});

test('an export ends when its caller closes the connection', async () => {
  const company = await platform.createCompany();
  await seed(company._id, 12_000);
  await database.sql('analyze contacts');
  const before = await countRowsRead(platform, 'contacts');
  await exported('', company.key);
  const whole = (await countRowsRead(platform, 'contacts')) - before;
  const hangUp = new AbortController();
  const headers = { authorization: `Bearer ${company.key}` };
  const response = await fetch(platform.url + PATH, { headers, signal: hangUp.signal });
  await response.body?.getReader().read();
  hangUp.abort();
  // This export is read to its end. If the aborted export had not stopped, it would have read as many rows in the same time.
  await exported('', company.key);
  const more = (await countRowsRead(platform, 'contacts')) - before - 2 * whole;
  assert.ok(whole > 0 && more < whole / 2, `${more} rows were read for nobody, ${whole} for somebody`);
});
