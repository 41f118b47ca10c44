import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import pg from 'pg';
import { readSeed } from '../../../../test/full/harness/chance.ts';
import { startPlatform, type Answer, type Json } from '../../../../test/support/platform.ts';
import { createRandom } from '../../../../test/support/random.ts';
import { checkRefusals, expectProblem } from '../../../../test/support/refusals.ts';
import { waitUntil } from '../../../../test/support/wait.ts';
import { newId } from '../../../platform/values/ids.ts';

const platform = await startPlatform();
const { call, database, demo } = platform;

/** Creates a table and returns the path of its rows. */
async function tableWith(columns: Json[] = [{ key: 'name', type: 'TEXT' }]): Promise<string> {
  const body = { name: `Table ${newId()}`, columns };
  return `/v1/tables/${(await call(201, 'POST', '/v1/tables', { body })).body._id}/rows`;
}

const add = async (rows: string, data: Json = {}, more: Json = {}): Promise<Json> =>
  (await call(201, 'POST', rows, { body: { data, ...more } })).body;
const read = async (rows: string, id: string): Promise<Json> =>
  (await call(200, 'GET', `${rows}?limit=100`)).body.result.find((row: Json) => row._id === id);
const readCount = async (rows: string): Promise<number> =>
  (await call(200, 'GET', rows.replace(/\/rows$/, ''))).body.row_count;
const listIndexes = async (rows: string): Promise<number[]> =>
  (await call(200, 'GET', `${rows}?limit=100&sort=row_index`)).body.result.map((row: Json) => row.row_index);

test('a table row has the same format when it is added, read, changed and removed', async () => {
  const rows = await tableWith();
  const table = rows.split('/')[3];
  const row = await add(rows, { name: 'Ana' });
  const { _id, createdAt, updatedAt, ...rest } = row;
  assert.match(_id, /^[0-9a-f]{24}$/);
  assert.equal(createdAt, updatedAt);
  assert.deepEqual(rest, { table, company: demo._id, data: { name: 'Ana' }, row_index: 1 });
  assert.deepEqual(await read(rows, _id), row);
  const changed = (await call(200, 'PATCH', `${rows}/${_id}`, { body: { data: { name: 'Bea' } } })).body;
  assert.deepEqual(changed, { ...row, data: { name: 'Bea' }, updatedAt: changed.updatedAt });
  assert.deepEqual(await read(rows, _id), changed);
  assert.deepEqual((await call(200, 'PATCH', `${rows}/${_id}`, { body: { data: { name: 'Bea' } } })).body, changed);
  assert.deepEqual((await call(200, 'PATCH', `${rows}/${_id}`, { body: {} })).body, changed);
  assert.deepEqual((await call(200, 'DELETE', `${rows}/${_id}`)).body, changed);
  await call(404, 'DELETE', `${rows}/${_id}`);
  await call(404, 'PATCH', `${rows}/${_id}`, { body: {} });
  assert.equal(await readCount(rows), 0);
});

describe('a change of a row', () => {
  test('a change of a row keeps the keys that it does not give, and removes those that it gives as null', async () => {
    const rows = await tableWith(['a', 'b', 'c'].map((key) => ({ key, type: 'TEXT' })));
    const { _id } = await add(rows, { a: '1', b: '2', c: null });
    const patch = async (data: Json): Promise<Json> =>
      (await call(200, 'PATCH', `${rows}/${_id}`, { body: { data } })).body.data;
    assert.deepEqual(await patch({ c: '3' }), { a: '1', b: '2', c: '3' });
    assert.deepEqual(await patch({ a: null, b: '4' }), { b: '4', c: '3' });
    assert.deepEqual(await patch({}), { b: '4', c: '3' });
  });

  test('a change of a row loses none of the changes made at the same moment', async (t) => {
    const seed = readSeed();
    t.diagnostic(`SEED=${seed}`);
    const random = createRandom(seed);
    const keys = Array.from({ length: 12 }, (_item, index) => `k${index}`);
    const rows = await tableWith(keys.map((key) => ({ key, type: 'NUMBER' })));
    const { _id } = await add(rows, {});
    const expected: Json = {};
    for (let round = 1; round <= 4; round += 1) {
      await Promise.all(
        keys.map(async (key, index) => {
          const value = random() < 0.2 ? null : round * 100 + index;
          if (value === null) delete expected[key];
          else expected[key] = value;
          await call(200, 'PATCH', `${rows}/${_id}`, { body: { data: { [key]: value } } });
        }),
      );
      assert.deepEqual((await read(rows, _id)).data, expected, `SEED=${seed}`);
    }
  });

  test('a change of a row does not wait for rows that are added, changed or removed at the same time', async () => {
    const rows = await tableWith();
    const { _id } = await add(rows);
    for (let round = 0; round < 5; round += 1) {
      const others = await Promise.all(Array.from({ length: 4 }, () => add(rows)));
      const answers = await Promise.all([
        ...others.flatMap((other) => [
          call(200, 'DELETE', `${rows}/${other._id}`),
          rawPatch(`${rows}/${other._id}`, { data: { name: 'late' } }),
        ]),
        ...others.map(() => rawPatch(`${rows}/${_id}`, { data: { name: `n${round}` } })),
        ...others.map(() => add(rows)),
      ]);
      for (const status of answers.filter((answer) => typeof answer === 'number'))
        assert.ok([200, 404].includes(status));
    }
    assert.equal(await readCount(rows), 21);
  });
});

/** Sends a PATCH and returns the status of the answer. */
async function rawPatch(path: string, body: Json): Promise<number> {
  const response = await fetch(platform.url + path, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${demo.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await response.body?.cancel();
  return response.status;
}

describe('the contact and the business of a row', () => {
  const ids = async (): Promise<[string, string, string]> => [
    (await call(201, 'POST', '/v1/contacts', { body: { name: 'Ana' } })).body._id,
    (await call(201, 'POST', '/v1/businesses', { body: { name: 'Acme' } })).body._id,
    (await platform.createCompany()).key,
  ];

  test('a change of the contact of a row waits for the removal of the contact, which takes the row first', async () => {
    const rows = await tableWith();
    const [contact] = await ids();
    const { _id } = await add(rows, {});
    const remover = new pg.Client(database.ownerUrl);
    await remover.connect();
    await remover.query('begin');
    await remover.query('select from contacts where _id = $1 for update', [contact]);
    const changing = call(200, 'PATCH', `${rows}/${_id}`, { body: { contact_id: contact } });
    const blocked = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await waitUntil('the change to wait', async () => (await database.sql(blocked)).length > 0);
    await remover.query('update table_rows set contact_id = null where _id = $1', [_id]);
    await remover.query('commit');
    await remover.end();
    assert.equal((await changing).body.contact_id, contact);
  });

  test('the links of a row to a contact and a business are set, cleared by null, kept when absent, and left out when there are none', async () => {
    const rows = await tableWith();
    const [contact, business] = await ids();
    const row = await add(rows, {}, { contact_id: contact, business_id: business });
    assert.deepEqual([row.contact_id, row.business_id], [contact, business]);
    const patch = async (body: Json): Promise<Json> => (await call(200, 'PATCH', `${rows}/${row._id}`, { body })).body;
    assert.equal((await patch({ data: { name: 'x' } })).contact_id, contact);
    const cleared = await patch({ contact_id: null });
    assert.deepEqual(['contact_id' in cleared, cleared.business_id], [false, business]);
    assert.equal('business_id' in (await patch({ business_id: null })), false);
  });

  test('the rows of all tables that name a contact are listed newest first, without those of a removed table', async () => {
    const [first, second, removed] = [await tableWith(), await tableWith(), await tableWith()];
    const [contact] = await ids();
    const links = { contact_id: contact };
    const made = [await add(first, { name: 'a' }, links), await add(second, { name: 'b' }, links)];
    await add(first, { name: 'c' });
    await add(removed, { name: 'd' }, links);
    await call(200, 'DELETE', removed.replace('/rows', ''));
    const path = `/v1/contacts/${contact}/table-rows`;
    const { result, meta } = (await call(200, 'GET', path)).body;
    assert.deepEqual(result, made.toReversed());
    assert.equal(meta.totalCount, 2);
    const { key } = await platform.createCompany();
    expectProblem(await call(404, 'GET', path, { key }), 'NOT_FOUND');
    expectProblem(await call(404, 'GET', `/v1/contacts/${newId()}/table-rows`), 'NOT_FOUND');
    await checkRefusals(platform, { method: 'GET', path, scope: 'tables:read' });
  });

  test("a link of a row to an unknown contact or business, or to another company's, is refused in the same words", async () => {
    const rows = await tableWith();
    const { _id } = await add(rows);
    const [, , key] = await ids();
    const foreign = {
      contact_id: (await call(201, 'POST', '/v1/contacts', { body: { name: 'B' }, key })).body._id,
      business_id: (await call(201, 'POST', '/v1/businesses', { body: { name: 'B' }, key })).body._id,
    };
    for (const field of ['contact_id', 'business_id'] as const) {
      for (const id of [foreign[field], newId()]) {
        const asked: [string, string, Json][] = [
          ['POST', rows, { data: {}, [field]: id }],
          ['PATCH', `${rows}/${_id}`, { [field]: id }],
        ];
        for (const [method, path, body] of asked) {
          const answer = await call(400, method, path, { body });
          expectProblem(answer, 'UNKNOWN_REFERENCE', field);
          assert.equal(answer.body.detail, `${field} refers to a record that does not exist`);
        }
      }
    }
    assert.deepEqual(await listIndexes(rows), [1]);
  });

  test('the links of a row are cleared when the contact or business is removed', async () => {
    const rows = await tableWith();
    const [contact, business] = await ids();
    const { _id } = await add(rows, { name: 'x' }, { contact_id: contact, business_id: business });
    await call(200, 'DELETE', `/v1/contacts/${contact}`);
    const row = await read(rows, _id);
    assert.deepEqual([row.data, 'contact_id' in row, row.business_id], [{ name: 'x' }, false, business]);
    await call(200, 'DELETE', `/v1/businesses/${business}`);
    await waitUntil('the business to leave the row', async () => !('business_id' in (await read(rows, _id))));
  });
});

describe('the index of a row', () => {
  test('the index of a row is never given again, also after the last rows are removed', async () => {
    const rows = await tableWith();
    const made = [];
    for (let index = 0; index < 3; index += 1) made.push(await add(rows));
    for (const { _id } of made) await call(200, 'DELETE', `${rows}/${_id}`);
    assert.equal((await add(rows)).row_index, 4);
    assert.equal(await readCount(rows), 1);
  });

  test('the indexes of rows are unique and rise in their order when many are added at once and some are refused', async () => {
    const rows = await tableWith();
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_item, index) => {
        const faulty = index % 3 === 0;
        const body = faulty ? { data: {}, contact_id: newId() } : { data: { name: `n${index}` } };
        return call(faulty ? 400 : 201, 'POST', rows, { body });
      }),
    );
    const given = answers.filter(({ status }) => status === 201).map(({ body }: Answer) => body.row_index as number);
    assert.equal(new Set(given).size, 20);
    const stored = await database.sql<{ row_index: number }>(
      'select row_index from table_rows where table_id = $1 order by created_at, _id',
      [rows.split('/')[3]],
    );
    assert.deepEqual(
      stored.map((row) => row.row_index),
      given.toSorted((a, b) => a - b),
    );
    assert.equal(await readCount(rows), 20);
    const last = await add(rows);
    assert.ok(last.row_index > Math.max(...given));
  });
});

test('a row is found only through its own table and company', async () => {
  const [rows, others] = [await tableWith(), await tableWith()];
  const { _id } = await add(rows);
  const { key } = await platform.createCompany();
  for (const method of ['PATCH', 'DELETE']) {
    const given = method === 'PATCH' ? { body: { data: {} } } : {};
    await call(404, method, `${others}/${_id}`, given);
    await call(404, method, `${rows}/${_id}`, { ...given, key });
    await call(404, method, `${rows}/nonsense`, given);
  }
  assert.deepEqual(await listIndexes(rows), [1]);
});

test('a row added with an Idempotency-Key is added once, and the audit records each change', async () => {
  const rows = await tableWith();
  const options = { body: { data: { name: 'x' } }, headers: { 'idempotency-key': newId() } };
  const first = await call(201, 'POST', rows, options);
  assert.deepEqual((await call(201, 'POST', rows, options)).body, first.body);
  assert.deepEqual(await listIndexes(rows), [1]);
  const { _id } = first.body;
  await call(200, 'PATCH', `${rows}/${_id}`, { body: { data: { name: 'y' } } });
  assert.deepEqual((await call(201, 'POST', rows, options)).body.data, { name: 'y' });
  await call(200, 'DELETE', `${rows}/${_id}`);
  const lines = (await call(200, 'GET', `/v1/audit?resource=${_id}&sort=createdAt`)).body.result;
  assert.deepEqual(
    lines.map((line: Json) => [line.action, line.fields]),
    [
      ['tables.create-row', ['data']],
      ['tables.update-row', ['data']],
      ['tables.delete-row', []],
    ],
  );
});

test('operations on rows refuse callers without the scope', async () => {
  const rows = await tableWith();
  const { _id } = await add(rows);
  await checkRefusals(platform, { method: 'GET', path: rows, scope: 'tables:read' });
  await checkRefusals(platform, { method: 'POST', path: rows, scope: 'tables:create', body: { data: {} } });
  const path = `${rows}/${_id}`;
  await checkRefusals(platform, { method: 'PATCH', path, scope: 'tables:update', body: { data: {} } });
  await checkRefusals(platform, { method: 'DELETE', path, scope: 'tables:delete' });
});
