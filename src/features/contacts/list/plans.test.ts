/** Tests how many rows the database reads for a page of the list of a company with 50,000 contacts. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { FIELDS, RARE, seedPeople } from '../../../../bench/people.ts';
import { connectAs, openTestDatabase } from '../../../../test/support/database.ts';
import { type Statement } from '../../../platform/store/db.ts';
import { ROLES } from '../../../platform/store/roles.ts';
import { pageWindow, type Window } from '../../../platform/store/paging.ts';
import type { TenantRead } from '../../../platform/store/tenant.ts';
import type { Json } from '../../../../test/support/platform.ts';
import { findContactPage, readContactMatch } from './list.ts';

const COMPANY = 'a'.repeat(24);
const SMALL = 'b'.repeat(24);
const COUNT = 50_000;
// The most rows that a search may read: 5,000 while it follows the order of the list, and then, for a rare text, those that the index finds.
const MOST_ROWS = 5_000 + 1_000;

const database = await openTestDatabase();
await database.sql(`insert into companies (_id, name) values ($1, 'Large'), ($2, 'Small')`, [COMPANY, SMALL]);
await seedPeople(database, { [COMPANY]: COUNT, [SMALL]: 1_000 });
await database.sql(
  `update contacts set tags = '{Rara}', username = 'rara.sa', external_id = case when _id = lpad('7', 24, '0') then 'CRM-7' end
    where company_id = $1 and _id in (lpad('7', 24, '0'), lpad('8', 24, '0'))`,
  [COMPANY],
);
const client = await connectAs(ROLES.read, database);
after(async () => {
  await client.end();
  await database.close();
});

interface Looked {
  indexes: Set<string>;
  /** The number of contacts that the database read, whether they matched or not. */
  rows: number;
}

function lookInto(node: Json, looked: Looked): Looked {
  if (node['Index Name']) looked.indexes.add(node['Index Name']);
  if (node['Relation Name'] === 'contacts') {
    const rows =
      node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
    looked.rows += rows * node['Actual Loops'];
  }
  for (const inner of node.Plans ?? []) lookInto(inner, looked);
  return looked;
}

/** Requests a page of the list and has the database explain each of its statements with the values that were sent. */
async function explain(query: {
  search?: string;
  filters?: Json[];
  window?: Partial<Window>;
}): Promise<Looked & { found: number }> {
  const looked: Looked = { indexes: new Set(), rows: 0 };
  const read = {
    companyId: COMPANY,
    query: async ({ text, values }: Statement) => {
      const { rows } = await client.query(`explain (analyze, format json) ${text}`, values);
      lookInto(rows[0]['QUERY PLAN'][0].Plan, looked);
      return (await client.query(text, values)).rows;
    },
  } as unknown as TenantRead;
  const filters = query.filters?.map(([field, operator, value]) => ({ field, operator, value }));
  const tenant = { companyId: COMPANY, read } as never;
  const { search } = query;
  const match = await readContactMatch(tenant, { search, filters: filters && JSON.stringify(filters) });
  const window = { ...pageWindow('contacts', { limit: 20, skipCount: true, sort: '-createdAt' }), ...query.window };
  const found = await findContactPage(tenant, match, window);
  return { ...looked, found: found.length };
}

const rare = { field: FIELDS.batch._id, value: 'LOTE 777' };
const CASES: [string, Parameters<typeof explain>[0], { indexed: boolean | string; found: number | null }][] = [
  ['everybody', {}, { indexed: false, found: 21 }],
  ['a name of 8 %', { search: 'silva' }, { indexed: false, found: 21 }],
  ['two letters of many', { search: 'an' }, { indexed: false, found: 21 }],
  ['a custom field of 25 %', { filters: [[FIELDS.plan._id, 'eq', 'ouro']] }, { indexed: false, found: 21 }],
  ['a rare name', { search: RARE.name }, { indexed: true, found: 2 }],
  ['three words', { search: 'maria silva santos' }, { indexed: true, found: null }],
  ['a name that nobody has', { search: 'qwertz' }, { indexed: true, found: 0 }],
  ['two rare letters', { search: 'zq' }, { indexed: true, found: 2 }],
  ['two letters that nobody has', { search: 'qx' }, { indexed: true, found: 0 }],
  ['four digits of a number', { search: '12-34' }, { indexed: true, found: null }],
  ['six digits of a number', { search: '123456' }, { indexed: true, found: null }],
  ['an id', { search: '1'.padStart(24, '0') }, { indexed: true, found: 1 }],
  ['a rare custom field', { filters: [[rare.field, 'eq', rare.value]] }, { indexed: true, found: null }],
  [
    'a number',
    {
      filters: [
        [FIELDS.score._id, 'eq', 123],
        [FIELDS.city._id, 'eq', 'natal'],
      ],
    },
    { indexed: true, found: null },
  ],
  [
    'a search with a filter',
    { search: 'xavier', filters: [[rare.field, 'eq', rare.value]] },
    { indexed: true, found: null },
  ],
  ['an e-mail', { filters: [['contact.email', 'contains', 'silva123']] }, { indexed: true, found: null }],
  [
    'the beginning of a number',
    { filters: [['contact.phone_number', 'starts_with', '+551191234']] },
    { indexed: true, found: null },
  ],
  ['the end of a rare name', { filters: [['contact.name', 'ends_with', 'krüger']] }, { indexed: false, found: 21 }],
  ['those without a name', { filters: [['contact.name', 'is_empty']] }, { indexed: true, found: 0 }],
  ['a rare tag', { filters: [['contact.tags', 'eq', 'Rara']] }, { indexed: 'contacts_tags', found: 2 }],
  ['a rare username', { search: '@rara.s' }, { indexed: 'contacts_username', found: 2 }],
  ['two letters of a rare username', { search: '@rq' }, { indexed: 'contacts_username', found: 0 }],
  [
    'a filter of usernames',
    { filters: [['contact.username', 'eq', '@Rara.Sa']] },
    { indexed: 'contacts_username', found: 2 },
  ],
  [
    'those with a username',
    { filters: [['contact.username', 'is_not_empty']] },
    { indexed: 'contacts_username', found: 2 },
  ],
  [
    'an external id',
    { filters: [['contact.external_id', 'eq', 'crm-7']] },
    { indexed: 'contacts_external_id', found: 1 },
  ],
  ['those from elsewhere', { filters: [['contact.country_code', 'neq', 'BR']] }, { indexed: true, found: 0 }],
];

describe(`the rows that a page reads among ${COUNT} contacts`, () => {
  for (const [name, query, expected] of CASES) {
    test(`a page reads at most ${MOST_ROWS} of ${COUNT} contacts: ${name}`, async () => {
      const { indexes, rows, found } = await explain(query);
      assert.ok(rows <= MOST_ROWS, `${rows} rows were read by ${[...indexes].join(', ')}`);
      const [index, isUsed] =
        typeof expected.indexed === 'string' ? [expected.indexed, true] : ['contacts_search', expected.indexed];
      assert.equal(indexes.has(index), isUsed, [...indexes].join(', '));
      if (expected.found !== null) assert.equal(found, expected.found);
    });
  }
});

describe(`the other orders of the list among ${COUNT} contacts`, () => {
  // About the middle of the times at which the contacts were changed.
  const far = { at: new Date(Date.now() - 385 * 86_400_000).toISOString(), id: 'f'.repeat(24) };
  const silent = { at: '-infinity', id: 'f'.repeat(24) };
  const ORDERS: [string, Parameters<typeof explain>[0], string, number][] = [
    ['-updatedAt', { window: { field: 'updatedAt' } }, 'contacts_updated', 100],
    ['-updatedAt, after a cursor', { window: { field: 'updatedAt', after: far } }, 'contacts_updated', 100],
    ['-updatedAt, updated_since', { window: { field: 'updatedAt', since: far.at } }, 'contacts_updated', 100],
    ['-updatedAt of a search', { search: 'silva', window: { field: 'updatedAt' } }, 'contacts_updated', MOST_ROWS],
    ['-last_message_at', { window: { field: 'last_message_at' } }, 'contact_activity_list', 100],
    [
      '-last_message_at, after a cursor',
      { window: { field: 'last_message_at', after: far } },
      'contact_activity_list',
      100,
    ],
    [
      '-last_message_at, among the silent',
      { window: { field: 'last_message_at', after: silent } },
      'contact_activity_list',
      100,
    ],
    [
      '-last_message_at of a search',
      { search: 'silva', window: { field: 'last_message_at' } },
      'contact_activity_list',
      MOST_ROWS,
    ],
    [
      '-last_message_at of a rare search',
      { search: RARE.name, window: { field: 'last_message_at' } },
      'contacts_search',
      2 * MOST_ROWS,
    ],
    [
      '-createdAt of what was changed since',
      { window: { since: '2100-01-01T00:00:00.000Z' } },
      'contacts_updated',
      MOST_ROWS,
    ],
  ];
  for (const [name, query, index, most] of ORDERS) {
    test(`a page reads few contacts and follows the index of its order: ${name}`, async () => {
      const { indexes, rows, found } = await explain(query);
      assert.ok(rows <= most, `${rows} rows were read by ${[...indexes].join(', ')}`);
      assert.ok(indexes.has(index), [...indexes].join(', '));
      assert.ok(found > 0 || query.window?.since?.startsWith('2100'));
    });
  }
});

test('a search by the index finds the same contacts as a comparison of every contact', async () => {
  for (const [, { search }] of CASES) {
    if (!search || /\d|@/.test(search)) continue;
    const [row] = await database.sql<{ count: number }>(
      `select least(count(*), 21)::int as count from contacts where company_id = $1
        and (strpos(folded_name, fold($2)) > 0 or strpos(folded_email, fold($2)) > 0)`,
      [COMPANY, search],
    );
    assert.equal((await explain({ search })).found, row?.count, search);
  }
});
