/** Tests how many rows the database reads for a page of a table with 50,000 rows, next to a table with 2,000. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import pg from 'pg';
import { COLUMNS, RARE, seedRows } from '../../../../bench/records-tables.ts';
import { connectAs, openTestDatabase } from '../../../../test/support/database.ts';
import type { Json } from '../../../../test/support/platform.ts';
import { type Statement } from '../../../platform/store/db.ts';
import { ROLES } from '../../../platform/store/roles.ts';
import type { TenantRead } from '../../../platform/store/tenant.ts';
import { makeCursorAfter, pageWindow } from '../../../platform/store/paging.ts';
import { pageTableRows } from './list.ts';
import type { RowQuery } from '../schemas.ts';

const COMPANY = 'a'.repeat(24);
const TABLE = 'b'.repeat(24);
const COUNT = 50_000;
// The most rows that a search may read: 5,000 while it follows the order of the list, and then, for a rare text, those that the index finds.
const MOST_ROWS = 5_000 + 500;

const database = await openTestDatabase();
await database.sql(`insert into companies (_id, name) values ($1, 'Large')`, [COMPANY]);
await seedRows(database, COMPANY, { [TABLE]: COUNT, ['c'.repeat(24)]: 2_000 });
const client = await connectAs(ROLES.read, database);
after(async () => {
  await client.end();
  await database.close();
});

interface Looked {
  indexes: Set<string>;
  /** The number of rows that the database read, whether they matched or not. */
  rows: number;
}

function lookInto(node: Json, looked: Looked): void {
  if (node['Index Name']) looked.indexes.add(node['Index Name']);
  if (node['Relation Name'] === 'table_rows') {
    const rows =
      node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
    looked.rows += rows * node['Actual Loops'];
  }
  for (const inner of node.Plans ?? []) lookInto(inner, looked);
}

/** Requests a page of rows and has the database explain each of its statements; a prepared statement is explained by its generic plan. */
async function explain(query: Partial<RowQuery>): Promise<Looked & { found: number; total: number | null }> {
  const looked: Looked = { indexes: new Set(), rows: 0 };
  const read = {
    companyId: COMPANY,
    query: async ({ name, text, values, planEachTime }: Statement) => {
      lookInto(await (planEachTime ? explainPlan(text, values) : explainGenericPlan(name, text, values)), looked);
      return (await client.query(text, values)).rows;
    },
  } as unknown as TenantRead;
  const asked = { limit: 20, skipCount: true, sort: '-createdAt' as const, ...query };
  const { result, meta } = await pageTableRows(read, { _id: TABLE, columns: COLUMNS }, asked);
  return { ...looked, found: result.length, total: meta.totalCount };
}

async function explainPlan(text: string, values: unknown[]): Promise<Json> {
  const { rows } = await client.query(`explain (analyze, format json) ${text}`, values);
  return rows[0]['QUERY PLAN'][0].Plan;
}

async function explainGenericPlan(name: string, text: string, values: unknown[]): Promise<Json> {
  await client.query(`set plan_cache_mode = force_generic_plan; prepare "${name}" as ${text}`);
  const given = values
    .map((value) => (value === null ? 'null' : pg.escapeLiteral(`${value as string | number}`)))
    .join(', ');
  const { rows } = await client.query(`explain (analyze, format json) execute "${name}" (${given})`);
  await client.query(`deallocate "${name}"; reset plan_cache_mode`);
  return rows[0]['QUERY PLAN'][0].Plan;
}

const WALKS = ['table_rows_list', 'table_rows_index_key', 'table_rows_updated'];
/** Returns a cursor that points behind the row with this index. */
const cursorBehind = (sort: RowQuery['sort'], row_index: number): string =>
  makeCursorAfter(pageWindow(`rows:${TABLE}`, { limit: 20, skipCount: true, sort }), {
    _id: '0'.repeat(24),
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    row_index,
  });
const filtered = (field: string, operator: string, value: string | number): Partial<RowQuery> => ({
  filters: JSON.stringify([{ field, operator, value }]),
});
const CASES: [string, Partial<RowQuery>, { indexed: boolean; found: number }][] = [
  ['page 1', {}, { indexed: false, found: 20 }],
  ['page 1, oldest first', { sort: 'createdAt' }, { indexed: false, found: 20 }],
  ['page 1 by row_index, with its total', { sort: 'row_index', skipCount: false }, { indexed: false, found: 20 }],
  [
    'deep by row_index',
    { sort: '-row_index', after: cursorBehind('-row_index', 20_000) },
    { indexed: false, found: 20 },
  ],
  ['newest change first', { sort: '-updatedAt' }, { indexed: false, found: 20 }],
  [
    'newest change first, cursorBehind on',
    { sort: '-updatedAt', after: cursorBehind('-updatedAt', 1) },
    { indexed: false, found: 0 },
  ],
  ['what was changed since', { updated_since: '2100-01-01T00:00:00.000Z' }, { indexed: false, found: 0 }],
  ['a word of 8 %', { search: 'madeira' }, { indexed: false, found: 20 }],
  ['two letters of many', { search: 'an' }, { indexed: false, found: 20 }],
  ['a rare word', { search: RARE.word }, { indexed: true, found: 2 }],
  [
    'a rare word by row_index, with its total',
    { search: RARE.word, sort: 'row_index', skipCount: false },
    { indexed: true, found: 2 },
  ],
  ['a word that no row has', { search: 'qwertz' }, { indexed: true, found: 0 }],
  ['two rare letters', { search: RARE.pair }, { indexed: true, found: 3 }],
  ['two rare letters, one with an accent', { search: 'q\u0301X' }, { indexed: true, found: 3 }],
  ['two letters that no row has', { search: 'zq' }, { indexed: true, found: 0 }],
  ['a filter that half of the rows match', filtered('price', 'gt', 300), { indexed: false, found: 20 }],
  ['a filter that one of 8,192 rows matches', filtered('tags', 'eq', 'LOTE 4321'), { indexed: true, found: 7 }],
  ['a filter that no row matches', filtered('code', 'contains', 'qwertz'), { indexed: true, found: 0 }],
];

describe(`the rows that a page reads among ${COUNT}`, () => {
  for (const [name, query, expected] of CASES) {
    test(`a page reads at most ${MOST_ROWS} of ${COUNT} rows: ${name}`, async () => {
      const { indexes, rows, found } = await explain(query);
      assert.ok(rows <= MOST_ROWS, `${rows} rows were read by ${[...indexes].join(', ')}`);
      assert.equal(indexes.has('table_rows_search'), expected.indexed, [...indexes].join(', '));
      assert.ok(
        WALKS.some((walk) => indexes.has(walk)),
        [...indexes].join(', '),
      );
      assert.equal(found, expected.found);
    });
  }
});

test('a search by the index finds the same rows, and the same number, as a comparison of every row', async () => {
  for (const search of [
    'madeira',
    'an',
    'MADEIRA',
    'frágil',
    'lote 12',
    '7-qx',
    RARE.word,
    RARE.pair,
    'zq',
    '%',
    'wk',
    'io',
  ]) {
    const [row] = await database.sql<{ count: number }>(
      `select count(*)::int as count from table_rows where company_id = $1 and table_id = $2 and strpos(folded, fold($3)) > 0`,
      [COMPANY, TABLE, search],
    );
    const page = Math.max(1, Math.ceil((row?.count ?? 0) / 100));
    const { found, total } = await explain({ search, skipCount: false, limit: 100, page });
    assert.deepEqual([found, total], [(row?.count ?? 0) - (page - 1) * 100, row?.count], search);
  }
});
