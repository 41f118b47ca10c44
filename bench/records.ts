/**
 * Benchmark (records): the operation of GET /v1/contacts, without HTTP, in a company with 1,000,000 contacts, compared with a company with
 * 10,000 in the same tables.
 */
import { pageContacts } from '../src/features/contacts/list/list.ts';
import type { ContactQuery } from '../src/features/contacts/schemas.ts';
import type { Tenant } from '../src/platform/store/tenant.ts';
import { openDatabase } from '../src/platform/store/open-database.ts';
import { compareSizes, type Figure } from './measure.ts';
import { FIELDS, RARE, seedPeople } from './people.ts';
import type { BenchStage } from './stage.ts';

const LARGE = { company: '1'.repeat(24), count: 1_000_000 };
const SMALL = { company: '2'.repeat(24), count: 10_000 };
const CALLS = 200;
// The longest acceptable times. A person does not notice the first one, and it leaves time for the rest of the request; the second one is
// allowed for the most expensive search.
const GOAL_MS = 40;
const GOAL_PAIR_MS = 150;

type ContactListQuery = Partial<ContactQuery>;

interface ListCase {
  name: string;
  /** The query of each call: consecutive calls differ where possible. */
  ask: (call: number) => ContactListQuery;
  goalMs?: number;
  /** True for a query that finds a match within a few rows, so that it may take at most twice as long as in the small company. */
  common?: true;
}

const makeSearchQuery =
  (...terms: string[]) =>
  (call: number): ContactListQuery => ({ search: terms[call % terms.length] ?? '' });
const formatFilters = (...items: unknown[][]): string =>
  JSON.stringify(items.map(([field, operator, value]) => ({ field, operator, value })));

const CASES: ListCase[] = [
  { name: 'page 1', ask: () => ({}), common: true },
  { name: 'a name of 8 %', ask: makeSearchQuery('silva', 'Santos'), common: true },
  { name: 'a name of 1 in 20,000', ask: makeSearchQuery(RARE.name) },
  { name: 'three words', ask: makeSearchQuery('Maria Silva Santos', 'josé oliveira souza', 'ana lima pereira') },
  { name: 'a name that nobody has', ask: makeSearchQuery('qwertz', 'Nebukadnezar') },
  { name: 'two letters of many', ask: makeSearchQuery('an', 'xa'), common: true },
  { name: 'two rare letters', ask: makeSearchQuery('zq', 'qx', 'wk'), goalMs: GOAL_PAIR_MS },
  { name: '4 digits of a number', ask: (call) => ({ search: `${1_000 + ((call * 37) % 9_000)}` }) },
  { name: '6 digits of a number', ask: (call) => ({ search: `${100_000 + ((call * 7_919) % 900_000)}` }) },
  {
    name: 'a custom field of 25 %',
    ask: (call) => ({ filters: formatFilters([FIELDS.plan._id, 'eq', call % 2 ? 'ouro' : 'PRATA']) }),
    common: true,
  },
  {
    name: 'a custom field of 1 in 20,000',
    ask: (call) => ({ filters: formatFilters([FIELDS.batch._id, 'eq', `lote ${call * 97}`]) }),
  },
  {
    name: 'a filter and a search',
    ask: (call) => ({
      search: 'silva',
      filters: formatFilters([FIELDS.score._id, 'eq', call], [FIELDS.city._id, 'eq', 'natal']),
    }),
  },
];

export async function benchRecords(stage: BenchStage): Promise<Figure[]> {
  await stage.database.sql(`insert into companies (_id, name) values ($1, 'Large'), ($2, 'Small')`, [
    LARGE.company,
    SMALL.company,
  ]);
  await seedPeople(stage.database, { [SMALL.company]: SMALL.count, [LARGE.company]: LARGE.count });
  const database = openDatabase({ url: stage.database.url, poolSize: 2 });
  const openTenant = (companyId: string): Tenant => ({ companyId, read: database.read(companyId) }) as Tenant;
  const [large, small] = [openTenant(LARGE.company), openTenant(SMALL.company)];
  try {
    const figures: Figure[] = [];
    // The small company has 500 pages of contacts. Page 499 is the last one with a cursor for a next page.
    const [deepLarge, deepSmall] = [await findCursorAfter(large, 1_000), await findCursorAfter(small, 499)];
    figures.push(
      await measureQuery('page 1,000 by cursor', GOAL_MS, [
        () => listContacts(large, deepLarge),
        () => listContacts(small, deepSmall),
      ]),
    );
    for (const { name, ask, goalMs = GOAL_MS, common } of CASES) {
      figures.push(
        await measureQuery(
          name,
          goalMs,
          [(call) => listContacts(large, ask(call)), (call) => listContacts(small, ask(call))],
          common,
        ),
      );
    }
    figures.push(await measureCounts(large));
    return figures;
  } finally {
    await database.close();
  }
}

const listContacts = (tenant: Tenant, asked: ContactListQuery) =>
  pageContacts(tenant, { limit: 20, skipCount: true, sort: '-createdAt', ...asked });

async function findCursorAfter(tenant: Tenant, page: number): Promise<ContactListQuery> {
  const { meta } = await listContacts(tenant, { page });
  if (meta.nextCursor === null) throw new Error(`there is no page after page ${page}`);
  return { after: meta.nextCursor };
}

type MeasuredCall = (call: number) => Promise<unknown>;

function measureQuery(
  name: string,
  goalMs: number,
  calls: [MeasuredCall, MeasuredCall],
  common?: true,
): Promise<Figure> {
  const [large, small] = calls;
  return compareSizes({ name: `(records) ${name}`, goalMs, calls: CALLS, large, small, common: common ?? false });
}

/** Measures lists with their total. Totals are exact, and no time is promised for them. */
async function measureCounts(tenant: Tenant): Promise<Figure> {
  const times: string[] = [];
  for (const asked of [{}, { search: 'silva' }, { search: RARE.name }]) {
    const startedMs = performance.now();
    const { meta } = await listContacts(tenant, { ...asked, skipCount: false });
    times.push(`${meta.totalCount}: ${Math.round(performance.now() - startedMs)} ms`);
  }
  return { name: '(records) with the total', value: times.join(', '), goal: '-', met: true };
}
