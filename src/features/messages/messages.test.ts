import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uploadFile } from '../../../test/support/attachments.ts';
import { makeGif } from '../../../test/support/media-samples.ts';
import { makePhoneNumber } from '../../../test/support/network.ts';
import { startPlatform, type Answer, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import {
  PLAIN_FIELDS,
  readEvents,
  writeAsContact,
  readMessage,
  sendText,
  silenceNetwork,
} from '../../../test/support/traffic.ts';
import { newId } from '../../platform/values/ids.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, database, demo } = platform;

const list = async (conversationId: string, query = ''): Promise<Json> =>
  (await call(200, 'GET', `/v1/messages/conversation/${conversationId}${query}`)).body;
const listIds = (page: Json): string[] => page.result.map((message: Json) => message._id);

/** Creates a conversation whose contact has written one message, and adds `count` messages by SQL, one second apart. */
async function longConversation(count: number): Promise<{ _id: string; messages: string[] }> {
  const { conversation, message, contact } = await writeAsContact(platform);
  const rows = await database.sql<{ _id: string }>(
    `insert into messages (company_id, _id, conversation_id, contact_id, inbox_id, channel, sender_type, message_type, origin,
        content_type, content, status, created_at)
      select $1, lpad(to_hex(n), 24, '0'), $2, $3, $4, 'WAP_AUTO_CLOSER', 'CONTACT', 'INCOMING', 'CHANNEL', 'TEXT', 'n ' || n,
        'RECEIVED', timestamptz '2026-01-01' + (n / 2) * interval '1 second'
      from generate_series(1, $5::int) n returning _id`,
    [demo._id, conversation._id, contact._id, demo.inbox, count],
  );
  return { _id: conversation._id, messages: [...rows.map((row) => row._id), message._id] };
}

const long = await longConversation(44);

test('a received message has all its fields, null where they are empty, and MESSAGE_RECEIVED is the record of the GET', async () => {
  const { message, conversation, contact } = await writeAsContact(platform, { text: 'Olá' });
  const { _id, external_id, sent_at, createdAt, updatedAt, ...rest } = message;
  assert.match(_id, /^[0-9a-f]{24}$/);
  assert.match(external_id, /^wamid\./);
  for (const at of [sent_at, createdAt, updatedAt]) assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(rest, {
    ...PLAIN_FIELDS,
    company: demo._id,
    conversation: conversation._id,
    contact: contact._id,
    contact_summary: { name: contact.name, phone_number: contact.phone_number, email: null },
    inbox: demo.inbox,
    channel: 'WAP_AUTO_CLOSER',
    sender_type: 'CONTACT',
    sender: contact._id,
    message_type: 'INCOMING',
    origin: 'CHANNEL',
    contentType: 'TEXT',
    content: 'Olá',
    status: 'RECEIVED',
  });
  assert.deepEqual(await readEvents(platform, _id), [{ event: 'MESSAGE_RECEIVED', data: message }]);
});

test('the list of a conversation has its received, sent and failed messages and its notes, each as GET by id shows it', async () => {
  const { conversation, message } = await writeAsContact(platform);
  const sent = await sendText(platform, conversation._id, { replyTo: message._id });
  await platform.sandbox('PUT', '/sandbox/settings', { faults: { send: [{ code: 131026 }] } });
  const failed = await sendText(platform, conversation._id);
  const { body: note } = await call(201, 'POST', '/v1/messages/note', {
    body: { conversationId: conversation._id, message: { content: 'nota' } },
  });
  const page = await list(conversation._id);
  assert.deepEqual(page.result, [message, sent, failed, note]);
  for (const item of page.result) assert.deepEqual(await readMessage(platform, item._id), item);
  assert.deepEqual(
    page.result.map((item: Json) => 'failure_reason' in item),
    [false, false, true, false],
  );
});

test('a note can have a file of any type with a text, and no network has to accept it', async () => {
  const { conversation } = await writeAsContact(platform);
  const upload = await uploadFile(platform, { data: makeGif(), name: 'print.gif' });
  const write = (status: number, message: Json): Promise<Answer> =>
    call(status, 'POST', '/v1/messages/note', { body: { conversationId: conversation._id, message } });
  const { body: note } = await write(201, { content: 'O erro dela', attachment: upload._id });
  const { message_type, contentType, content, attachment, media } = note;
  assert.deepEqual(
    [message_type, contentType, content, attachment, media.fileName],
    ['NOTE', 'IMAGE', 'O erro dela', upload._id, 'print.gif'],
  );
  assert.deepEqual(await readMessage(platform, note._id), note);
  const { body: file } = await write(201, { attachment: upload._id, contentType: 'DOCUMENT' });
  assert.deepEqual([file.contentType, file.content], ['DOCUMENT', null]);
  expectProblem(await call(409, 'DELETE', `/v1/resource/attachments/${upload._id}`), 'ATTACHMENT_IN_USE');
  const refused: [Json, string, string][] = [
    [{}, 'VALIDATION_FAILED', 'message.content'],
    [{ content: 'x', contentType: 'IMAGE' }, 'VALIDATION_FAILED', 'message.contentType'],
    [{ attachment: upload._id, contentType: 'TEXT' }, 'VALIDATION_FAILED', 'message.contentType'],
    [{ attachment: upload._id, contentType: 'AUDIO' }, 'VALIDATION_FAILED', 'message.attachment'],
    [{ attachment: newId() }, 'UNKNOWN_REFERENCE', 'message.attachment'],
  ];
  for (const [message, code, path] of refused) expectProblem(await write(400, message), code, path);
});

test('a list of messages without parameters has the twenty oldest messages, oldest first, with the total count', async () => {
  const page = await list(long._id);
  assert.deepEqual(listIds(page), long.messages.slice(0, 20));
  const { nextCursor, ...meta } = page.meta;
  assert.deepEqual(meta, { page: 1, limit: 20, totalCount: 45, totalPages: 3, hasNextPage: true });
  assert.equal(typeof nextCursor, 'string');
});

test('pages by number and by cursor, in both directions, have every message exactly once', async () => {
  for (const sort of ['createdAt', '-createdAt']) {
    const expected = sort === 'createdAt' ? long.messages : long.messages.toReversed();
    const byNumber: string[] = [];
    for (const page of [1, 2, 3, 4, 5, 6, 7])
      byNumber.push(...listIds(await list(long._id, `?sort=${sort}&limit=7&page=${page}`)));
    assert.deepEqual(byNumber, expected);
    const byCursor: string[] = [];
    let after: string | null = '';
    while (after !== null) {
      const page: Json = await list(long._id, `?sort=${sort}&limit=7&skipCount=true${after && `&after=${after}`}`);
      byCursor.push(...listIds(page));
      assert.equal(page.meta.hasNextPage, page.meta.nextCursor !== null);
      after = page.meta.nextCursor;
    }
    assert.deepEqual(byCursor, expected);
  }
});

test('a cursor in a list of messages continues after the same message when others are stored before and after it', async () => {
  const from = makePhoneNumber();
  const { conversation } = await writeAsContact(platform, { from, text: '1' });
  for (const text of ['2', '3', '4']) await writeAsContact(platform, { from, text });
  const first = await list(conversation._id, '?sort=-createdAt&limit=2');
  await writeAsContact(platform, { from, text: '5' });
  const second = await list(conversation._id, `?sort=-createdAt&limit=2&after=${first.meta.nextCursor}`);
  const texts = [...first.result, ...second.result].map((message: Json) => message.content);
  assert.deepEqual(texts, ['4', '3', '2', '1']);
});

test('with skipCount a list of messages has null as counts and is otherwise the same', async () => {
  const { result, meta } = await list(long._id, '?skipCount=true&limit=5&page=2');
  const counted = await list(long._id, '?limit=5&page=2');
  assert.deepEqual(result, counted.result);
  assert.deepEqual(meta, { ...counted.meta, totalCount: null, totalPages: null });
});

test('a full last page, and a page beyond it, answer that no page follows', async () => {
  const last = await list(long._id, '?limit=45');
  assert.deepEqual(last.meta, {
    page: 1,
    limit: 45,
    totalCount: 45,
    totalPages: 1,
    hasNextPage: false,
    nextCursor: null,
  });
  const beyond = await list(long._id, '?limit=100&page=9');
  assert.deepEqual(beyond, {
    result: [],
    meta: { page: 9, limit: 100, totalCount: 45, totalPages: 1, hasNextPage: false, nextCursor: null },
  });
});

test('pages of messages by number reach the first million records; a later page is answered 400 with the parameter `page` named', async () => {
  const path = `/v1/messages/conversation/${long._id}`;
  assert.deepEqual((await list(long._id, '?limit=100&page=10001')).result, []);
  expectProblem(await call(400, 'GET', `${path}?limit=100&page=10002`), 'VALIDATION_FAILED', 'page');
  expectProblem(await call(400, 'GET', `${path}?limit=1&page=1000002`), 'VALIDATION_FAILED', 'page');
});

const WRONG: [string, string][] = [
  ['page=0', 'page'],
  ['page=-1', 'page'],
  ['page=1.5', 'page'],
  ['page=one', 'page'],
  ['page=', 'page'],
  ['page=1&page=2', 'page'],
  ['limit=0', 'limit'],
  ['limit=101', 'limit'],
  ['limit=ten', 'limit'],
  ['skipCount=perhaps', 'skipCount'],
  ['sort=content', 'sort'],
  ['sort=createdAt%20desc', 'sort'],
  ['after=', 'after'],
  ['after=bm90IGEgY3Vyc29y', 'after'],
  [`after=${Buffer.from(`1e3|${'a'.repeat(24)}`).toString('base64url')}`, 'after'],
  [`after=${Buffer.from(`999999999999999|${'a'.repeat(24)}`).toString('base64url')}`, 'after'],
  [`after=${'a'.repeat(201)}`, 'after'],
  ['Page=1', 'Page'],
];

for (const [query, path] of WRONG) {
  test(`a list with ${query.slice(0, 40)} is 400 and names ${path}`, async () => {
    const answer = await call(400, 'GET', `/v1/messages/conversation/${long._id}?${query}`);
    expectProblem(answer, 'VALIDATION_FAILED', path);
  });
}

test('the list of an unknown conversation is 404 on every page', async () => {
  for (const query of ['', '?page=3', '?skipCount=true']) {
    expectProblem(await call(404, 'GET', `/v1/messages/conversation/${'f'.repeat(24)}${query}`), 'NOT_FOUND');
  }
});

test('messages stored in one batch keep the order in which they were written', async () => {
  await platform.sandbox('PUT', '/sandbox/settings', { batch: 10 });
  const from = makePhoneNumber();
  const texts = Array.from({ length: 10 }, (_, index) => String(index));
  const seconds = Math.floor(Date.now() / 1000) - 60;
  await Promise.all(
    texts.map((text, index) =>
      platform.receive({ from, text, raw: { timestamp: String(seconds + index), id: `wamid.batch-${9 - index}` } }),
    ),
  );
  await platform.sandbox('PUT', '/sandbox/settings', { batch: 1 });
  const [row] = await database.sql<{ conversation_id: string }>(
    `select distinct conversation_id from messages where external_id like 'wamid.batch-%'`,
  );
  const page = await list(row?.conversation_id ?? '');
  assert.deepEqual(
    page.result.map((message: Json) => message.content),
    texts,
  );
});

test('a global key reads the messages of the company that it names', async () => {
  const options = { key: platform.globalKey, headers: { 'x-company-id': demo._id } };
  const { body } = await call(200, 'GET', `/v1/messages/conversation/${long._id}?limit=1`, options);
  assert.equal(body.result[0]._id, long.messages[0]);
});

test('a company key acts for its own company, whatever x-company-id says', async () => {
  const other = await platform.createCompany();
  const path = `/v1/messages/${long.messages[0]}`;
  await call(200, 'GET', path, { headers: { 'x-company-id': other._id } });
  await call(404, 'GET', path, { key: other.key, headers: { 'x-company-id': demo._id } });
});
