import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { newId } from '../../platform/values/ids.ts';

const platform = await startPlatform();
const { call } = platform;

/** Creates a table and returns the path of its rows. */
async function tableWith(columns: Json[] = [{ key: 'name', type: 'TEXT' }]): Promise<string> {
  const body = { name: `Table ${newId()}`, columns };
  return `/v1/tables/${(await call(201, 'POST', '/v1/tables', { body })).body._id}/rows`;
}

const add = async (rows: string, data: Json): Promise<Json> => (await call(201, 'POST', rows, { body: { data } })).body;
const readAll = async (rows: string): Promise<Json[]> => (await call(200, 'GET', `${rows}?limit=100`)).body.result;
const read = async (rows: string, id: string): Promise<Json> =>
  (await readAll(rows)).find((row: Json) => row._id === id);

const long = 'x'.repeat(4_097);
const many = Array.from({ length: 101 }, () => 'x');
const TYPES: [Json, unknown[], unknown[]][] = [
  [
    { type: 'TEXT' },
    ['', 'Olá', '7', 'true', '2026-01-01', 'x'.repeat(4_096), '\u001f', '%_\\"', '𝕏 🎈'],
    [7, true, ['a'], long],
  ],
  [
    { type: 'NUMBER' },
    [0, -1.5, 7, 1e21, 1e-7, 999_999_999_999_999, 0.123_456_789_012_345],
    ['7', '', true, ['1'], 9_007_199_254_740_991, 0.1 + 0.2],
  ],
  [{ type: 'BOOLEAN' }, [true, false], ['true', 0, 1, '']],
  [
    { type: 'DATE' },
    ['2026-02-28', '2024-02-29'],
    ['2026-02-30', '28/02/2026', '2026-2-8', '2026-02-28T00:00:00Z', '', 20_260_228],
  ],
  [{ type: 'SELECT', options: ['a', 'b'] }, ['a', 'b'], ['A', 'c', '', ['a']]],
  [{ type: 'LIST' }, [[], ['x'], ['x', 'y', 'x'], ['', '1', 'true']], ['x', 1, many, ['x'.repeat(201)]]],
  [{ type: 'LIST', options: ['a', 'b'] }, [['b', 'a'], []], [['c'], ['a', 'c']]],
  [
    { type: 'URL' },
    ['https://a.example/x?y=1#z', 'http://localhost:8080'],
    ['a.example', 'ftp://a.example', 'javascript:alert(1)', '', 7],
  ],
];

describe('the values of a column', () => {
  for (const [column, valid, faulty] of TYPES) {
    test(`a column of type ${column.type}${column.options ? ' with options' : ''} accepts its own values and refuses all others with the key named`, async () => {
      const rows = await tableWith([{ key: 'v', ...column }]);
      for (const value of valid) {
        const row = await add(rows, { v: value });
        assert.deepEqual(row.data, { v: value });
        assert.deepEqual((await read(rows, row._id)).data, { v: value });
      }
      const { _id } = await add(rows, { v: valid[0] });
      for (const value of faulty) {
        const body = { data: { v: value } };
        expectProblem(await call(400, 'POST', rows, { body }), 'VALIDATION_FAILED', 'data.v');
        expectProblem(await call(400, 'PATCH', `${rows}/${_id}`, { body }), 'VALIDATION_FAILED', 'data.v');
      }
      assert.deepEqual((await read(rows, _id)).data, { v: valid[0] });
    });
  }
});

describe('a row that is refused', () => {
  const columns = [
    { key: 'name', type: 'TEXT', required: true },
    { key: 'count', type: 'NUMBER' },
    { key: 'constructor', type: 'TEXT', required: true },
  ];

  test('a row is refused with all of its faults named at once', async () => {
    const rows = await tableWith(columns);
    const answer = await call(400, 'POST', rows, { body: { data: { count: '1', other: 'x', name: null } } });
    expectProblem(answer, 'VALIDATION_FAILED');
    assert.deepEqual(answer.body.errors.map((error: Json) => error.path).toSorted(), [
      'data.constructor',
      'data.count',
      'data.name',
      'data.other',
    ]);
    const { _id } = await add(rows, { name: 'x', constructor: 'y' });
    for (const key of ['name', 'constructor']) {
      const refused = await call(400, 'PATCH', `${rows}/${_id}`, { body: { data: { [key]: null } } });
      expectProblem(refused, 'VALIDATION_FAILED', `data.${key}`);
    }
  });

  test('a row is refused when a required value is empty, be it missing, "" or []', async () => {
    const rows = await tableWith([
      { key: 'name', type: 'TEXT', required: true },
      { key: 'tags', type: 'LIST', required: true },
    ]);
    const { _id } = await add(rows, { name: ' ', tags: [''] });
    for (const [key, value] of [
      ['name', ''],
      ['tags', []],
    ] as const) {
      const data = { name: 'x', tags: ['x'], [key]: value };
      expectProblem(await call(400, 'POST', rows, { body: { data } }), 'VALIDATION_FAILED', `data.${key}`);
      const body = { data: { [key]: value } };
      expectProblem(await call(400, 'PATCH', `${rows}/${_id}`, { body }), 'VALIDATION_FAILED', `data.${key}`);
    }
    assert.deepEqual((await read(rows, _id)).data, { name: ' ', tags: [''] });
  });

  test('a row is refused when its body does not have the form of a row', async () => {
    const rows = await tableWith();
    const bad: [Json, string][] = [
      [{}, 'data'],
      [{ data: null }, 'data'],
      [{ data: [] }, 'data'],
      [{ data: { name: { first: 'x' } } }, 'data.name'],
      [{ data: { name: [['x']] } }, 'data.name[0]'],
      [{ data: {}, row_index: 7 }, 'row_index'],
      [{ data: {}, contact_id: 'x' }, 'contact_id'],
    ];
    for (const [body, path] of bad) {
      expectProblem(await call(400, 'POST', rows, { body }), 'VALIDATION_FAILED', path);
    }
    expectProblem(await call(400, 'POST', rows, { raw: '{"data":{"name":1e400}}' }), 'VALIDATION_FAILED', 'data.name');
    assert.deepEqual(await readAll(rows), []);
  });

  test('a row is refused when its values are larger than 48 kB together', async () => {
    const rows = await tableWith(Array.from({ length: 13 }, (_item, index) => ({ key: `t${index}`, type: 'TEXT' })));
    const data = Object.fromEntries(Array.from({ length: 12 }, (_item, index) => [`t${index}`, 'é'.repeat(2_000)]));
    const { _id } = await add(rows, data);
    const body = { data: { t12: 'é'.repeat(2_000) } };
    expectProblem(await call(400, 'PATCH', `${rows}/${_id}`, { body }), 'VALIDATION_FAILED', 'data');
  });
});
