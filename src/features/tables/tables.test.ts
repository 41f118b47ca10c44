import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { checkRefusals, checkAnswers503, expectProblem } from '../../../test/support/refusals.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { newId } from '../../platform/values/ids.ts';

const platform = await startPlatform();
const { call, database, demo } = platform;
const PATH = '/v1/tables';

const create = async (body: Json = {}): Promise<Json> =>
  (await call(201, 'POST', PATH, { body: { name: `Table ${newId()}`, ...body } })).body;

async function inOrder(table: string, count: number): Promise<void> {
  for (let index = 1; index <= count; index += 1) {
    await call(201, 'POST', `${PATH}/${table}/rows`, { body: { data: { name: `Row ${index}` } } });
  }
}

const NAME = { key: 'name', title: 'Name', type: 'TEXT', required: false, options: [] };

test('a table has the same format when it is created, read, listed, changed and removed', async () => {
  const given = {
    name: 'Preços',
    description: 'Of this year',
    columns: [
      { key: 'name', type: 'TEXT', required: true },
      { key: 'state', title: 'State', type: 'SELECT', options: ['new', 'sold'] },
    ],
  };
  const created = await create(given);
  const { _id, createdAt, updatedAt, ...rest } = created;
  assert.match(_id, /^[0-9a-f]{24}$/);
  assert.equal(createdAt, updatedAt);
  assert.deepEqual(rest, {
    company: demo._id,
    name: 'Preços',
    slug: 'precos',
    description: 'Of this year',
    columns: [
      { key: 'name', title: 'name', type: 'TEXT', required: true, options: [] },
      { key: 'state', title: 'State', type: 'SELECT', required: false, options: ['new', 'sold'] },
    ],
    row_count: 0,
  });
  const { rows, ...read } = (await call(200, 'GET', `${PATH}/${_id}`)).body;
  assert.deepEqual(read, created);
  assert.deepEqual(rows, {
    result: [],
    meta: { page: 1, limit: 20, totalCount: 0, totalPages: 0, hasNextPage: false, nextCursor: null },
  });
  const listed = (await call(200, 'GET', PATH)).body.result;
  assert.deepEqual(
    listed.find((table: Json) => table._id === _id),
    created,
  );
  const change = { name: 'Prices', slug: 'prices', description: null };
  const changed = (await call(200, 'PATCH', `${PATH}/${_id}`, { body: change })).body;
  assert.deepEqual(changed, { ...created, ...change, updatedAt: changed.updatedAt });
  assert.deepEqual((await call(200, 'PATCH', `${PATH}/${_id}`, { body: { name: 'Prices' } })).body, changed);
  assert.deepEqual((await call(200, 'DELETE', `${PATH}/${_id}`)).body, changed);
  await call(404, 'DELETE', `${PATH}/${_id}`);
});

test('a slug belongs to one table of a company, and the refusal names the table; another company may use it as well', async () => {
  const { _id } = await create({ slug: 'leads' });
  const other = await create();
  for (const answer of [
    await call(409, 'POST', PATH, { body: { name: 'Leads' } }),
    await call(409, 'PATCH', `${PATH}/${other._id}`, { body: { slug: 'leads' } }),
  ]) {
    expectProblem(answer, 'TABLE_EXISTS', 'slug');
    assert.equal(answer.body.existing_id, _id);
  }
  const { key } = await platform.createCompany();
  await call(201, 'POST', PATH, { body: { name: 'Leads' }, key });
});

test('a body that is not a valid table is refused with the path of the invalid field', async () => {
  const good = { key: 'a', type: 'TEXT' };
  const bad: [Json, string][] = [
    [{}, 'name'],
    [{ name: ' ' }, 'name'],
    [{ name: 'x', slug: 'Big' }, 'slug'],
    [{ name: 'x', slug: '1a' }, 'slug'],
    [{ name: 'x', row_count: 1 }, 'row_count'],
    [{ name: 'x', columns: {} }, 'columns'],
    [{ name: 'x', columns: Array.from({ length: 101 }, (_item, index) => ({ ...good, key: `a${index}` })) }, 'columns'],
    [{ name: 'x', columns: [{ type: 'TEXT' }] }, 'columns[0].key'],
    [{ name: 'x', columns: [good, { key: 'B', type: 'TEXT' }] }, 'columns[1].key'],
    [{ name: 'x', columns: [good, { key: 'b', type: 'EMAIL' }] }, 'columns[1].type'],
    [{ name: 'x', columns: [good, good] }, 'columns[1].key'],
    [{ name: 'x', columns: [{ ...good, title: '' }] }, 'columns[0].title'],
    [{ name: 'x', columns: [{ ...good, required: 'yes' }] }, 'columns[0].required'],
    [{ name: 'x', columns: [{ ...good, surprise: 1 }] }, 'columns[0].surprise'],
    [{ name: 'x', columns: [{ ...good, options: ['a'] }] }, 'columns[0].options'],
    [{ name: 'x', columns: [{ key: 'a', type: 'SELECT' }] }, 'columns[0].options'],
    [{ name: 'x', columns: [{ key: 'a', type: 'LIST', options: ['a', 'a'] }] }, 'columns[0].options'],
    [{ name: 'x', columns: [{ key: 'a', type: 'LIST', options: [''] }] }, 'columns[0].options[0]'],
  ];
  const { _id } = await create();
  for (const [body, path] of bad) {
    expectProblem(await call(400, 'POST', PATH, { body }), 'VALIDATION_FAILED', path);
    if (path === 'name' && !('name' in body)) continue;
    expectProblem(await call(400, 'PATCH', `${PATH}/${_id}`, { body }), 'VALIDATION_FAILED', path);
  }
  // No slug can be made from this name.
  expectProblem(await call(400, 'POST', PATH, { body: { name: '年齢' } }), 'VALIDATION_FAILED', 'slug');
});

test('tables are found by a part of name or slug, in any case and with or without accents', async () => {
  const { key } = await platform.createCompany();
  for (const body of [{ name: 'Ações 100%' }, { name: 'Other', slug: 'acoes-b' }, { name: 'Third' }]) {
    await call(201, 'POST', PATH, { body, key });
  }
  const found = async (search: string): Promise<string[]> => {
    const { body } = await call(200, 'GET', `${PATH}?sort=createdAt&search=${encodeURIComponent(search)}`, { key });
    assert.equal(body.meta.totalCount, body.result.length);
    return body.result.map((table: Json) => table.name);
  };
  assert.deepEqual(await found('AÇOES'), ['Ações 100%', 'Other']);
  assert.deepEqual(await found('0%'), ['Ações 100%']);
  assert.deepEqual(await found('%'), ['Ações 100%']);
  assert.deepEqual(await found('es_'), ['Ações 100%']);
});

test('a table that is read by its id includes a page of its rows, with the parameters of the list of rows', async () => {
  const { _id } = await create({ columns: [NAME] });
  await inOrder(_id, 5);
  const { rows, row_count: count } = (await call(200, 'GET', `${PATH}/${_id}?limit=2&sort=row_index`)).body;
  assert.equal(count, 5);
  assert.deepEqual(
    rows.result.map((row: Json) => row.row_index),
    [1, 2],
  );
  assert.deepEqual([rows.meta.totalCount, rows.meta.totalPages, rows.meta.hasNextPage], [5, 3, true]);
  for (const query of ['', '?search=row%203', '?page=2&limit=2', '?skipCount=true', '?sort=-row_index&limit=1']) {
    const table = (await call(200, 'GET', `${PATH}/${_id}${query}`)).body;
    assert.deepEqual(table.rows, (await call(200, 'GET', `${PATH}/${_id}/rows${query}`)).body, query);
  }
  for (const [name, value] of [
    ['limit', '101'],
    ['page', '0'],
    ['sort', 'name'],
    ['after', 'x'],
  ] as const) {
    expectProblem(await call(400, 'GET', `${PATH}/${_id}?${name}=${value}`), 'VALIDATION_FAILED', name);
  }
});

describe('a removed table', () => {
  test('a removed table and its rows are gone at once, its slug is free, and a job erases the rows', async () => {
    const { _id } = await create({ slug: 'gone', columns: [NAME] });
    await inOrder(_id, 3);
    const { body: row } = await call(201, 'POST', `${PATH}/${_id}/rows`, { body: { data: {} } });
    const removed = (await call(200, 'DELETE', `${PATH}/${_id}`)).body;
    assert.deepEqual([removed.slug, removed.row_count], ['gone', 4]);
    await create({ slug: 'gone' });
    const rows = `${PATH}/${_id}/rows`;
    await call(404, 'GET', `${PATH}/${_id}`);
    await call(404, 'PATCH', `${PATH}/${_id}`, { body: { name: 'Back' } });
    await call(404, 'GET', rows);
    await call(404, 'POST', rows, { body: { data: {} } });
    await call(404, 'PATCH', `${rows}/${row._id}`, { body: { data: {} } });
    await call(404, 'DELETE', `${rows}/${row._id}`);
    assert.ok(!(await call(200, 'GET', `${PATH}?limit=100`)).body.result.some((table: Json) => table._id === _id));
    await waitUntil('the rows to be erased', async () => {
      const [left] = await database.sql<{ count: number }>(
        `select (select count(*) from table_rows where table_id = $1)::int + (select count(*) from tables where _id = $1)::int as count`,
        [_id],
      );
      return left?.count === 0;
    });
  });

  test('the removal of a table keeps the rows of other tables', async () => {
    const kept = await create({ columns: [NAME] });
    await inOrder(kept._id, 2);
    const { _id } = await create({ columns: [NAME] });
    await inOrder(_id, 2);
    await call(200, 'DELETE', `${PATH}/${_id}`);
    await waitUntil('the table to be erased', async () => {
      const rows = await database.sql('select _id from tables where _id = $1', [_id]);
      return rows.length === 0;
    });
    assert.equal((await call(200, 'GET', `${PATH}/${kept._id}/rows`)).body.result.length, 2);
  });
});

test('a table made with an Idempotency-Key is made once, and the audit records each change', async () => {
  const headers = { 'idempotency-key': newId() };
  const body = { name: 'Once' };
  const first = await call(201, 'POST', PATH, { body, headers });
  const again = await call(201, 'POST', PATH, { body, headers });
  assert.deepEqual(again.body, first.body);
  const { _id } = first.body;
  await call(200, 'PATCH', `${PATH}/${_id}`, { body: { name: 'Twice' } });
  await call(200, 'DELETE', `${PATH}/${_id}`);
  const lines = (await call(200, 'GET', `/v1/audit?resource=${_id}&sort=createdAt`)).body.result;
  assert.deepEqual(
    lines.map((line: Json) => [line.action, line.fields]),
    [
      ['tables.create', ['name']],
      ['tables.update', ['name']],
      ['tables.delete', []],
    ],
  );
});

test('operations on tables refuse callers without the scope, and answer 503 when the database is busy', async () => {
  const { _id } = await create();
  const body = { name: 'Another' };
  await checkRefusals(platform, { method: 'POST', path: PATH, scope: 'tables:create', body });
  await checkRefusals(platform, { method: 'GET', path: PATH, scope: 'tables:read' });
  await checkRefusals(platform, { method: 'GET', path: `${PATH}/${_id}`, scope: 'tables:read' });
  await checkRefusals(platform, { method: 'PATCH', path: `${PATH}/${_id}`, scope: 'tables:update', body });
  await checkRefusals(platform, { method: 'DELETE', path: `${PATH}/${_id}`, scope: 'tables:delete' });
  await checkAnswers503(
    platform,
    ['tables'],
    [
      { method: 'POST', path: PATH, scope: 'tables:create', body },
      { method: 'GET', path: `${PATH}/${_id}`, scope: 'tables:read' },
    ],
  );
});
