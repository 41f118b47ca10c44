/** Work on many large records from an older version: the bytes that one statement handles stay limited. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { limitBytesPerStatement } from '../../../test/support/rows.ts';
import { writeAsContact } from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { walkContacts } from '../../features/contacts/import/queries.ts';
import { stripField } from '../../features/custom-fields/strip.ts';
import { walkRows } from '../../features/tables/rows/export-queries.ts';
import { purgeDeliveries } from '../../features/webhooks/upkeep.ts';
import { READ_BYTES } from './portions.ts';

const platform = await startPlatform();
const { call, database, demo, running } = platform;

const COUNT = 60;
const FAT = 200_000;
const fat = 'fat and old '.repeat(FAT / 12);
// The last record of a portion begins below the limit, but may end above it.
const MOST = READ_BYTES + 2 * FAT;

for (const [table, column] of [
  ['contacts', 'custom_fields'],
  ['conversations', 'custom_fields'],
  ['table_rows', 'data'],
] as const)
  await limitBytesPerStatement(platform, { table, column, mostBytes: MOST });
await limitBytesPerStatement(platform, { table: 'messages', column: 'contacts', mostBytes: MOST });
await limitBytesPerStatement(platform, { table: 'deliveries', column: 'body', mostBytes: MOST });

const field = (
  await call(201, 'POST', '/v1/custom-fields', {
    body: { title: 'Fat', slug: 'fat', context: 'contact', type: 'TEXT' },
  })
).body;

async function fatRows(links: { contact?: string; business?: string } = {}): Promise<string> {
  const columns = [{ key: 'text', type: 'TEXT' }];
  const table = (await call(201, 'POST', '/v1/tables', { body: { name: `T ${Math.random()}`, columns } })).body;
  await database.sql(
    `insert into table_rows (company_id, _id, table_id, row_index, data, contact_id, business_id)
      select $1, new_id(), $2, n, jsonb_build_object('text', $3::text), $4, $5 from generate_series(1, ${COUNT}) n`,
    [demo._id, table._id, fat, links.contact ?? null, links.business ?? null],
  );
  await database.sql('update tables set row_count = $2, last_row_index = $2 where _id = $1', [table._id, COUNT]);
  return table._id;
}

const left = async (table: string, condition: string, values: unknown[]): Promise<number> =>
  (await database.sql<{ count: number }>(`select count(*)::int as count from ${table} where ${condition}`, values))[0]
    ?.count ?? -1;

test('a contact with large rows, conversations and messages can be erased', async () => {
  const { contact, conversation } = await writeAsContact(platform);
  const table = await fatRows({ contact: contact._id });
  await database.sql(
    `insert into conversations (company_id, _id, contact_id, inbox_id, channel, handled_by, status, custom_fields)
      select $1, new_id(), $2, $3, 'WAP_AUTO_CLOSER', 'NONE', 'CLOSED', jsonb_build_object('x', $4::text) from generate_series(1, ${COUNT})`,
    [demo._id, contact._id, demo.inbox, fat],
  );
  await database.sql(
    `insert into messages (company_id, _id, conversation_id, contact_id, inbox_id, channel, sender_type, message_type, origin, content_type, contacts, status)
      select $1, new_id(), $2, $3, $4, 'WAP_AUTO_CLOSER', 'CONTACT', 'INCOMING', 'CHANNEL', 'CONTACTS', jsonb_build_array($5::text), 'RECEIVED'
      from generate_series(1, ${COUNT})`,
    [demo._id, conversation._id, contact._id, demo.inbox, fat],
  );
  await call(200, 'DELETE', `/v1/contacts/${contact._id}`);
  assert.equal(await left('conversations', 'contact_id = $1', [contact._id]), 0);
  assert.equal(await left('messages', 'contact_id = $1', [contact._id]), 0);
  assert.equal(await left('table_rows', 'table_id = $1 and contact_id is null', [table]), COUNT);
});

test('a deleted user and a deleted business are removed from large records', async () => {
  const user = await platform.createUser(demo._id, 'OPERATOR');
  const business = (await call(201, 'POST', '/v1/businesses', { body: { name: 'Acme' } })).body;
  await fatRows({ business: business._id });
  await database.sql(
    `insert into contacts (company_id, _id, name, source, owner_id, business_id, custom_fields)
      select $1, new_id(), 'Owned', 'API', $2, $3, jsonb_build_object($4::text, $5::text) from generate_series(1, ${COUNT})`,
    [demo._id, user._id, business._id, field._id, fat],
  );
  await call(200, 'DELETE', `/v1/users/${user._id}`);
  await call(200, 'DELETE', `/v1/businesses/${business._id}`);
  await waitUntil('nothing names them', async () => {
    const named = await left('contacts', 'owner_id = $1 or business_id = $2', [user._id, business._id]);
    return named === 0 && (await left('table_rows', 'business_id = $1', [business._id])) === 0 ? true : null;
  });
});

test('large values of a removed field are deleted, and so are large rows of a removed table', async () => {
  const before = await left('contacts', 'custom_fields ? $1', [field._id]);
  assert.ok(before >= COUNT);
  await stripField(running.kit, demo._id, field._id, 'contact');
  assert.equal(await left('contacts', 'custom_fields ? $1', [field._id]), 0);
  const table = await fatRows();
  await call(200, 'DELETE', `/v1/tables/${table}`);
  await waitUntil('the rows are erased', async () =>
    (await left('table_rows', 'table_id = $1', [table])) === 0 ? true : null,
  );
});

test('removing a column deletes its values from large rows', async () => {
  const table = await fatRows();
  const columns = [{ key: 'other', type: 'TEXT' }];
  await call(200, 'PATCH', `/v1/tables/${table}`, { body: { columns, drop_columns: ['text'] } });
  assert.equal(await left('table_rows', `table_id = $1 and data = '{}'`, [table]), COUNT);
});

test('an export of large records reads one portion at a time and leaves no record out', async () => {
  const table = await fatRows();
  const read = running.kit.database.read(demo._id);
  const sizes: number[] = [];
  let seen = 0;
  for (let after = 0, rows; (rows = await walkRows(read, table, after, 1_000)).length > 0;) {
    after = rows.at(-1)?.row_index ?? 0;
    seen += rows.length;
    sizes.push(Buffer.byteLength(JSON.stringify(rows)));
  }
  assert.equal(seen, COUNT);
  await database.sql(
    `insert into contacts (company_id, _id, name, source, custom_fields) select $1, new_id(), 'Exported', 'API', jsonb_build_object($2::text, $3::text)
      from generate_series(1, ${COUNT})`,
    [demo._id, 'f'.repeat(24), fat],
  );
  await database.sql(
    `insert into custom_fields (company_id, _id, slug, title, context) values ($1, $2, 'exported', 'E', 'contact')`,
    [demo._id, 'f'.repeat(24)],
  );
  const portion = await walkContacts(read, { ids: null, business: null, search: null, filters: [] }, null, 1_000);
  sizes.push(Buffer.byteLength(JSON.stringify(portion)));
  // The last record begins below the limit, but may end above it.
  assert.ok(
    sizes.every((size) => size <= READ_BYTES + 2 * FAT),
    sizes.join(', '),
  );
  const lines = (await call(200, 'GET', '/v1/contacts/export?search=Exported')).body.trim().split('\r\n') as string[];
  assert.equal(lines.length, COUNT + 1);
});

test('old deliveries with large bodies are deleted', async () => {
  await database.sql(
    `insert into deliveries (company_id, _id, webhook_id, webhook_epoch, event, resource_id, body, status, queued_at, claimed_at, finished_at)
      select $1, '1' || substr(new_id(), 2), $2, 1, 'CONTACT_CREATED', new_id(), $3, 'DELIVERED', now() - interval '30 days', now(), now() from generate_series(1, ${COUNT})`,
    [demo._id, demo.webhook, JSON.stringify({ event: 'CONTACT_CREATED', data: fat } satisfies Json)],
  );
  await purgeDeliveries(running.kit);
  assert.equal(await left('deliveries', `queued_at < now() - interval '20 days'`, []), 0);
});
