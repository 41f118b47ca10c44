/** Erasing a contact removes everything that belongs to it and nothing else, without an event. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { countRowsRead, limitRowsPerStatement, lockRows } from '../../../test/support/rows.ts';
import { listEventNames, writeAsContact, sendText } from '../../../test/support/traffic.ts';
import { newId } from '../../platform/values/ids.ts';

const platform = await startPlatform();
const { call, database, demo } = platform;
const PATH = '/v1/contacts';

/** Inserts messages into a conversation of the contact. */
async function talkAtLength(contact: string, conversation: string, messages: number): Promise<void> {
  await database.sql(
    `insert into messages (company_id, _id, conversation_id, contact_id, inbox_id, channel, sender_type, sender_id, message_type,
        origin, content_type, content, status, external_id)
      select $1, new_id(), $2, $3, $4, 'WAP_AUTO_CLOSER', 'CONTACT', $3, 'INCOMING', 'CHANNEL', 'TEXT', 'Oi', 'RECEIVED', $3 || n
      from generate_series(1, $5::int) n`,
    [demo._id, conversation, contact, demo.inbox, messages],
  );
}

test('an erased contact is gone with its identities, conversations and messages; another contact keeps everything', async () => {
  const { contact, conversation, message } = await writeAsContact(platform, { from: '5511955550001' });
  const sent = await sendText(platform, conversation._id);
  const neighbour = await writeAsContact(platform, { from: '5511955550002' });
  const events = await listEventNames(platform, contact._id);
  const removed = (await call(200, 'DELETE', `${PATH}/${contact._id}`)).body;
  assert.deepEqual({ ...removed, last_message_at: '' }, { ...contact, last_message_at: '' });
  for (const path of [
    `${PATH}/${contact._id}`,
    `/v1/conversations/${conversation._id}`,
    `/v1/messages/${message._id}`,
    `/v1/messages/${sent._id}`,
    `/v1/messages/conversation/${conversation._id}`,
  ]) {
    await call(404, 'GET', path);
  }
  await call(404, 'DELETE', `${PATH}/${contact._id}`);
  assert.deepEqual(await listEventNames(platform, contact._id), events);
  for (const table of ['contact_identities', 'conversations', 'messages']) {
    assert.deepEqual(await database.sql(`select 1 from ${table} where contact_id = $1`, [contact._id]), [], table);
  }
  assert.deepEqual((await call(200, 'GET', `/v1/messages/${neighbour.message._id}`)).body, neighbour.message);
  assert.deepEqual((await call(200, 'GET', `${PATH}/${neighbour.contact._id}`)).body, neighbour.contact);
  const back = await writeAsContact(platform, { from: '5511955550001' });
  assert.notEqual(back.contact._id, contact._id);
});

/** Creates a contact that this many rows of a table name. */
async function nameInRows(count: number): Promise<string> {
  const table = newId();
  const contact = (await call(201, 'POST', PATH, { body: { name: 'M' } })).body._id;
  await database.sql('insert into tables (company_id, _id, name, slug) values ($1, $2, $2, $2)', [demo._id, table]);
  await database.sql(
    `insert into table_rows (company_id, _id, table_id, row_index, contact_id)
      select $1, new_id(), $2, n, $3 from generate_series(1, $4::int) n`,
    [demo._id, table, contact, count],
  );
  return contact;
}

async function countRows(contact: string): Promise<{ linked: number; all: number } | undefined> {
  const [counts] = await database.sql<{ linked: number; all: number }>(
    'select count(*) filter (where contact_id = $1)::int as linked, count(*)::int as all from table_rows',
    [contact],
  );
  return counts;
}

test('table rows of an erased contact stay without their link to the contact, and each statement changes at most 1,000 rows', async () => {
  await limitRowsPerStatement(platform, 'table_rows', 1_000);
  const contact = await nameInRows(2_500);
  await call(200, 'DELETE', `${PATH}/${contact}`);
  assert.deepEqual(await countRows(contact), { linked: 0, all: 2_500 });
});

test('an erasure that fails half-way keeps the contact and writes no audit line; a repeated request finishes it', async () => {
  const contact = await nameInRows(3);
  const letGo = await lockRows(platform, 'contacts', [contact]);
  await call(503, 'DELETE', `${PATH}/${contact}`);
  await call(200, 'GET', `${PATH}/${contact}`);
  assert.equal((await countRows(contact))?.linked, 0);
  const trail = async (): Promise<string[]> =>
    (await call(200, 'GET', `/v1/audit?resource=${contact}`)).body.result.map(({ action }: Json) => action);
  assert.deepEqual(await trail(), ['contacts.create']);
  await letGo();
  await call(200, 'DELETE', `${PATH}/${contact}`);
  assert.deepEqual(await trail(), ['contacts.delete', 'contacts.create']);
});

test('erasing a contact with 2,000 messages reads no more in a company with many more messages', async () => {
  const crowd = await writeAsContact(platform);
  await talkAtLength(crowd.contact._id, crowd.conversation._id, 12_000);
  const { contact, conversation } = await writeAsContact(platform);
  await talkAtLength(contact._id, conversation._id, 2_000);
  await database.sql('analyze messages');
  const before = await countRowsRead(platform, 'messages');
  await call(200, 'DELETE', `${PATH}/${contact._id}`);
  // Each message is read a few times, and those of the other contact are not.
  assert.ok((await countRowsRead(platform, 'messages')) - before < 12_000);
  const left = await database.sql<{ contact_id: string; count: number }>(
    'select contact_id, count(*)::int as count from messages where contact_id = any($1) group by 1',
    [[contact._id, crowd.contact._id]],
  );
  assert.deepEqual(left, [{ contact_id: crowd.contact._id, count: 12_001 }]);
});

test('every foreign key to contacts, conversations and businesses has an index, so that no removal reads a whole table', async () => {
  const unindexed = await database.sql<{ name: string }>(
    `select f.conrelid::regclass || '.' || f.conname as name from pg_constraint f
      where f.contype = 'f' and f.confrelid in ('contacts'::regclass, 'conversations'::regclass, 'businesses'::regclass)
        and not exists (select 1 from pg_index i where i.indrelid = f.conrelid
          and (i.indkey::int2[])[0:cardinality(f.conkey) - 1] @> f.conkey and f.conkey <@ (i.indkey::int2[])[0:cardinality(f.conkey) - 1])`,
  );
  assert.deepEqual(unindexed, []);
});

test('a contact who writes while being erased is gone or created again, and the network’s callback is always accepted', async () => {
  for (let round = 0; round < 10; round += 1) {
    const from = `551195556${String(round).padStart(4, '0')}`;
    const { contact } = await writeAsContact(platform, { from });
    const [erased, ...sent] = await Promise.all([
      fetch(`${platform.url}${PATH}/${contact._id}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${demo.key}` },
      }),
      ...Array.from({ length: 3 }, () => platform.sandbox('POST', '/sandbox/inbound', { from, text: 'Oi' })),
    ]);
    assert.ok(erased && [200, 503].includes(erased.status), String(erased?.status));
    assert.deepEqual(
      sent.map((answer: Json) => answer.status),
      [200, 200, 200],
    );
    const homeless = await database.sql(
      `select 1 from messages m where m.contact_id = $1 and not exists (
        select 1 from contacts c where c.company_id = m.company_id and c._id = m.contact_id)`,
      [contact._id],
    );
    assert.deepEqual(homeless, []);
  }
});
