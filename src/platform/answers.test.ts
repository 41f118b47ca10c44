/** Pages that would exceed the size limit of an answer: they are refused, and the error names a page limit that fits. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform, type Json } from '../../test/support/platform.ts';
import { expectProblem } from '../../test/support/refusals.ts';
import { writeAsContact } from '../../test/support/traffic.ts';
import { newId } from './ids.ts';

const platform = await startPlatform();
const { call, database, demo } = platform;

/** Returns a text of this many bytes that compresses well, but to no less than a hundredth of its size. */
const makeFatText = (bytes: number): string => 'fat and old '.repeat(Math.ceil(bytes / 12)).slice(0, bytes);
const FAT = 200_000;

/** Sends a request that is refused and returns the limit that the error names. */
async function readNamedLimit(path: string, key = demo.key): Promise<number> {
  const answer = await call(400, 'GET', path, { key });
  expectProblem(answer, 'ANSWER_TOO_LARGE', 'limit');
  const named = /at most (\d+) here/.exec(answer.body.errors[0].message)?.[1];
  assert.ok(named, answer.body.detail);
  return Number(named);
}

/** Checks that a list is refused with limit=100, and can be read completely with the limit that the error names. */
async function readAll(path: string, expected: number): Promise<void> {
  const separator = path.includes('?') ? '&' : '?';
  const limit = await readNamedLimit(`${path}${separator}limit=100`);
  assert.ok(limit >= 1 && limit < 100, String(limit));
  let seen = 0;
  let after = '';
  for (;;) {
    const { body } = await call(200, 'GET', `${path}${separator}limit=${limit}${after && `&after=${after}`}`);
    assert.ok(Buffer.byteLength(JSON.stringify(body)) <= 8 * 1024 * 1024);
    assert.ok(body.result.every((record: Json) => !('fits' in record)));
    seen += body.result.length;
    if (body.meta.nextCursor === null) break;
    after = body.meta.nextCursor;
  }
  assert.equal(seen, expected);
  const one = await call(400, 'GET', `${path}${separator}limit=${limit + 1}`);
  expectProblem(one, 'ANSWER_TOO_LARGE', 'limit');
}

async function field(context: string): Promise<string> {
  const body = { title: 'Fat', slug: 'fat', context, type: 'TEXT' };
  return (await call(201, 'POST', '/v1/custom-fields', { body })).body._id;
}

const COUNT = 60;

test('the error for a page of contacts that is too large names a limit that fits, with and without search and filters', async () => {
  const id = await field('contact');
  await database.sql(
    `insert into contacts (company_id, _id, name, source, custom_fields) select $1, new_id(), 'Fat Maria ' || n, 'API', jsonb_build_object($2::text, $3::text)
      from generate_series(1, ${COUNT}) n`,
    [demo._id, id, makeFatText(FAT)],
  );
  await readAll('/v1/contacts', COUNT);
  await readAll('/v1/contacts?search=maria', COUNT);
  const filters = encodeURIComponent(JSON.stringify([{ field: id, operator: 'contains', value: 'fat' }]));
  await readAll(`/v1/contacts?filters=${filters}`, COUNT);
});

test('the size of a page includes the names of custom fields, which the answer repeats with each value', async () => {
  const other = await platform.createCompany('Names');
  const ids = Array.from({ length: 150 }, () => newId());
  await database.sql(
    `insert into custom_fields (company_id, _id, slug, title, context) select $1, id, 'f' || n, n || $3, 'business'
      from unnest($2::text[]) with ordinality as f (id, n)`,
    [other._id, ids, '長'.repeat(190)],
  );
  await database.sql(
    `insert into businesses (company_id, _id, name, custom_fields) select $1, new_id(), 'B ' || n, (select jsonb_object_agg(id, 'x') from unnest($2::text[]) id)
      from generate_series(1, 100) n`,
    [other._id, ids],
  );
  const limit = await readNamedLimit('/v1/businesses?limit=100', other.key);
  const { body } = await call(200, 'GET', `/v1/businesses?limit=${limit}`, { key: other.key });
  assert.equal(body.result.length, limit);
  assert.ok(Buffer.byteLength(JSON.stringify(body)) <= 8 * 1024 * 1024);
});

test('the error for a page of conversations or messages that is too large names a limit that fits', async () => {
  const id = await field('conversation');
  const { conversation } = await writeAsContact(platform);
  await database.sql(
    `with people as (
        insert into contacts (company_id, _id, name, source) select $1, new_id(), 'P', 'API' from generate_series(1, ${COUNT}) returning _id
      )
      insert into conversations (company_id, _id, contact_id, inbox_id, channel, handled_by, tags, custom_fields)
      select $1, new_id(), _id, $2, 'WAP_AUTO_CLOSER', 'NONE', '{fat}', jsonb_build_object($3::text, $4::text) from people`,
    [demo._id, demo.inbox, id, makeFatText(FAT)],
  );
  await readAll('/v1/conversations?tag=fat', COUNT);
  await database.sql(
    `insert into messages (company_id, _id, conversation_id, contact_id, inbox_id, channel, sender_type, message_type, origin, content_type, contacts, status)
      select $1, new_id(), $2, $3, $4, 'WAP_AUTO_CLOSER', 'CONTACT', 'INCOMING', 'CHANNEL', 'CONTACTS', jsonb_build_array(jsonb_build_object('note', $5::text)), 'RECEIVED'
      from generate_series(1, ${COUNT})`,
    [demo._id, conversation._id, conversation.contact, demo.inbox, makeFatText(FAT)],
  );
  await readAll(`/v1/messages/conversation/${conversation._id}`, COUNT + 1);
});

test('the error for a page of table rows that is too large names a limit that fits, in each order, with search, and inside its table', async () => {
  const columns = [{ key: 'text', type: 'TEXT' }];
  const table = (await call(201, 'POST', '/v1/tables', { body: { name: 'Fat', columns } })).body;
  await database.sql(
    `insert into table_rows (company_id, _id, table_id, row_index, data) select $1, new_id(), $2, n, jsonb_build_object('text', $3::text)
      from generate_series(1, ${COUNT}) n`,
    [demo._id, table._id, makeFatText(FAT)],
  );
  const path = `/v1/tables/${table._id}/rows`;
  await readAll(path, COUNT);
  await readAll(`${path}?sort=row_index`, COUNT);
  await readAll(`${path}?search=old`, COUNT);
  const limit = await readNamedLimit(`/v1/tables/${table._id}?limit=100`);
  assert.equal((await call(200, 'GET', `/v1/tables/${table._id}?limit=${limit}`)).body.rows.result.length, limit);
});

test('the error for a page of deliveries, imports or definitions that is too large names a limit that fits', async () => {
  const body = JSON.stringify({
    event: 'FOLLOWUP_SENT',
    timestamp: new Date().toISOString(),
    data: { note: makeFatText(FAT) },
  });
  await database.sql(
    `insert into deliveries (company_id, _id, webhook_id, webhook_epoch, event, resource_id, body, status, claimed_at, finished_at)
      select $1, new_id(), $2, 1, 'FOLLOWUP_SENT', new_id(), $3, 'DELIVERED', now(), now() from generate_series(1, ${COUNT})`,
    [demo._id, demo.webhook, body],
  );
  await readAll('/v1/webhooks/deliveries?event=FOLLOWUP_SENT&status=DELIVERED', COUNT);
  await database.sql(
    `insert into imports (company_id, _id, kind, file_name, format, status, options, row_errors, principal, finished_at)
      select $1, new_id(), 'CONTACTS', 'fat.csv', 'CSV', 'COMPLETED', '{"columns": [], "silent": false, "update_existing": true}',
        jsonb_build_array(jsonb_build_object('row', 1, 'field', null, 'message', $2::text)), '{}', now() from generate_series(1, ${COUNT})`,
    [demo._id, makeFatText(FAT)],
  );
  await readAll('/v1/contacts/import', COUNT);
  await database.sql(
    `insert into custom_fields (company_id, _id, slug, title, context, type, options)
      select $1, new_id(), 'wide_' || n, 'Wide', 'business', 'SELECT', array[$2::text] from generate_series(1, ${COUNT}) n`,
    [demo._id, makeFatText(FAT)],
  );
  await readAll('/v1/custom-fields?context=business', COUNT);
  await database.sql(
    `insert into tables (company_id, _id, name, slug, columns) select $1, new_id(), 'Wide', 'wide_' || n, jsonb_build_array(jsonb_build_object(
        'key', 'a', 'title', $2::text, 'type', 'TEXT', 'required', false, 'options', '[]'::jsonb)) from generate_series(1, ${COUNT}) n`,
    [demo._id, makeFatText(FAT)],
  );
  await readAll('/v1/tables?search=wide', COUNT);
});

test('a page with a single record is answered however large the record is', async () => {
  const other = await platform.createCompany('Huge');
  const id = newId();
  await database.sql(
    `insert into custom_fields (company_id, _id, slug, title, context) values ($1, $2, 'huge', 'Huge', 'contact')`,
    [other._id, id],
  );
  await database.sql(
    `insert into contacts (company_id, _id, name, source, custom_fields) select $1, new_id(), 'Huge', 'API', jsonb_build_object($2::text, $3::text)
      from generate_series(1, 2)`,
    [other._id, id, makeFatText(9_000_000)],
  );
  assert.equal(await readNamedLimit('/v1/contacts', other.key), 1);
  const { body } = await call(200, 'GET', '/v1/contacts?limit=1', { key: other.key });
  assert.equal(body.result[0].custom_fields[0].value.length, 9_000_000);
  assert.notEqual(body.meta.nextCursor, null);
});
