/**
 * Benchmark (tables): pages, searches and totals of a table with 1,000,000 rows, compared with a table of 10,000 rows in the same company;
 * and the removal of the large table.
 */
import { pageTableRows } from '../src/features/tables/rows/list.ts';
import { eraseTable } from '../src/features/tables/erase.ts';
import type { Column, RowQuery } from '../src/features/tables/schemas.ts';
import { removeTable } from '../src/features/tables/remove.ts';
import { updateTableById } from '../src/features/tables/tables.ts';
import type { Kit } from '../src/kit.ts';
import type { Tenant, TenantRead } from '../src/platform/store/tenant.ts';
import { openDatabase } from '../src/platform/store/open-database.ts';
import type { TestDatabase } from '../test/support/database.ts';
import { fillTables } from './fill.ts';
import { compareSizes, type Figure } from './measure.ts';
import type { BenchStage } from './stage.ts';

const LARGE = { table: '1'.repeat(24), count: 1_000_000 };
// A table with the largest number of rows with which its columns may still be changed.
const WIDE = { table: '3'.repeat(24), count: 100_000 };
const SMALL = { table: '2'.repeat(24), count: 10_000 };
const CALLS = 100;
// The longest acceptable times. A person does not notice the first one, and it leaves time for the rest of the request; the second one is
// allowed for the most expensive search.
const GOAL_MS = 40;
const GOAL_PAIR_MS = 150;
// The longest acceptable change of columns, in seconds. A request may take a minute; half of it is left for a busy machine.
const GOAL_COLUMNS_S = 30;

/** One row in every `oneIn` contains the rare word, and as many other rows contain the rare pair of letters. */
export const RARE = { oneIn: 20_000, word: 'Ezequias', pair: 'qx' };

const makeSearchQuery =
  (...terms: string[]) =>
  (call: number): Partial<RowQuery> => ({ search: terms[call % terms.length] ?? '' });

const filterQuery = (field: string, operator: string, value: string | number): Partial<RowQuery> => ({
  filters: JSON.stringify([{ field, operator, value }]),
});

/** The searches to measure, with the query of each call: consecutive calls differ where possible. */
const QUESTIONS: { name: string; ask: (call: number) => Partial<RowQuery>; goalMs?: number }[] = [
  { name: 'page 1', ask: () => ({}) },
  { name: 'page 1 by row_index', ask: (call) => ({ sort: call % 2 ? 'row_index' : '-row_index' }) },
  { name: 'page 1 with its total', ask: () => ({ skipCount: false }) },
  { name: 'a word of 8 %', ask: makeSearchQuery('madeira', 'AÇÚCAR') },
  { name: 'a word of 1 in 20,000', ask: makeSearchQuery(RARE.word) },
  { name: 'a rare word with its total', ask: () => ({ search: RARE.word, skipCount: false }) },
  { name: 'three words', ask: makeSearchQuery('caixa de madeira', 'saco de açúcar') },
  { name: 'a word that no row has', ask: makeSearchQuery('qwertz', 'Nebukadnezar') },
  { name: 'six digits', ask: (call) => ({ search: `${100_000 + ((call * 7_919) % 900_000)}` }) },
  { name: 'two letters of many', ask: makeSearchQuery('an', 'ei') },
  { name: 'a filter of 1 in 8,192', ask: (call) => filterQuery('tags', 'eq', `lote ${call * 71}`) },
  { name: 'a filter of half of the rows', ask: () => filterQuery('price', 'gt', 300) },
  { name: 'two rare letters', ask: makeSearchQuery(RARE.pair, 'wk', 'zq'), goalMs: GOAL_PAIR_MS },
];

export async function benchTables({ database, company }: BenchStage): Promise<Figure[]> {
  await seedRows(database, company, {
    [SMALL.table]: SMALL.count,
    [WIDE.table]: WIDE.count,
    [LARGE.table]: LARGE.count,
  });
  const opened = openDatabase({ url: database.url, poolSize: 2 });
  const read = opened.read(company);
  try {
    const figures: Figure[] = [];
    // The small table has 500 pages. Page 499 is the last one with a cursor for a next page.
    for (const sort of ['-createdAt', 'row_index'] as const) {
      const [large, small] = [
        await pageAfter(read, LARGE.table, 999, sort),
        await pageAfter(read, SMALL.table, 499, sort),
      ];
      figures.push(await measureQuery(`page 1,000 by cursor, ${sort}`, GOAL_MS, [large, small]));
    }
    for (const { name, ask, goalMs = GOAL_MS } of QUESTIONS) {
      const calls = [LARGE, SMALL].map(
        ({ table }) =>
          (call: number) =>
            pageTableRows(read, { _id: table, columns: COLUMNS }, completeQuery(ask(call))),
      );
      figures.push(await measureQuery(name, goalMs, calls as [MeasuredCall, MeasuredCall]));
    }
    figures.push(await measureTotals(read));
    const kit = { database: opened, enqueue: async () => undefined } as unknown as Kit;
    const tenant = { companyId: company, read, tx: (work) => opened.tenantTx(company, work) } as Tenant;
    figures.push(...(await measureColumns(tenant)), ...(await measureRemoval(kit, tenant)));
    return figures;
  } finally {
    await opened.close();
  }
}

const completeQuery = (query: Partial<RowQuery>): RowQuery => ({
  limit: 20,
  skipCount: true,
  sort: '-createdAt',
  ...query,
});

async function pageAfter(read: TenantRead, table: string, page: number, sort: RowQuery['sort']): Promise<MeasuredCall> {
  const { meta } = await pageTableRows(read, { _id: table, columns: COLUMNS }, completeQuery({ page, sort }));
  if (meta.nextCursor === null) throw new Error(`there is no page after page ${page}`);
  const after = meta.nextCursor;
  return () => pageTableRows(read, { _id: table, columns: COLUMNS }, completeQuery({ after, sort }));
}

type MeasuredCall = (call: number) => Promise<unknown>;

function measureQuery(name: string, goalMs: number, calls: [MeasuredCall, MeasuredCall]): Promise<Figure> {
  const [large, small] = calls;
  return compareSizes({ name: `(tables) ${name}`, goalMs, calls: CALLS, large, small });
}

/** Measures searches with their total. Totals of frequent words are exact, and no time is promised for them. */
async function measureTotals(read: TenantRead): Promise<Figure> {
  const times: string[] = [];
  for (const term of ['madeira', 'an', RARE.pair]) {
    const startedMs = performance.now();
    const { meta } = await pageTableRows(
      read,
      { _id: LARGE.table, columns: COLUMNS },
      completeQuery({ search: term, skipCount: false }),
    );
    times.push(`${meta.totalCount}: ${Math.round(performance.now() - startedMs)} ms`);
  }
  return { name: '(tables) search with its total', value: times.join(', '), goal: '-', met: true };
}

/** Measures a change of the type of two of eight columns: one request rewrites every row. */
async function measureColumns(tenant: Tenant): Promise<Figure[]> {
  const changed: Record<string, Column['type']> = { price: 'TEXT', code: 'LIST' };
  const columns = COLUMNS.map((column) => ({ ...column, type: changed[column.key] ?? column.type }));
  const startedMs = performance.now();
  await updateTableById(tenant, WIDE.table, { columns });
  const seconds = (performance.now() - startedMs) / 1_000;
  const name = `(tables) columns of ${WIDE.count} rows changed`;
  return [{ name, value: `${seconds.toFixed(1)} s`, goal: `<= ${GOAL_COLUMNS_S} s`, met: seconds <= GOAL_COLUMNS_S }];
}

/** Measures how long the caller waits for the removal of a table, and how long the job then takes to erase its rows. */
async function measureRemoval(kit: Kit, tenant: Tenant): Promise<Figure[]> {
  const startedMs = performance.now();
  await removeTable(kit, tenant, LARGE.table);
  const answeredMs = performance.now() - startedMs;
  await eraseTable(kit, tenant.companyId, LARGE.table);
  const erasedS = (performance.now() - startedMs) / 1_000;
  const name = `(tables) ${LARGE.count} rows removed`;
  const value = `${answeredMs.toFixed(1)} ms, erased in ${erasedS.toFixed(1)} s`;
  return [{ name, value, goal: `<= ${GOAL_MS} ms`, met: answeredMs <= GOAL_MS }];
}

// The number of rows that one statement inserts. It takes seconds, so that an interrupted run ends soon.
const PORTION = 50_000;

/** Inserts rows of a stock list into each new table and updates the statistics of the planner. */
export async function seedRows(
  database: Pick<TestDatabase, 'sql'>,
  company: string,
  counts: Record<string, number>,
): Promise<void> {
  const { sql } = database;
  await fillTables(database, ['table_rows'], async () => {
    for (const [table, count] of Object.entries(counts)) {
      await sql(
        `insert into tables (company_id, _id, name, slug, columns, last_row_index, row_count) values ($1, $2, $2, 't' || $2, $3, $4, $4)`,
        [company, table, JSON.stringify(COLUMNS), count],
      );
      for (let from = 1; from <= count; from += PORTION) {
        const to = Math.min(from + PORTION - 1, count);
        await sql(ROWS, [company, table, from, to, THINGS, STUFFS, RARE.oneIn, RARE.word, RARE.pair]);
      }
    }
  });
  await sql('vacuum analyze tables');
}

/** The columns of the tables that seedRows() fills. */
export const COLUMNS: Column[] = (
  [
    ['name', 'TEXT'],
    ['code', 'TEXT'],
    ['price', 'NUMBER'],
    ['active', 'BOOLEAN'],
    ['since', 'DATE'],
    ['state', 'SELECT'],
    ['tags', 'LIST'],
    ['link', 'URL'],
  ] as const
).map(([key, type]) => ({
  key,
  title: key,
  type,
  required: false,
  options: type === 'SELECT' ? ['Novo', 'Em análise', 'Vendido'] : [],
}));

const THINGS = ['Caixa', 'Saco', 'Pacote', 'Lata', 'Garrafa', 'Rolo', 'Fardo', 'Pote', 'Balde', 'Tábua'];
const STUFFS = `Madeira Açúcar Café Feijão Farinha Óleo Sabão Tinta Cimento Areia Vidro Papel`.split(' ');

const ROWS = `insert into table_rows (company_id, table_id, _id, row_index, data, created_at)
  select $1, $2, substr($2, 1, 12) || lpad(to_hex(n), 12, '0'), n, jsonb_build_object(
      'name', ($5::text[])[1 + (h & 1023) % 10] || ' de ' || ($6::text[])[1 + (h >> 10 & 4095) % 12]
        || case when n % $7::int = 0 then ' ' || $8::text else '' end,
      'code', upper(translate(substr(md5(n::text), 1, 8), 'ef', '78')) || case when n % $7::int = 7 then '-' || $9::text || 'a' else '' end,
      'price', (h >> 22 & 65535) / 100.0,
      'active', h & 1 = 0,
      'since', (date '2020-01-01' + (h >> 5 & 2047)::int)::text,
      'state', ('{Novo,Em análise,Vendido}'::text[])[1 + (h >> 7 & 255) % 3],
      'tags', jsonb_build_array('lote ' || (h >> 9 & 8191)::text, ('{frágil,pesado,leve}'::text[])[1 + (h >> 3 & 255) % 3]),
      'link', 'https://loja.example/p/' || n),
    now() - interval '400 days' + n * interval '1 second'
  from (select n, hashint8extended(n, 5) & 1099511627775 as h from generate_series($3::bigint, $4::bigint) n) numbers`;
