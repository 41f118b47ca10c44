/** Imports rows of a table from a sheet, and exports them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { startPlatform, type Json } from '../../../../test/support/platform.ts';
import { expectProblem } from '../../../../test/support/refusals.ts';
import { awaitImport, importSheet, postForm, makeWorkbook } from '../../../../test/support/sheets.ts';
import { waitUntil } from '../../../../test/support/wait.ts';
import { newId } from '../../../platform/values/ids.ts';

const platform = await startPlatform();
const { call } = platform;

const COLUMNS = [
  { key: 'product', title: 'Produto', type: 'TEXT', required: true },
  { key: 'price', title: 'Preço', type: 'NUMBER' },
  { key: 'stock', title: 'Em estoque', type: 'BOOLEAN' },
  { key: 'since', title: 'Desde', type: 'DATE' },
  { key: 'size', title: 'Tamanho', type: 'SELECT', options: ['P', 'M'] },
  { key: 'colours', title: 'Cores', type: 'LIST' },
  { key: 'page', title: 'Página', type: 'URL' },
];
const makeTable = async (): Promise<string> =>
  (await call(201, 'POST', '/v1/tables', { body: { name: `T ${newId()}`, columns: COLUMNS } })).body._id;
const listRows = async (id: string): Promise<Json[]> =>
  (await call(200, 'GET', `/v1/tables/${id}/rows?sort=row_index&limit=100`)).body.result;

test('an import adds the rows of a sheet in their order, and finds columns by key or title', async () => {
  const id = await makeTable();
  const data = makeWorkbook([
    ['Produto', 'price', 'EM ESTOQUE', 'since', 'size', 'Cores', 'page', 'other'],
    ['Camisa', 49.9, true, '01/02/2026', 'P', 'azul; verde', 'https://example.com/a', 1],
    ['Boné', '1.234,56', 'não', null, null, null, null, null],
  ]);
  const done = await importSheet(platform, `/v1/tables/${id}/import`, { file: { name: 'stock.xlsx', data } });
  assert.deepEqual([done.kind, done.table, done.status, done.created_count], ['TABLE', id, 'COMPLETED', 2]);
  assert.deepEqual(
    (await listRows(id)).map(({ row_index, data: values }) => [row_index, values]),
    [
      [
        1,
        {
          product: 'Camisa',
          price: 49.9,
          stock: true,
          since: '2026-02-01',
          size: 'P',
          colours: ['azul', 'verde'],
          page: 'https://example.com/a',
        },
      ],
      [2, { product: 'Boné', price: 1234.56, stock: false }],
    ],
  );
  assert.equal((await call(200, 'GET', `/v1/tables/${id}`)).body.row_count, 2);
});

test('an invalid row of a sheet is reported with its column, and the other rows are stored', async () => {
  const id = await makeTable();
  const data = 'product,price,size,page\nA,1,P,\n,2,,\nC,many,G,nowhere\nD,,,\n" ",5,,\n';
  const done = await importSheet(platform, `/v1/tables/${id}/import`, { file: { name: 'x.csv', data } });
  assert.deepEqual([done.processed, done.created_count, done.failed_count], [5, 2, 3]);
  assert.deepEqual(
    done.row_errors.map(({ row, field }: Json) => [row, field]),
    [
      [2, 'product'],
      [3, 'price'],
      [3, 'size'],
      [3, 'page'],
      [5, 'product'],
    ],
  );
  assert.deepEqual(
    (await listRows(id)).map(({ data: values }) => values.product),
    ['A', 'D'],
  );
});

test('a number of a sheet with too many digits is reported, and a computed number is read as the spreadsheet shows it', async () => {
  const id = await makeTable();
  const sheets = [
    { name: 'x.csv', data: 'product,price\nA,123456789012345\nB,10000000000000001\nC,"0,1234567890123456"\n' },
    {
      name: 'x.xlsx',
      data: makeWorkbook([
        ['product', 'price'],
        ['D', 0.1 + 0.2],
        ['E', 1_234_567_890_123_456],
        [1_234_567_890_123_456, 1],
      ]),
    },
  ];
  const failed = [];
  for (const file of sheets) {
    const { row_errors } = await importSheet(platform, `/v1/tables/${id}/import`, { file });
    failed.push(...row_errors.map(({ row, field, message }: Json) => [row, field, message]));
  }
  const message = 'must be a number of at most 15 significant digits';
  assert.deepEqual(failed, [
    [2, 'price', message],
    [3, 'price', message],
    [2, 'price', message],
  ]);
  assert.deepEqual(
    (await listRows(id)).map(({ data }) => [data.product, data.price]),
    [
      ['A', 123_456_789_012_345],
      ['D', 0.3],
      ['1234567890123456', 1],
    ],
  );
});

test('an exported table that is imported into the same columns gives equal rows', async () => {
  const [id, copy] = [await makeTable(), await makeTable()];
  const rows = [
    { product: '=1+1', price: -5, colours: ['a,b', ' c'], since: '2026-11-20' },
    { product: '"quoted"\nline', stock: false, page: 'https://example.com/?a=1,2' },
  ];
  for (const data of rows) await call(201, 'POST', `/v1/tables/${id}/rows`, { body: { data } });
  const { body: text, headers } = await call(200, 'GET', `/v1/tables/${id}/export`);
  assert.match(headers.get('content-type') ?? '', /^text\/csv/);
  await importSheet(platform, `/v1/tables/${copy}/import`, { file: { name: 'copy.csv', data: text } });
  assert.deepEqual(
    (await listRows(copy)).map(({ data }) => data),
    rows,
  );
});

test('an import cannot fill or read a table of another company, and is found only under its own table', async () => {
  const [id, second] = [await makeTable(), await makeTable()];
  const file = { name: 'x.csv', data: 'product\nA\n' };
  const done = await importSheet(platform, `/v1/tables/${id}/import`, { file });
  const other = await platform.createCompany();
  const refused = [
    await postForm(platform, [404, `/v1/tables/${id}/import`], { file }, { key: other.key }),
    await call(404, 'GET', `/v1/tables/${id}/import/${done._id}`, { key: other.key }),
    await call(404, 'GET', `/v1/tables/${id}/export`, { key: other.key }),
    await call(404, 'GET', `/v1/tables/${second}/import/${done._id}`),
    await call(404, 'GET', `/v1/contacts/import/${done._id}`),
  ];
  for (const answer of refused) expectProblem(answer, 'NOT_FOUND');
});

test('a repeated import with the same Idempotency-Key adds the rows once, even if the file has another name', async () => {
  const id = await makeTable();
  const path = `/v1/tables/${id}/import`;
  const send = (name: string) =>
    postForm(platform, [201, path], { file: { name, data: 'product\nA\n' } }, { headers: { 'idempotency-key': id } });
  const [first, again] = [await send('x.csv'), await send('upload-2.csv')];
  assert.equal(again.body._id, first.body._id);
  await awaitImport(platform, `${path}/${first.body._id}`);
  assert.equal((await listRows(id)).length, 1);
});

test('an import whose table is removed while its sheet waits ends, and nothing of it is stored', async () => {
  const id = await makeTable();
  const data = `product\n${'A\n'.repeat(3_000)}`;
  await postForm(platform, [201, `/v1/tables/${id}/import`], { file: { name: 'x.csv', data } });
  await call(200, 'DELETE', `/v1/tables/${id}`);
  await call(404, 'GET', `/v1/tables/${id}/export`);
  const left = async (table: string, open: string): Promise<number> =>
    (await platform.database.sql(`select 1 from ${table} where table_id = $1 ${open}`, [id])).length;
  await waitUntil('the import to end', async () => (await left('runs', 'and finished_at is null')) === 0);
  await waitUntil('the rows to be erased', async () => (await left('table_rows', '')) === 0);
});

test('an import into a table that is removed while its sheet arrives is answered 404, and stores nothing', async () => {
  const id = await makeTable();
  const remover = new pg.Client({ connectionString: platform.database.ownerUrl });
  await remover.connect();
  try {
    // Until the commit the table is there for readers, and whoever wants to refer to it has to wait.
    await remover.query('begin');
    await remover.query('delete from tables where _id = $1', [id]);
    const file = { name: 'x.csv', data: 'product\nA\n' };
    const answer = postForm(platform, [404, `/v1/tables/${id}/import`], { file });
    await waitUntil('the import to wait for the removal', async () => {
      const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return (await platform.database.sql(waiting)).length > 0;
    });
    await remover.query('commit');
    expectProblem(await answer, 'NOT_FOUND');
  } finally {
    await remover.end();
  }
  assert.deepEqual(await platform.database.sql('select 1 from runs where table_id = $1', [id]), []);
});
