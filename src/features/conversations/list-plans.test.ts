/** Tests how many rows the database reads for a page of the list of a company with 50,000 conversations. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { seedConversations } from '../../../bench/records-conversations.ts';
import { connectAs, openTestDatabase } from '../../../test/support/database.ts';
import type { Json } from '../../../test/support/platform.ts';
import { type Statement } from '../../platform/store/db.ts';
import { ROLES } from '../../platform/store/roles.ts';
import { makeCursorAfter, pageWindow } from '../../platform/store/paging.ts';
import type { Sight, Tenant } from '../../platform/store/tenant.ts';
import { countConversationViews } from './conversations.ts';
import { pageConversations } from './list.ts';
import type { ConversationQuery } from './schemas.ts';

const COMPANY = 'a'.repeat(24);
const CONTACTS = 10_000;
// When one conversation in fifty matches, a page reads its own rows and those between them. A search also reads the rows of its first short
// read.
const MOST_ROWS = 1_500;
const MOST_SEARCHED = 5_000 + 2_000 + MOST_ROWS;

const database = await openTestDatabase();
await database.sql(`insert into companies (_id, name) values ($1, 'Large')`, [COMPANY]);
const inbox = `insert into inboxes (company_id, _id, name, channel) values ($1, $1, 'x', 'WEB_V2')`;
await database.sql(inbox, [COMPANY]);
await database.sql(`insert into pipelines (company_id, _id, name) values ($1, $1, 'x')`, [COMPANY]);
await database.sql(
  `insert into pipeline_steps (company_id, _id, pipeline_id, name, position) values ($1, $1, $1, 'x', 3)`,
  [COMPANY],
);
const [owner = ''] = await seedConversations(database, COMPANY, CONTACTS);
await database.sql(`update conversations set tags = '{rare}' where _id in (lpad('1', 24, '0'), lpad('2', 24, '0'))`);
// Half of the open conversations wait and are unread, one in fifty is urgent, and two have a high priority.
await database.sql(`update conversations set unread_count = 1, waiting_since = created_at
  where status <> 'CLOSED' and right(_id, 1) < '8'`);
await database.sql(`update conversations set priority = 4 where tags = '{vip}'`);
await database.sql(`update conversations set priority = 3 where tags = '{rare}'`);
await database.sql('vacuum analyze conversations, conversation_activity');
const client = await connectAs(ROLES.read, database);
after(async () => {
  await client.end();
  await database.close();
});

interface Looked {
  indexes: Set<string>;
  /** The number of conversations that the database read, whether they matched or not. */
  rows: number;
  /** The ways in which the database read conversations. */
  scans: Set<string>;
  /** The names of the tables that the database read from beginning to end. */
  walked: Set<string>;
}

function lookInto(node: Json, looked: Looked): Looked {
  if (node['Index Name']) looked.indexes.add(node['Index Name']);
  if (node['Node Type'] === 'Seq Scan') looked.walked.add(node['Relation Name']);
  if (node['Relation Name'] === 'conversations') {
    looked.scans.add(node['Node Type']);
    looked.rows += (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
  }
  for (const inner of node.Plans ?? []) lookInto(inner, looked);
  return looked;
}

/** Requests a page of the list and has the database explain each of its statements with the values that were sent. */
async function explain(query: Partial<ConversationQuery>, sight: Sight = null): Promise<Looked & { found: number }> {
  const asked = { limit: 20, skipCount: true, sort: '-createdAt' as const, ...query };
  const { looked, answer } = await explainWork((tenant) => pageConversations(tenant, asked), sight);
  return { ...looked, found: answer.result.length };
}

async function explainWork<T>(
  work: (tenant: Tenant) => Promise<T>,
  sight: Sight = null,
): Promise<{ looked: Looked; answer: T }> {
  const looked: Looked = { indexes: new Set(), rows: 0, scans: new Set(), walked: new Set() };
  const read = {
    companyId: COMPANY,
    sight,
    query: async ({ text, values }: Statement) => {
      const { rows } = await client.query(`explain (analyze, format json) ${text}`, values);
      lookInto(rows[0]['QUERY PLAN'][0].Plan, looked);
      return (await client.query(text, values)).rows;
    },
  };
  return { looked, answer: await work({ companyId: COMPANY, read, principal: { type: 'user', id: owner } } as never) };
}

const FAR = new Date(Date.now() - 395 * 86_400_000).toISOString();
// The open conversations are the newest fifth.
const WAITING = new Date(Date.now() - 385 * 86_400_000).toISOString();
/** Returns a cursor that is far from the beginning of the list. */
const distantCursor = (query: Partial<ConversationQuery>): string =>
  makeCursorAfter(pageWindow('conversations', { limit: 20, skipCount: true, sort: '-createdAt', ...query }), {
    _id: 'f'.repeat(24),
    createdAt: FAR,
    updatedAt: FAR,
    last_message_at: FAR,
    waiting_since: WAITING,
    priority: null,
  });
const FILTERS: [string, Partial<ConversationQuery>, string][] = [
  ['all', {}, 'conversations_list'],
  ['by status', { status: 'PENDING' }, 'conversations_status'],
  ['by owner', { owner }, 'conversations_owner'],
  ['by status and owner', { status: 'SNOOZED', owner }, 'conversations_owner_status'],
  ['by status and owner, oldest first', { status: 'OPEN', owner, sort: 'createdAt' }, 'conversations_owner_status'],
  ['by owner, far from the beginning', { owner, after: distantCursor({ owner }) }, 'conversations_owner'],
  ['open ones', { open: true }, ''],
  ['open ones, oldest first', { open: true, sort: 'createdAt' }, 'conversations_counts'],
  ['open ones without an owner', { open: true, owner: 'none' }, ''],
  [
    'open ones without an owner, oldest first',
    { open: true, owner: 'none', sort: 'createdAt' },
    'conversations_counts',
  ],
  ['closed ones without an owner', { open: false, owner: 'none' }, 'conversations_unassigned'],
  ['by owner, open ones', { open: true, owner }, ''],
  ['by attendant', { attendant: owner }, 'conversations_attendant'],
  ['by contact', { contact: '1'.padStart(24, '0') }, 'conversations_contact'],
  ['open ones without a step', { open: true, step: 'none' }, ''],
  ['by step', { step: COMPANY }, 'conversations_step'],
  ['by who handles it', { handled_by: 'HUMAN' }, ''],
  ['by inbox', { inbox: COMPANY }, ''],
  ['by pipeline', { pipeline: COMPANY }, ''],
  ['by a tag of one in fifty', { tag: 'vip' }, ''],
  ['by a rare tag', { tag: 'rare' }, 'conversations_tags'],
  ['by change', { sort: '-updatedAt' }, 'conversations_updated'],
  ['by change, far on', { sort: '-updatedAt', after: distantCursor({ sort: '-updatedAt' }) }, 'conversations_updated'],
  ['by change, since', { sort: '-updatedAt', updated_since: FAR }, 'conversations_updated'],
  ['by last message', { sort: '-last_message_at' }, 'conversation_activity_list'],
  [
    'by last message, far on',
    { sort: '-last_message_at', after: distantCursor({ sort: '-last_message_at' }) },
    'conversation_activity_list',
  ],
  ['the longest waiting first', { sort: 'waiting_since' }, 'conversation_activity_waiting'],
  ['the longest waiting of the open ones', { sort: 'waiting_since', open: true }, 'conversation_activity_waiting'],
  [
    'the longest waiting first, far on',
    { sort: 'waiting_since', after: distantCursor({ sort: 'waiting_since' }) },
    'conversation_activity_waiting',
  ],
  ['the longest waiting of an owner', { sort: 'waiting_since', open: true, owner }, 'conversation_activity_waiting'],
  ['the most urgent first', { sort: '-priority' }, 'conversations_priority'],
  ['the most urgent first, far on', { sort: '-priority', after: distantCursor({ sort: '-priority' }) }, ''],
  ['by a priority of one in fifty', { priority: 'URGENT' }, ''],
  ['by a rare priority', { priority: 'HIGH' }, 'conversations_priority'],
  ['unread ones', { unread: true }, ''],
  ['those that have waited for an hour', { waiting_longer_than: 60 }, ''],
  ['by channel', { channel: 'WEB_V2' }, ''],
  ['by last message and status', { sort: '-last_message_at', status: 'SNOOZED' }, 'conversation_activity_status'],
];

describe(`the rows that a filtered page reads among ${CONTACTS * 5} conversations`, () => {
  for (const [name, query, index] of FILTERS) {
    test(`a page of conversations reads few rows, through an index of its filter: ${name}`, async () => {
      const { indexes, rows, walked, found } = await explain(query);
      assert.ok(found > 0);
      assert.ok(rows <= MOST_ROWS, `${rows} rows were read by ${[...indexes].join(', ')}`);
      assert.ok(!walked.has('conversations'));
      if (index) assert.ok(indexes.has(index), [...indexes].join(', '));
    });
  }
});

describe(`the rows that a search reads among ${CONTACTS * 5} conversations`, () => {
  for (const search of ['ezquiel', 'kubitschek', 'maria', 'silva', '98765', 'nobody at all']) {
    test(`a search for "${search}" reads no table of conversations from beginning to end`, async () => {
      const { rows, walked, indexes } = await explain({ search });
      assert.ok(rows <= MOST_SEARCHED, `${rows} rows were read by ${[...indexes].join(', ')}`);
      assert.ok(!walked.has('conversations'));
    });
  }
});

test('the counts of the views are read from indexes alone, without any conversation itself', async () => {
  await database.sql('vacuum conversations');
  const { looked, answer } = await explainWork(countConversationViews);
  assert.ok(answer.open > 1_000 && (answer.mine ?? 0) > 0);
  assert.equal(answer.open + answer.status.CLOSED, CONTACTS * 5);
  assert.deepEqual([...looked.scans], ['Index Only Scan']);
  assert.ok(looked.indexes.has('conversations_counts'), [...looked.indexes].join(', '));
});

test('the number of conversations of an owner and a status is counted in their index', async () => {
  const { indexes, walked } = await explain({ status: 'OPEN', owner, skipCount: false });
  assert.ok(indexes.has('conversations_owner_status'));
  assert.ok(!walked.has('conversations'));
});

test('the queue of unassigned conversations is not slowed down by the people of a campaign who have not replied', async () => {
  await database.sql(
    `update conversations set awaits_reply = true where owner_id is null and status <> 'CLOSED' and right(_id, 2) <> '00'`,
  );
  await database.sql('analyze conversations');
  const query = { open: true, snoozed: false, awaits_reply: false, owner: 'none', sort: '-last_message_at' } as const;
  const { indexes, rows, found } = await explain(query);
  assert.ok(found > 0);
  assert.ok(indexes.has('conversations_waiting'), [...indexes].join(', '));
  assert.ok(rows <= MOST_SEARCHED, `${rows} rows were read`);
});

test('a user who sees one small inbox gets its conversations without those of the others', async () => {
  const small = 'b'.repeat(24);
  await database.sql(`insert into inboxes (company_id, _id, name, channel) values ($1, $2, 'y', 'WEB_V2')`, [
    COMPANY,
    small,
  ]);
  // Its conversations are the oldest, so that they are at the end of each order.
  await database.sql(
    `update conversations set inbox_id = $2 where company_id = $1
      and _id in (select _id from conversations where company_id = $1 order by created_at limit 10)`,
    [COMPANY, small],
  );
  for (const sort of ['-createdAt', '-last_message_at'] as const) {
    const { found, rows } = await explain({ sort }, { user: owner, inboxes: [small] });
    assert.equal(found, 10);
    assert.ok(rows <= MOST_SEARCHED, `${sort}: ${rows} rows`);
  }
});
