import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { readSeed } from '../../../../test/full/harness/chance.ts';
import { startPlatform, type Json } from '../../../../test/support/platform.ts';
import { createRandom } from '../../../../test/support/random.ts';
import { expectProblem } from '../../../../test/support/refusals.ts';
import { newId } from '../../../platform/values/ids.ts';

const platform = await startPlatform();
const { call, database } = platform;

/** Creates a table and returns the path of its rows. */
async function tableWith(columns: Json[]): Promise<string> {
  const body = { name: `Table ${newId()}`, columns };
  return `/v1/tables/${(await call(201, 'POST', '/v1/tables', { body })).body._id}/rows`;
}

const add = async (rows: string, data: Json): Promise<Json> => (await call(201, 'POST', rows, { body: { data } })).body;

async function list(rows: string, query: Record<string, string>): Promise<Json> {
  return (await call(200, 'GET', `${rows}?${new URLSearchParams(query).toString()}`)).body;
}

const COUNT = 45;

describe('a list of rows', () => {
  let rows = '';
  before(async () => {
    rows = await tableWith([{ key: 'name', type: 'TEXT' }]);
    for (let index = 1; index <= COUNT; index += 1) await add(rows, { name: `Row ${index % 3}` });
    // Every two rows share a time, so that the id decides their order.
    await database.sql(
      `update table_rows set created_at = timestamptz '2026-01-01' + (row_index / 2) * interval '1 s' where table_id = $1`,
      [rows.split('/')[3]],
    );
  });

  for (const sort of ['createdAt', '-createdAt', 'row_index', '-row_index']) {
    for (const search of [undefined, 'row 1', 'ROW']) {
      test(`a list of rows by page number and by cursor, sorted by ${sort}, search ${search ?? 'none'}, has each row once and in order`, async () => {
        const query = { sort, ...(search === undefined ? {} : { search }) };
        const all = await list(rows, { ...query, limit: '100' });
        const count = search === 'row 1' ? COUNT / 3 : COUNT;
        const indexes = all.result.map((row: Json) => row.row_index);
        assert.deepEqual([all.meta.totalCount, indexes.length], [count, count]);
        const rising = indexes.toSorted((a: number, b: number) => a - b);
        assert.deepEqual(indexes, sort.startsWith('-') ? rising.toReversed() : rising);
        const pages = Math.ceil(count / 7);
        const [numbered, followed]: [number[], number[]] = [[], []];
        let after: Record<string, string> = {};
        for (let page = 1; page <= pages; page += 1) {
          const byNumber = await list(rows, { ...query, limit: '7', page: String(page) });
          assert.deepEqual([byNumber.meta.totalCount, byNumber.meta.totalPages], [count, pages]);
          numbered.push(...byNumber.result.map((row: Json) => row.row_index));
          const { result, meta } = await list(rows, { ...query, limit: '7', ...after });
          followed.push(...result.map((row: Json) => row.row_index));
          assert.equal(meta.nextCursor === null, page === pages);
          after = { after: meta.nextCursor };
        }
        assert.deepEqual(numbered, indexes);
        assert.deepEqual(followed, indexes);
        assert.equal((await list(rows, { ...query, page: '100' })).meta.totalCount, count);
        assert.equal((await list(rows, { ...query, skipCount: 'true' })).meta.totalCount, null);
      });
    }
  }

  test('a list of rows refuses a cursor that belongs to another order', async () => {
    const { nextCursor } = (await list(rows, { sort: 'createdAt' })).meta;
    const indexed = (await list(rows, { sort: 'row_index' })).meta.nextCursor;
    for (const [sort, after] of [
      ['row_index', nextCursor],
      ['createdAt', indexed],
      ['row_index', '-1'],
    ]) {
      expectProblem(await call(400, 'GET', `${rows}?sort=${sort}&after=${after}`), 'VALIDATION_FAILED', 'after');
    }
  });
});

// Search ignores these marks on letters of many scripts, such as accents.
const RANGES = '0300-036f 0483-0489 0591-05bd 064b-065f 1ab0-1aff 1dc0-1dff 20d0-20ff 3099-309a fe20-fe2f'.replaceAll(
  /\w{4}/g,
  '\\u$&',
);
const MARKS = new RegExp(`[${RANGES.replaceAll(' ', '')}]`, 'gu');
const fold = (text: string): string => text.toLowerCase().normalize('NFKD').replaceAll(MARKS, '').toLowerCase();

/** A simple search to compare with: whether any value, or any item of a list, contains the text. */
const holds = (data: Json, search: string): boolean =>
  Object.values(data)
    .flat()
    .some((value) => fold(String(value)).includes(fold(search)));

const SIGNS: string[] = `aAbBeEzZ19éÉãçÇñÜßøžжЖйあガ中ﬁ①%_\\"'[,🎈`.match(/./gu) ?? [];
SIGNS.push(' ', '\u001f', 'e\u0301');

describe('search in a table', () => {
  test('search in a table finds exactly the rows that have the text in a value, whatever the text is', async (t) => {
    const seed = readSeed();
    t.diagnostic(`SEED=${seed}`);
    const random = createRandom(seed);
    const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
    const text = (most: number): string =>
      Array.from({ length: 1 + Math.floor(random() * most) }, () => pick(SIGNS)).join('');
    const rows = await tableWith([
      { key: 'text', type: 'TEXT' },
      { key: 'number', type: 'NUMBER' },
      { key: 'yes', type: 'BOOLEAN' },
      { key: 'list', type: 'LIST' },
    ]);
    for (let index = 0; index < 80; index += 1) {
      await add(rows, {
        text: text(12),
        number: random() < 0.5 ? null : Math.floor(random() * 10_000) / 4,
        yes: random() < 0.5 ? null : random() < 0.5,
        list: random() < 0.3 ? null : Array.from({ length: Math.floor(random() * 3) }, () => text(5)),
      });
    }
    const { result } = await list(rows, { limit: '100', sort: 'row_index' });
    for (let index = 0; index < 300; index += 1) {
      const search = random() < 0.1 ? pick(['true', 'FALSE', '.25', '5', 'a', '""', '", "', 'ab', 'éb']) : text(3);
      const found = await list(rows, { search, limit: '100', sort: pick(['row_index', 'createdAt']) });
      const expected = result.filter((row: Json) => search.trim() === '' || holds(row.data, search.trim()));
      assert.deepEqual(
        found.result.map((row: Json) => row.row_index),
        expected.map((row: Json) => row.row_index),
        `SEED=${seed}, search ${JSON.stringify(search)}`,
      );
      assert.equal(found.meta.totalCount, expected.length, `SEED=${seed}, search ${JSON.stringify(search)}`);
    }
  });

  test('search in a table finds rows by their changed values, and does not search the keys of columns', async () => {
    const rows = await tableWith([
      { key: 'city', type: 'TEXT' },
      { key: 'since', type: 'DATE' },
    ]);
    const { _id } = await add(rows, { city: 'São Paulo', since: '2026-11-20' });
    const found = async (search: string): Promise<number> => (await list(rows, { search })).result.length;
    assert.deepEqual(
      [await found('sao'), await found('2026-11'), await found('city'), await found('since')],
      [1, 1, 0, 0],
    );
    await call(200, 'PATCH', `${rows}/${_id}`, { body: { data: { city: 'Belém' } } });
    assert.deepEqual([await found('sao'), await found('BELEM')], [0, 1]);
  });
});

const TYPES = ['TEXT', 'NUMBER', 'BOOLEAN', 'DATE', 'SELECT', 'LIST', 'URL'] as const;
const OPTIONS = ['Novo', 'Em análise', 'VENDIDO'];
const COMPARE: Record<string, (held: Json, given: Json) => boolean> = {
  eq: (held, given) => held === given,
  contains: (held, given) => String(held).includes(String(given)),
  starts_with: (held, given) => String(held).startsWith(String(given)),
  ends_with: (held, given) => String(held).endsWith(String(given)),
  gt: (held, given) => held > given,
  gte: (held, given) => held >= given,
  lt: (held, given) => held < given,
  lte: (held, given) => held <= given,
};
const OPPOSITES: Record<string, string> = { neq: 'eq', not_contains: 'contains', is_empty: 'is_not_empty' };

/** The rule of filters in plain code. */
function matches(held: Json, operator: string, given: Json): boolean {
  const opposite = OPPOSITES[operator];
  if (opposite !== undefined) return !matches(held, opposite, given);
  const items = [held ?? []].flat().filter((item) => item !== '');
  if (operator === 'is_not_empty') return items.length > 0;
  const small = (value: Json): Json => (typeof value === 'string' ? value.toLowerCase() : value);
  return items.some((item) => COMPARE[operator]?.(small(item), small(given)));
}

describe('filters of rows', () => {
  test('filters of rows find exactly the rows that match by the documented rules, in the order of the list', async (t) => {
    const seed = readSeed();
    t.diagnostic(`SEED=${seed}`);
    const random = createRandom(seed);
    const below = (end: number): number => Math.floor(random() * end);
    const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T;
    const word = (): string =>
      Array.from({ length: 1 + below(4) }, () => pick(['a', 'É', 'zq', '%', '_', 'Ana', ' ', 'ß'])).join('');
    const make: Record<(typeof TYPES)[number], () => Json> = {
      TEXT: word,
      NUMBER: () => pick([0, -1, 1.5, 12, 100, 1e21]),
      BOOLEAN: () => random() < 0.5,
      DATE: () => `20${10 + below(9)}-0${1 + below(9)}-1${below(10)}`,
      SELECT: () => pick(OPTIONS),
      LIST: () => Array.from({ length: below(3) }, word),
      URL: () => `https://${pick(['a', 'B'])}.example/${below(9)}`,
    };
    const rows = await tableWith(
      TYPES.map((type) => ({ key: type.toLowerCase(), type, ...(type === 'SELECT' && { options: OPTIONS }) })),
    );
    for (let index = 0; index < 60; index += 1) {
      const given = TYPES.map((type) => [type.toLowerCase(), random() < 0.2 ? null : make[type]()]);
      await add(rows, Object.fromEntries(given));
    }
    const { result } = await list(rows, { limit: '100', sort: 'row_index' });
    for (let index = 0; index < 250; index += 1) {
      const type = pick(TYPES);
      const isOrdered = type === 'NUMBER' || type === 'DATE';
      const operator = pick([
        'eq',
        'neq',
        'is_empty',
        'is_not_empty',
        ...(isOrdered ? ['gt', 'gte', 'lt', 'lte'] : ['contains', 'not_contains', 'starts_with', 'ends_with']),
      ]);
      const value = type === 'LIST' ? word() : make[type]();
      const key = type.toLowerCase();
      const filters = JSON.stringify([{ field: key, operator, value }]);
      const found = await list(rows, { filters, limit: '100', sort: pick(['row_index', 'createdAt']) });
      const expected = result.filter(({ data }: Json) => matches(data[key], operator, value));
      const indexes = (page: Json[]): number[] => page.map((row) => row.row_index);
      assert.deepEqual(indexes(found.result), indexes(expected), `SEED=${seed}, ${filters}`);
      assert.equal(found.meta.totalCount, expected.length, `SEED=${seed}, ${filters}`);
    }
  });

  test('filters of rows go together with a search, a time and a cursor of the same filters only', async () => {
    const rows = await tableWith([
      { key: 'city', type: 'TEXT' },
      { key: 'price', type: 'NUMBER' },
    ]);
    for (const price of [10, 20, 30]) await add(rows, { city: 'Recife', price });
    await add(rows, { city: 'Natal', price: 40 });
    const filters = JSON.stringify([{ field: 'price', operator: 'gte', value: 20 }]);
    const pricesOf = async (query: Record<string, string>): Promise<number[]> =>
      (await list(rows, { filters, sort: 'row_index', ...query })).result.map(({ data }: Json) => data.price);
    assert.deepEqual(await pricesOf({}), [20, 30, 40]);
    assert.deepEqual(await pricesOf({ search: 'recife' }), [20, 30]);
    assert.deepEqual(await pricesOf({ updated_since: '2100-01-01T00:00:00.000Z' }), []);
    const { nextCursor } = (await list(rows, { filters, sort: 'row_index', limit: '2' })).meta;
    assert.deepEqual(await pricesOf({ limit: '2', after: nextCursor }), [40]);
    expectProblem(await call(400, 'GET', `${rows}?sort=row_index&after=${nextCursor}`), 'VALIDATION_FAILED', 'after');
  });

  test('a filter of rows that names no column of the table, or does not fit its type, is refused with its place named', async () => {
    const rows = await tableWith([{ key: 'city', type: 'TEXT' }]);
    for (const [item, place] of [
      [{ field: 'price', operator: 'eq', value: 1 }, 'field'],
      [{ field: 'contact.name', operator: 'eq', value: 'a' }, 'field'],
      [{ field: 'city', operator: 'gt', value: 'a' }, 'operator'],
      [{ field: 'city', operator: 'eq', value: 1 }, 'value'],
    ]) {
      const query = new URLSearchParams({ filters: JSON.stringify([item]) }).toString();
      for (const path of [rows, rows.replace('/rows', '')])
        expectProblem(await call(400, 'GET', `${path}?${query}`), 'VALIDATION_FAILED', `filters[0].${place as string}`);
    }
  });
});
