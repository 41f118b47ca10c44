import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readSeed } from '../../../test/full/harness/chance.ts';
import { startPlatform, type Answer, type Json } from '../../../test/support/platform.ts';
import { createRandom } from '../../../test/support/random.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { newId } from '../../platform/values/ids.ts';

const platform = await startPlatform();
const { call, database } = platform;

/** Creates a table with the column `v` and one row per value; a null makes a row without a value. Returns the path of the table. */
async function tableWith(column: Json, values: unknown[] = []): Promise<string> {
  const columns = [
    { key: 'v', ...column },
    { key: 'other', type: 'TEXT' },
  ];
  const body = { name: `Table ${newId()}`, columns };
  const path = `/v1/tables/${(await call(201, 'POST', '/v1/tables', { body })).body._id}`;
  for (const v of values) await call(201, 'POST', `${path}/rows`, { body: { data: { v, other: 'stays' } } });
  return path;
}

const OTHER = { key: 'other', type: 'TEXT' };
const change = (status: number, path: string, column: Json, more: Json = {}): Promise<Answer> =>
  call(status, 'PATCH', path, { body: { columns: [...(column ? [{ key: 'v', ...column }] : []), OTHER], ...more } });
const listValues = async (path: string): Promise<unknown[]> =>
  (await call(200, 'GET', `${path}/rows?limit=100&sort=row_index`)).body.result.map((row: Json) => row.data.v ?? null);
const readColumns = async (path: string): Promise<Json[]> => (await call(200, 'GET', path)).body.columns;

const [TEXT, NUMBER, BOOLEAN, DATE, URL, LIST] = ['TEXT', 'NUMBER', 'BOOLEAN', 'DATE', 'URL', 'LIST'].map((type) => ({
  type,
}));
const SELECT = { type: 'SELECT', options: ['a', 'b'] };
const CHOSEN = { type: 'LIST', options: ['a', 'b'] };

describe('a column changes its type where no value is lost', () => {
  const conversions: [string, Json, Json, unknown[], unknown[]][] = [
    ['text to number', TEXT, NUMBER, ['7', '-1.5', '0', '1e+21'], [7, -1.5, 0, 1e21]],
    ['text to boolean', TEXT, BOOLEAN, ['true', 'false'], [true, false]],
    ['text to date', TEXT, DATE, ['2026-11-20'], ['2026-11-20']],
    ['text to address', TEXT, URL, ['https://a.example'], ['https://a.example']],
    ['text to choice', TEXT, SELECT, ['a', 'b'], ['a', 'b']],
    ['text to list', TEXT, LIST, ['x, y', ''], [['x, y'], ['']]],
    ['text to chosen list', TEXT, CHOSEN, ['a'], [['a']]],
    ['number to text', NUMBER, TEXT, [7, -1.5, 1e21], ['7', '-1.5', '1e+21']],
    ['number to list', NUMBER, LIST, [7], [['7']]],
    ['boolean to text', BOOLEAN, TEXT, [true, false], ['true', 'false']],
    ['date to text', DATE, TEXT, ['2026-11-20'], ['2026-11-20']],
    ['address to text', URL, TEXT, ['https://a.example'], ['https://a.example']],
    ['choice to text', SELECT, TEXT, ['a'], ['a']],
    ['choice to list', SELECT, CHOSEN, ['a', 'b'], [['a'], ['b']]],
    ['list of one to text', LIST, TEXT, [['x']], ['x']],
    ['list of one to number', LIST, NUMBER, [['7']], [7]],
    ['list of one to boolean', LIST, BOOLEAN, [['true']], [true]],
    ['list to chosen list', LIST, CHOSEN, [['b', 'a'], []], [['b', 'a'], []]],
  ];
  for (const [name, from, to, values, expected] of conversions) {
    test(`a column changes its type without losing values: ${name}`, async () => {
      const path = await tableWith(from, [...values, null]);
      await change(200, path, to);
      assert.deepEqual(await listValues(path), [...expected, null]);
      assert.equal((await readColumns(path))[0]?.type, to.type);
      const rows = (await call(200, 'GET', `${path}/rows`)).body.result;
      for (const row of rows) assert.equal(row.data.other, 'stays');
    });
  }
});

describe('a change of columns that would lose values', () => {
  const refusals: [string, Json, Json, unknown[], number][] = [
    ['text that is no number', TEXT, NUMBER, ['7', '07', '1e3', 'x', '', 'Infinity'], 5],
    ['text that is no boolean', TEXT, BOOLEAN, ['true', 'TRUE', '1'], 2],
    ['text that is no date', TEXT, DATE, ['2026-02-30', '2026-02-28'], 1],
    ['text that is no address', TEXT, URL, ['a.example'], 1],
    ['text that is no option', TEXT, SELECT, ['a', 'c'], 1],
    ['text too long for a list', TEXT, LIST, ['x'.repeat(201)], 1],
    ['a boolean as a number', BOOLEAN, NUMBER, [true], 1],
    ['a number as a date', NUMBER, DATE, [20_261_120], 1],
    ['a list of two as a text', LIST, TEXT, [['x'], ['x', 'y']], 1],
    ['an option that goes', SELECT, { type: 'SELECT', options: ['a'] }, ['a', 'b', 'b'], 2],
    ['an option of a list that goes', CHOSEN, { type: 'LIST', options: ['a'] }, [['a'], ['a', 'b']], 1],
    ['a list that takes only options from now on', LIST, CHOSEN, [['x']], 1],
    ['a column that goes', TEXT, null, ['x', null, 'y'], 2],
    ['a column that is required from now on', TEXT, { type: 'TEXT', required: true }, ['x', null, ''], 2],
    ['a list that is required from now on', LIST, { type: 'LIST', required: true }, [['x'], null, []], 2],
  ];
  for (const [name, from, to, values, count] of refusals) {
    test(`a change of columns that would lose values is refused with the number of rows: ${name}`, async () => {
      const path = await tableWith(from, values);
      const before = await readColumns(path);
      const answer = await change(409, path, to, { name: 'Renamed' });
      expectProblem(answer, 'COLUMN_IN_USE', 'columns');
      assert.match(answer.body.detail, new RegExp(`^v: .+ in ${count} rows?$`));
      assert.deepEqual(await readColumns(path), before);
      assert.deepEqual(await listValues(path), values);
      assert.notEqual((await call(200, 'GET', path)).body.name, 'Renamed');
    });
  }

  test('a new required column is refused while the table has rows', async () => {
    const path = await tableWith(TEXT, ['x']);
    const columns = [{ key: 'v', type: 'TEXT' }, OTHER, { key: 'new', type: 'TEXT', required: true }];
    const answer = await call(409, 'PATCH', path, { body: { columns } });
    expectProblem(answer, 'COLUMN_IN_USE', 'columns');
    assert.match(answer.body.detail, /^new: .+ in 1 row$/);
  });

  test('a refused change names each column whose values would be lost', async () => {
    const path = await tableWith(TEXT, ['x', 'y']);
    const answer = await call(409, 'PATCH', path, { body: { columns: [{ key: 'v', type: 'NUMBER' }] } });
    const messages = answer.body.errors.map((error: Json) => error.message.split(':')[0]);
    assert.deepEqual(messages.toSorted(), ['other', 'v']);
  });
});

describe('a change of columns that loses no value', () => {
  test('a change of columns is accepted for a new column, another order, titles, more options, and requirements that hold already or end', async () => {
    const path = await tableWith(SELECT, ['a', 'b']);
    const columns = [
      { key: 'new', title: 'New', type: 'URL', required: false, options: [] },
      { key: 'other', title: 'Other', type: 'TEXT', required: true, options: [] },
      { key: 'v', title: 'V', type: 'SELECT', required: true, options: ['c', 'b', 'a'] },
    ];
    assert.deepEqual((await call(200, 'PATCH', path, { body: { columns } })).body.columns, columns);
    assert.deepEqual(await listValues(path), ['a', 'b']);
    expectProblem(await call(400, 'POST', `${path}/rows`, { body: { data: {} } }), 'VALIDATION_FAILED', 'data.other');
    await change(200, path, { ...SELECT, required: false });
    await call(201, 'POST', `${path}/rows`, { body: { data: { v: 'b' } } });
  });

  test('a column without values in any row can be removed', async () => {
    const path = await tableWith(TEXT, [null, null]);
    await change(200, path, null);
    assert.deepEqual(
      (await readColumns(path)).map((column) => column.key),
      ['other'],
    );
  });

  test('a column that drop_columns names is removed, and its values do not come back', async () => {
    const path = await tableWith(TEXT, ['x', 'y']);
    await change(200, path, null, { drop_columns: ['v'] });
    const rows = (await call(200, 'GET', `${path}/rows`)).body.result;
    for (const row of rows) assert.deepEqual(row.data, { other: 'stays' });
    assert.deepEqual((await call(200, 'GET', `${path}/rows?search=x`)).body.result, []);
    await change(200, path, TEXT);
    assert.deepEqual(await listValues(path), [null, null]);
  });

  test('a column may have the name of a property that every JavaScript object has', async () => {
    const path = await tableWith(TEXT, ['x']);
    const columns = [{ key: 'v', type: 'TEXT' }, OTHER, { key: 'constructor', type: 'TEXT' }];
    await call(200, 'PATCH', path, { body: { columns } });
    await change(200, path, TEXT);
    assert.deepEqual(await listValues(path), ['x']);
  });
});

test('drop_columns may only name columns that are removed, and needs the list of columns that stay', async () => {
  const path = await tableWith(TEXT, ['x']);
  const bad: [Json, string][] = [
    [{ drop_columns: ['v'] }, 'drop_columns[0]'],
    [{ columns: [{ key: 'v', type: 'NUMBER' }, OTHER], drop_columns: ['v'] }, 'drop_columns[0]'],
    [{ columns: [OTHER], drop_columns: ['V'] }, 'drop_columns[0]'],
    [{ columns: [OTHER], drop_columns: ['v', 'v'] }, 'drop_columns'],
  ];
  for (const [body, place] of bad) {
    expectProblem(await call(400, 'PATCH', path, { body }), 'VALIDATION_FAILED', place);
  }
  assert.deepEqual(await listValues(path), ['x']);
});

test('a change of columns converts and counts all rows, also beyond the first portion', async () => {
  const path = await tableWith(TEXT);
  const count = 4_500;
  await fill(path, count);
  await change(200, path, NUMBER);
  const [sum] = await database.sql(
    `select count(*)::int as count, sum((data ->> 'v')::int)::int as sum from table_rows
      where table_id = $1 and jsonb_typeof(data -> 'v') = 'number'`,
    [path.split('/')[3]],
  );
  assert.deepEqual(sum, { count, sum: (count * (count + 1)) / 2 });
  const answer = await change(409, path, null);
  assert.match(answer.body.detail, new RegExp(`^v: .+ in ${count} rows$`));
});

test('a table of more than 100,000 rows only accepts changes of columns for which its rows need not be read', async () => {
  const path = await tableWith(TEXT, ['7']);
  // The test raises the stored number of rows, which is what the limit looks at, instead of inserting so many.
  await database.sql('update tables set row_count = 100001 where _id = $1', [path.split('/')[3]]);
  const answer = await change(409, path, NUMBER);
  expectProblem(answer, 'COLUMN_IN_USE', 'columns');
  assert.match(answer.body.detail, /more than 100000 rows/);
  await change(409, path, null, { drop_columns: ['v'] });
  await change(200, path, { ...TEXT, title: 'Other' });
  assert.deepEqual(await listValues(path), ['7']);
});

/** Inserts rows whose column `v` is their index as text. */
async function fill(path: string, count: number): Promise<void> {
  const table = path.split('/')[3];
  await database.sql(
    `insert into table_rows (company_id, table_id, _id, row_index, data)
      select company_id, _id, new_id(), n, jsonb_build_object('v', n::text) from tables, generate_series(1, $2::int) n where _id = $1`,
    [table, count],
  );
  await database.sql('update tables set row_count = $2, last_row_index = $2 where _id = $1', [table, count]);
}

test('rows can be removed while columns change, and neither delays the other', async () => {
  for (let round = 0; round < 5; round += 1) {
    const path = await tableWith(TEXT);
    await fill(path, 300);
    const rows = (await call(200, 'GET', `${path}/rows?limit=6&sort=-row_index`)).body.result;
    await Promise.all([
      change(200, path, NUMBER),
      ...rows.map((row: Json) => call(200, 'DELETE', `${path}/rows/${row._id}`)),
    ]);
    assert.equal((await call(200, 'GET', path)).body.row_count, 294);
  }
});

test('every row fits the columns of its table, whatever is written while they change', async (t) => {
  const seed = readSeed();
  t.diagnostic(`SEED=${seed}`);
  const random = createRandom(seed);
  const path = await tableWith(TEXT, ['1', '2']);
  const send = async (method: string, to: string, body: Json): Promise<number> => {
    const response = await fetch(platform.url + to, {
      method,
      headers: { authorization: `Bearer ${platform.demo.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    await response.body?.cancel();
    return response.status;
  };
  const seen = new Set<number>();
  for (let round = 0; round < 15; round += 1) {
    const rows = (await call(200, 'GET', `${path}/rows?limit=100`)).body.result;
    const write = (index: number): Promise<number> => {
      const v = random() < 0.5 ? index : String(index);
      const row = rows[Math.floor(random() * rows.length)];
      return random() < 0.5
        ? send('POST', `${path}/rows`, { data: { v } })
        : send('PATCH', `${path}/rows/${row._id}`, { data: { v } });
    };
    const columns = [{ key: 'v', type: round % 2 ? 'TEXT' : 'NUMBER' }, OTHER];
    const statuses = await Promise.all([
      ...Array.from({ length: 4 }, (_item, index) => write(index)),
      send('PATCH', path, { columns }),
      ...Array.from({ length: 4 }, (_item, index) => write(index)),
    ]);
    for (const status of statuses) seen.add(status);
    const type = (await readColumns(path))[0]?.type === 'NUMBER' ? 'number' : 'string';
    for (const value of await listValues(path)) assert.equal(typeof value, type, `SEED=${seed}, round ${round}`);
  }
  assert.deepEqual(
    [...seen].toSorted((a, b) => a - b),
    [200, 201, 400],
    `SEED=${seed}`,
  );
});
