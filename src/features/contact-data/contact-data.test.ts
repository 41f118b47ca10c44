/** The data of one contact as a ZIP: what is in it, what is left out, and who may download it. */
import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import pg from 'pg';
import { fromBufferPromise } from 'yauzl';
import { uploadFile } from '../../../test/support/attachments.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { writeAsContact } from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { newId } from '../../platform/values/ids.ts';

const platform = await startPlatform();
const { call, demo, database } = platform;

/** Downloads the ZIP and returns its files by their paths. */
async function download(contact: string, query = '', key = demo.key): Promise<Map<string, string>> {
  const { files } = await readZip(contact, query, key);
  return files;
}

/** Downloads the ZIP and returns its files, and how each is compressed, by their paths. */
async function readZip(
  contact: string,
  query = '',
  key = demo.key,
): Promise<{ files: Map<string, string>; methods: Map<string, number> }> {
  const answer = await fetch(`${platform.url}/v1/contacts/${contact}/data${query}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('content-type'), 'application/zip');
  assert.equal(answer.headers.get('content-disposition'), `attachment; filename="contact-${contact}.zip"`);
  const zip = await fromBufferPromise(Buffer.from(await answer.arrayBuffer()));
  const files = new Map<string, string>();
  const methods = new Map<string, number>();
  for await (const entry of zip.eachEntry()) {
    methods.set(entry.fileName, entry.compressionMethod);
    files.set(entry.fileName, await text(await zip.openReadStreamPromise(entry)));
  }
  return { files, methods };
}

const LISTS = ['messages', 'scheduled-messages', 'follow-ups', 'agent-turns', 'surveys'].map((name) => `${name}.json`);
const readJson = (files: Map<string, string>, name: string): Json => JSON.parse(files.get(name) ?? 'null');

test('the data of a contact has its records, transcripts and files, and nothing of another contact', async () => {
  const { contact, conversation, message } = await writeAsContact(platform, { text: 'Where is my <order>?' });
  const { _id: attachment } = await uploadFile(platform, {
    data: 'Our prices',
    name: 'prices.txt',
    fileType: 'DOCUMENT',
  });
  const body = { conversationId: conversation._id, message: { attachment, content: 'See the list' } };
  const { _id: sent } = (await call(201, 'POST', '/v1/messages/send-document', { body })).body;
  const { message: other } = await writeAsContact(platform, { text: 'Somebody else' });
  const table = { name: 'Orders', columns: [{ key: 'number', title: 'Number', type: 'TEXT' }] };
  const { _id: orders } = (await call(201, 'POST', '/v1/tables', { body: table })).body;
  for (const owner of [contact._id, other.contact]) {
    await call(201, 'POST', `/v1/tables/${orders}/rows`, { body: { data: { number: owner }, contact_id: owner } });
  }
  const files = await download(contact._id);
  const folder = `conversations/${conversation.createdAt.slice(0, 10)}-${conversation._id}`;
  assert.deepEqual(
    [...files.keys()],
    [
      'contact.json',
      'table-rows.json',
      'campaigns.json',
      'conversations.json',
      ...LISTS.map((name) => `${folder}/${name}`),
      `${folder}/transcript.html`,
      `${folder}/files/${attachment}-prices.txt`,
    ],
  );
  assert.deepEqual(readJson(files, 'contact.json'), [(await call(200, 'GET', `/v1/contacts/${contact._id}`)).body]);
  assert.deepEqual(
    readJson(files, 'table-rows.json').map(({ data }: Json) => data.number),
    [contact._id],
  );
  assert.deepEqual(
    readJson(files, 'conversations.json').map(({ _id }: Json) => _id),
    [conversation._id],
  );
  assert.deepEqual(
    readJson(files, `${folder}/messages.json`).map(({ _id }: Json) => _id),
    [message._id, sent],
  );
  assert.deepEqual(readJson(files, `${folder}/surveys.json`), []);
  assert.match(files.get(`${folder}/transcript.html`) ?? '', /Where is my &lt;order&gt;\?[^]*prices\.txt/);
  assert.equal(files.get(`${folder}/files/${attachment}-prices.txt`), 'Our prices');
});

test('the data of a contact has the scheduled messages of its conversations with their files, and what agents did there', async () => {
  const { contact, conversation, message } = await writeAsContact(platform);
  const { conversation: other } = await writeAsContact(platform);
  const { _id: attachment } = await uploadFile(platform, {
    data: 'Our prices',
    name: 'prices.txt',
    fileType: 'DOCUMENT',
  });
  const send_at = new Date(Date.now() + 86_400_000).toISOString();
  const schedule = async (about: Json, given: Json): Promise<string> =>
    (await call(201, 'POST', '/v1/scheduled-messages', { body: { conversation: about._id, message: given, send_at } }))
      .body._id;
  const scheduled = await schedule(conversation, { contentType: 'DOCUMENT', attachment });
  await schedule(other, { content: 'Not yours' });
  const agent = newId();
  await database.sql(`insert into agents (company_id, _id, name) values ($1, $2, 'Ana')`, [demo._id, agent]);
  for (const { _id } of [conversation, other]) {
    await database.sql(
      `insert into follow_ups (company_id, _id, agent_id, conversation_id, index, content, scheduled_at, held_until)
        values ($1, new_id(), $2, $3, 0, 'Still there?', $4, $4)`,
      [demo._id, agent, _id, send_at],
    );
    await database.sql(
      `insert into agent_turns (company_id, _id, agent_id, conversation_id, asked_id, outcome, passages, latency_ms)
        values ($1, new_id(), $2, $3, $4, 'ANSWERED', '[]', 1)`,
      [demo._id, agent, _id, message._id],
    );
  }
  const files = await download(contact._id);
  const folder = `conversations/${conversation.createdAt.slice(0, 10)}-${conversation._id}`;
  for (const [name, path] of Object.entries({
    'follow-ups': '/v1/agents/follow-ups',
    'agent-turns': '/v1/agents/turns',
  })) {
    const { result } = (await call(200, 'GET', `${path}?conversation=${conversation._id}`)).body;
    assert.deepEqual([readJson(files, `${folder}/${name}.json`), result.length], [result, 1]);
  }
  const listed = readJson(files, `${folder}/scheduled-messages.json`);
  assert.deepEqual(listed, [(await call(200, 'GET', `/v1/scheduled-messages/${scheduled}`)).body]);
  assert.equal(files.get(`${folder}/files/${attachment}-prices.txt`), 'Our prices');
});

test('the files of a contact are stored in the ZIP as they are, and its records and transcripts are compressed', async () => {
  const { contact, conversation } = await writeAsContact(platform);
  const data = 'The same words again. '.repeat(1_000);
  const { _id: attachment } = await uploadFile(platform, { data, name: 'long.txt', fileType: 'DOCUMENT' });
  const body = { conversationId: conversation._id, message: { attachment } };
  await call(201, 'POST', '/v1/messages/send-document', { body });
  const { files, methods } = await readZip(contact._id);
  assert.equal([...files].find(([name]) => name.endsWith('long.txt'))?.[1], data);
  for (const [name, method] of methods) assert.equal(method, name.endsWith('long.txt') ? 0 : 8, name);
});

test('what is removed while the data of a contact is downloaded is left out, and the download goes on', async () => {
  const { contact, conversation } = await writeAsContact(platform);
  const [gone] = await database.sql<{ _id: string }>(
    `insert into conversations (company_id, contact_id, inbox_id, channel, _id, status, closed_at, handled_by)
      select company_id, contact_id, inbox_id, channel, new_id(), 'CLOSED', now(), 'NONE' from conversations where _id = $1 returning _id`,
    [conversation._id],
  );
  await database.sql(
    `insert into messages (company_id, contact_id, inbox_id, channel, conversation_id, _id, sender_type, message_type, origin, content_type, status, content)
      select company_id, contact_id, inbox_id, channel, _id, new_id(), 'CONTACT', 'INCOMING', 'CHANNEL', 'TEXT', 'RECEIVED', 'Too late'
      from conversations where _id = $1`,
    [gone?._id],
  );
  const remover = new pg.Client({ connectionString: database.ownerUrl });
  await remover.connect();
  after(() => remover.end());
  // The download waits at the surveys of the first conversation.
  await remover.query('begin; lock table csat_surveys in access exclusive mode');
  const downloading = download(contact._id);
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%csat_surveys%'`;
  await waitUntil('the download to wait', async () => (await database.sql(waiting)).length > 0);
  await remover.query(`delete from conversations where _id = '${gone?._id}'; commit`);
  const files = await downloading;
  assert.ok([...files.keys()].some((name) => name.endsWith(`${conversation._id}/transcript.html`)));
  assert.ok(![...files].some(([name, words]) => name.includes(`-${gone?._id}/`) && words.includes('Too late')));
});

test("the team's notes are in the data of a contact only when asked for", async () => {
  const { contact, conversation } = await writeAsContact(platform);
  const note = { conversationId: conversation._id, message: { content: 'Pays late' } };
  await call(201, 'POST', '/v1/messages/note', { body: note });
  await call(201, 'POST', `/v1/contacts/${contact._id}/notes`, { body: { content: 'Friendly' } });
  const say = (files: Map<string, string>): boolean[] =>
    ['Pays late', 'Friendly'].map((words) => [...files.values()].join('\n').includes(words));
  assert.deepEqual(say(await download(contact._id)), [false, false]);
  assert.deepEqual(say(await download(contact._id, '?notes=true')), [true, true]);
});

test('the data of many conversations and messages has each of them once', async () => {
  const { contact, conversation } = await writeAsContact(platform);
  const columns = 'company_id, contact_id, inbox_id, channel';
  const conversations = await database.sql<{ _id: string }>(
    `insert into conversations (${columns}, _id, status, closed_at, handled_by)
      select ${columns}, new_id(), 'CLOSED', now(), 'NONE' from conversations cross join generate_series(1, 123) where _id = $1 returning _id`,
    [conversation._id],
  );
  await database.sql(
    `insert into messages (${columns}, conversation_id, _id, sender_type, message_type, origin, content_type, status, content)
      select ${columns}, _id, new_id(), 'CONTACT', 'INCOMING', 'CHANNEL', 'TEXT', 'RECEIVED', 'line ' || n
      from conversations cross join generate_series(1, 234) n where _id = $1`,
    [conversation._id],
  );
  const files = await download(contact._id);
  const listed = readJson(files, 'conversations.json').map(({ _id }: Json): string => _id);
  assert.deepEqual(listed.toSorted(), [String(conversation._id), ...conversations.map(({ _id }) => _id)].toSorted());
  const long = [...files.keys()].find((name) => name.endsWith(`${conversation._id}/messages.json`)) ?? '';
  assert.equal(new Set(readJson(files, long).map(({ _id }: Json) => _id)).size, 235);
  assert.equal([...files.keys()].filter((name) => name.endsWith('/messages.json')).length, 124);
});

test('the data of a contact leaves out conversations of inboxes that the caller may not see', async () => {
  const { contact } = await writeAsContact(platform);
  const list = async (key?: string): Promise<Json[]> =>
    readJson(await download(contact._id, '', key), 'conversations.json');
  await call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { members: { users: [], teams: [] } } });
  const { token } = await platform.createUser(demo._id, 'OPERATOR');
  assert.equal((await list()).length, 1);
  assert.deepEqual(await list(token), []);
  await call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { members: null } });
});

test('the data of a contact is refused without the scopes of its records', async () => {
  const { contact } = await writeAsContact(platform);
  const body = { name: 'Reader', type: 'company', scopes: ['contacts:read', 'conversations:read'] };
  const { token: key } = (await call(201, 'POST', '/v1/api-keys', { body })).body;
  expectProblem(await call(403, 'GET', `/v1/contacts/${contact._id}/data`, { key }), 'FORBIDDEN');
});
