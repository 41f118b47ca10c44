/** Tests how much the database reads for a search among the messages of a small company and a large one. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openTestDatabase } from '../../../test/support/database.ts';
import type { Json } from '../../../test/support/platform.ts';
import { closePool, openPool, type Statement } from '../../platform/store/db.ts';
import { createExecutor } from '../../platform/store/executors.ts';
import { ROLES } from '../../platform/store/roles.ts';
import type { TenantRead } from '../../platform/store/tenant.ts';
import { openDatabase } from '../../platform/store/open-database.ts';
import { REACH } from '../../platform/store/long-list.ts';
import { searchMessages } from './search.ts';
import type { MessageSearchQuery } from './schemas.ts';

// Both ids end differently, as the ids of real companies do.
const LARGE = `${'a'.repeat(23)}1`;
const SMALL = `${'a'.repeat(23)}2`;
const USER = 'b'.repeat(24);
const MESSAGES = 30_000;
const FEW = 30;
// The messages of the large company that have a file.
const FILES = 12;
// The messages in a part of the large company, and how many of the oldest have a further word.
const PART = 2_000;
const OLD = 20_000;
// A page reads its own rows and those between them, or all of its few matches.
const MOST_ROWS = 1_000;
// The blocks that a search of the small company reads: three levels of an index and its own rows.
const MOST_BLOCKS = 300;

const database = await openTestDatabase();
await database.sql(`insert into companies (_id, name) values ($1, 'Large'), ($2, 'Small')`, [LARGE, SMALL]);
for (const [company, count] of [
  [LARGE, MESSAGES],
  [SMALL, FEW],
] as const) {
  await database.sql(
    `insert into message_parts (company_id, starts_at)
      select $1, now() - interval '1 day' + n * interval '1 second' from generate_series($2::int, $3::int, $2::int) n`,
    [company, PART, count],
  );
  await database.sql(`insert into inboxes (company_id, _id, name, channel) values ($1, $1, 'x', 'WEB_V2')`, [company]);
  await database.sql(`insert into contacts (company_id, _id, name, source) values ($1, $1, 'x', 'API')`, [company]);
  await database.sql(
    `insert into conversations (company_id, _id, contact_id, inbox_id, channel, handled_by) values ($1, $1, $1, $1, 'WEB_V2', 'NONE')`,
    [company],
  );
  await database.sql(
    `insert into messages (company_id, _id, conversation_id, contact_id, inbox_id, channel, sender_type, message_type, origin,
        content_type, content, status, created_at, updated_at)
      select $1, lpad(to_hex(n), 24, '0'), $1, $1, $1, 'WEB_V2', 'CONTACT', 'INCOMING', 'CHANNEL', 'TEXT',
        'Bom dia ' || n || case when n % 3000 = 0 then ' urgente' else '' end
          || case when n <= ${OLD} then ' velho' else '' end, 'RECEIVED', now() - interval '1 day' + n * interval '1 second',
        now() - interval '1 day' + (n * 7 % $2) * interval '1 second'
      from generate_series(1, $2) n`,
    [company, count],
  );
}
await database.sql('update messages set mentions = $2 where company_id = $1 and _id <= $3', [
  LARGE,
  [USER],
  '1'.padStart(24, '0'),
]);
await database.sql(
  `insert into attachments (company_id, _id, storage_key, link, file_type, extension, mime_type, file_name, state)
    values ($1, $1, 'x', 'x', 'IMAGE', 'png', 'image/png', 'x', 'PENDING')`,
  [LARGE],
);
await database.sql('update messages set attachment_id = $1 where company_id = $1 and _id <= $2', [
  LARGE,
  FILES.toString(16).padStart(24, '0'),
]);
await database.sql('vacuum analyze messages, message_search, message_activity');
const pool = openPool(database.url, ROLES.read, 1);
const { query: readRows } = createExecutor(pool);
after(async () => {
  await closePool(pool);
  await database.close();
});

interface Looked {
  indexes: Set<string>;
  /** The number of rows that the database read of the table of words and in the order of changes. */
  rows: number;
  /** The number of blocks that it read. */
  blocks: number;
}

function lookInto(node: Json, looked: Looked): void {
  if (node['Index Name']) looked.indexes.add(node['Index Name']);
  assert.notEqual(node['Node Type'], 'Seq Scan');
  if (node['Relation Name'] === 'message_search' || node['Index Name'] === 'message_activity_pkey')
    looked.rows += (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
  for (const inner of node.Plans ?? []) lookInto(inner, looked);
}

/** Requests a page and its total, and has the database explain each statement with the values that were sent. */
async function explain(
  companyId: string,
  query: Partial<MessageSearchQuery>,
  { sight, query: run }: Pick<TenantRead, 'sight' | 'query'> = { sight: null, query: readRows },
): Promise<Looked & { found: number }> {
  const looked: Looked = { indexes: new Set(), rows: 0, blocks: 0 };
  const read = {
    companyId,
    sight,
    query: async (statement: Statement) => {
      const text = `explain (analyze, buffers, format json) ${statement.text}`;
      const [row] = await run<Json>({ ...statement, text });
      assert.ok(row);
      const { Plan } = row['QUERY PLAN'][0];
      lookInto(Plan, looked);
      looked.blocks += Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks'];
      return run(statement);
    },
  };
  const asked = { limit: 20, skipCount: true, sort: '-createdAt' as const, ...query };
  const page = await searchMessages({ companyId, read } as never, asked, Infinity);
  return { ...looked, found: page.result.length };
}

test(`a search for a word that most of ${MESSAGES} messages have reads the newest of these`, async () => {
  const { found, rows, indexes } = await explain(LARGE, { search: 'bom dia' });
  assert.equal(found, 20);
  assert.ok(rows <= MOST_ROWS && indexes.has('message_search_list'), `${rows}: ${[...indexes].join(', ')}`);
});

test('a user who sees some inboxes finds a rare word through the index of words as well', async () => {
  const opened = openDatabase({ url: database.url, poolSize: 1 });
  const reader = opened.read(LARGE, { user: USER, inboxes: [LARGE] });
  const { found, rows, indexes } = await explain(LARGE, { search: 'urgente' }, reader);
  await opened.close();
  const { rows: ofAll } = await explain(LARGE, { search: 'urgente' });
  assert.deepEqual([found, indexes.has('message_search_words')], [MESSAGES / 3_000, true]);
  assert.ok(rows <= ofAll, `${rows}, without policies ${ofAll}`);
});

test(`a search for a rare word finds it among ${MESSAGES} messages through the index of words`, async () => {
  const { found, indexes } = await explain(LARGE, { search: 'urgente', skipCount: false });
  assert.equal(found, MESSAGES / 3_000);
  assert.ok(indexes.has('message_search_words'), [...indexes].join(', '));
});

test(`a search for words that ${OLD} older messages have reads the matches of one part`, async () => {
  const { found, rows } = await explain(LARGE, { search: 'bom velho' });
  assert.ok(found === 20 && rows <= REACH + PART + MOST_ROWS, `${rows}`);
});

test('a search in a small company reads as little as if the large company had no messages', async () => {
  for (const search of ['bom', 'dia 7', 'urgente', 'nobody']) {
    const { rows, blocks } = await explain(SMALL, { search, skipCount: false });
    assert.ok(rows <= 3 * FEW && blocks <= MOST_BLOCKS, `${search}: ${rows} rows, ${blocks} blocks`);
  }
});

test('a page of the messages of a company and of an inbox reads few rows, in the order of an index', async () => {
  const all = await explain(LARGE, {});
  assert.ok(all.rows <= MOST_ROWS && all.indexes.has('message_search_list'), [...all.indexes].join(', '));
  const inbox = await explain(LARGE, { inbox: LARGE });
  assert.ok(inbox.rows <= MOST_ROWS && inbox.found === 20, `${inbox.rows}: ${[...inbox.indexes].join(', ')}`);
});

test('the notes that mention a user are found by their index', async () => {
  const { indexes, rows } = await explain(LARGE, { mentioned: USER });
  assert.ok(
    [...indexes].some((name) => name.endsWith('_mentions_idx')) && rows <= FEW,
    `${rows}: ${[...indexes].join(', ')}`,
  );
});

test('the files exchanged with a contact are found by their index, without reading its other messages', async () => {
  const { indexes, found, blocks } = await explain(LARGE, { contact: LARGE, has_file: true, skipCount: false });
  assert.ok(
    [...indexes].some((name) => name.endsWith('_contact_id_created_at__id_idx')),
    [...indexes].join(', '),
  );
  assert.ok(found === FILES && blocks <= MOST_BLOCKS, `${found} in ${blocks} blocks`);
});

test('the messages that changed last, or since a time, are read in the order of changes', async () => {
  const { updated_since = '' } =
    (
      await database.sql<{ updated_since: string }>(
        `select to_char(max(updated_at) - interval '9 seconds', 'YYYY-MM-DD"T"HH24:MI:SS.MSOF":00"') as updated_since from messages where company_id = $1`,
        [LARGE],
      )
    )[0] ?? {};
  for (const query of [{}, { updated_since }, { inbox: LARGE }, { inbox: LARGE, updated_since }, { search: 'bom' }]) {
    const { rows, indexes } = await explain(LARGE, { sort: '-updatedAt', ...query });
    assert.ok(indexes.has('message_activity_pkey') && rows <= MOST_ROWS, `${rows}: ${[...indexes].join(', ')}`);
  }
  const { found, rows, indexes } = await explain(LARGE, { updated_since, skipCount: false });
  assert.ok(found === 10 && indexes.has('message_activity_pkey'), `${found} of ${rows}: ${[...indexes].join(', ')}`);
});
