/** The data of one contact as a ZIP: what is in it, what is left out, and who may download it. */
import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fromBufferPromise } from 'yauzl';
import { uploadFile } from '../../../test/support/attachments.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { writeAsContact } from '../../../test/support/traffic.ts';

const platform = await startPlatform();
const { call, demo, database } = platform;

/** Downloads the ZIP and returns its files by their paths. */
async function download(contact: string, query = '', key = demo.key): Promise<Map<string, string>> {
  const answer = await fetch(`${platform.url}/v1/contacts/${contact}/data${query}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('content-type'), 'application/zip');
  assert.equal(answer.headers.get('content-disposition'), `attachment; filename="contact-${contact}.zip"`);
  const zip = await fromBufferPromise(Buffer.from(await answer.arrayBuffer()));
  const files = new Map<string, string>();
  for await (const entry of zip.eachEntry()) {
    files.set(entry.fileName, await text(await zip.openReadStreamPromise(entry)));
  }
  return files;
}

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
      ...['messages.json', 'surveys.json', 'transcript.html', `files/${attachment}-prices.txt`].map(
        (name) => `${folder}/${name}`,
      ),
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
