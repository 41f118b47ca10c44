import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import {
  checkAnswers500,
  checkRefusals,
  checkAnswers503,
  expectProblem,
  type RefusedRequest,
} from '../../../test/support/refusals.ts';
import {
  listEventNames,
  writeAsContact,
  readRawAnswer,
  sendText,
  silenceNetwork,
} from '../../../test/support/traffic.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, database, demo } = platform;

const UNKNOWN = 'f'.repeat(24);
const heard = await writeAsContact(platform);
const elsewhere = await writeAsContact(platform);
const body = { conversationId: heard.conversation._id, message: { content: 'Olá' } };
const SEND = '/v1/messages/send-text';
const NOTE = '/v1/messages/note';
const OPERATIONS: RefusedRequest[] = [
  { method: 'POST', path: SEND, scope: 'messages:create', body },
  { method: 'POST', path: NOTE, scope: 'notes:create', body },
  { method: 'GET', path: `/v1/messages/${heard.message._id}`, scope: 'messages:read' },
  { method: 'GET', path: `/v1/messages/conversation/${heard.conversation._id}`, scope: 'messages:read' },
];

/** Stores a message of another company, with its conversation and contact. */
async function foreignMessage(): Promise<{ message: string; conversation: string }> {
  const { _id: company } = await platform.createCompany();
  const ids = { inbox: 'a'.repeat(24), contact: 'b'.repeat(24), conversation: 'c'.repeat(24), message: 'd'.repeat(24) };
  await database.sql(`insert into inboxes (company_id, _id, name, channel) values ($1, $2, 'i', 'WAP_AUTO_CLOSER')`, [
    company,
    ids.inbox,
  ]);
  await database.sql(`insert into contacts (company_id, _id, source) values ($1, $2, 'API')`, [company, ids.contact]);
  await database.sql(
    `insert into conversations (company_id, _id, contact_id, inbox_id, channel, handled_by, window_expires_at)
      values ($1, $2, $3, $4, 'WAP_AUTO_CLOSER', 'NONE', now() + interval '1 hour')`,
    [company, ids.conversation, ids.contact, ids.inbox],
  );
  await database.sql(
    `insert into messages (company_id, _id, conversation_id, contact_id, inbox_id, channel, sender_type, message_type, origin,
        content_type, status)
      values ($1, $2, $3, $4, $5, 'WAP_AUTO_CLOSER', 'CONTACT', 'INCOMING', 'CHANNEL', 'TEXT', 'RECEIVED')`,
    [company, ids.message, ids.conversation, ids.contact, ids.inbox],
  );
  return ids;
}

const foreign = await foreignMessage();

async function countMessages(): Promise<number> {
  const [row] = await database.sql<{ count: number }>('select count(*)::int as count from messages');
  return row?.count ?? 0;
}

for (const asked of OPERATIONS) {
  test(`${asked.method} ${asked.path.replace(/[0-9a-f]{24}/, '{id}')} refuses missing tokens, missing scopes and malformed requests, and stores nothing`, async () => {
    const before = await countMessages();
    await checkRefusals(platform, asked);
    assert.equal(await countMessages(), before);
  });
}

test('while the database is busy every operation on messages answers 503, and nothing is sent', async () => {
  await checkAnswers503(platform, ['messages', 'conversations'], OPERATIONS);
  const { messages } = await platform.sandbox('GET', '/sandbox/messages');
  assert.deepEqual(messages, []);
});

test('an internal error in any operation on messages is answered 500 without details', async () => {
  await checkAnswers500(platform, 'messages.content', OPERATIONS);
});

test("another company's message and conversation get the same answer as unknown ones, byte for byte", async () => {
  const paths = [
    ['/v1/messages/', foreign.message],
    ['/v1/messages/conversation/', foreign.conversation],
  ] as const;
  for (const [path, their] of paths) {
    const theirs = await readRawAnswer(platform, 'GET', path + their);
    assert.equal(theirs.status, 404);
    for (const id of [UNKNOWN, 'not-an-id', heard.message._id.toUpperCase()]) {
      assert.deepEqual(await readRawAnswer(platform, 'GET', path + id), theirs);
    }
  }
});

test('a key with notes:create writes notes and sends nothing, and a key with messages:create does both', async () => {
  for (const [scope, sends] of [
    ['notes:create', 403],
    ['messages:create', 201],
  ] as const) {
    const { token: key } = await platform.createKey(demo._id, [scope]);
    await call(201, 'POST', NOTE, { key, body });
    await call(sends, 'POST', SEND, { key, body });
  }
});

for (const path of [SEND, NOTE]) {
  test(`POST ${path}: another company's conversation is 400 UNKNOWN_REFERENCE, byte for byte like an unknown one`, async () => {
    const ask = (conversationId: string) => readRawAnswer(platform, 'POST', path, { ...body, conversationId });
    const theirs = await ask(foreign.conversation);
    assert.equal(theirs.status, 400);
    assert.deepEqual(JSON.parse(theirs.text).errors[0].path, 'conversationId');
    assert.equal(JSON.parse(theirs.text).code, 'UNKNOWN_REFERENCE');
    for (const id of [UNKNOWN, elsewhere.message._id]) assert.deepEqual(await ask(id), theirs);
    const [row] = await database.sql<{ count: number }>(
      'select count(*)::int as count from messages where conversation_id = $1',
      [foreign.conversation],
    );
    assert.equal(row?.count, 1);
  });
}

test('a reply to an unknown message, to a note, or to a message of another company or conversation is 400 UNKNOWN_REFERENCE and stores nothing', async () => {
  const { body: note } = await call(201, 'POST', NOTE, { body });
  const before = await countMessages();
  const ask = (replyTo: string) => readRawAnswer(platform, 'POST', SEND, { ...body, replyTo });
  const theirs = await ask(foreign.message);
  assert.equal(theirs.status, 400);
  assert.equal(JSON.parse(theirs.text).code, 'UNKNOWN_REFERENCE');
  assert.equal(JSON.parse(theirs.text).errors[0].path, 'replyTo');
  for (const id of [UNKNOWN, elsewhere.message._id, note._id]) assert.deepEqual(await ask(id), theirs);
  assert.equal(await countMessages(), before);
});

const WRONG: [string, string, (given: typeof body) => Json][] = [
  ['without a conversation', 'conversationId', ({ message }) => ({ message })],
  ['with a malformed conversation', 'conversationId', (given) => ({ ...given, conversationId: 'nonsense' })],
  ['with a malformed replyTo', 'replyTo', (given) => ({ ...given, replyTo: 'nonsense' })],
  ['with an empty conversation', 'conversationId', (given) => ({ ...given, conversationId: '' })],
  ['with a number as conversation', 'conversationId', (given) => ({ ...given, conversationId: 7 })],
  ['without a message', 'message', ({ conversationId }) => ({ conversationId })],
  ['without content', 'message.content', (given) => ({ ...given, message: {} })],
  ['with empty content', 'message.content', (given) => ({ ...given, message: { content: '' } })],
  ['with blank content', 'message.content', (given) => ({ ...given, message: { content: ' \n\t ' } })],
  ['with a number as content', 'message.content', (given) => ({ ...given, message: { content: 5 } })],
  ['with content null', 'message.content', (given) => ({ ...given, message: { content: null } })],
  ['with NUL in its content', 'message.content', (given) => ({ ...given, message: { content: 'a\0b' } })],
  ['above 4,096 characters', 'message.content', (given) => ({ ...given, message: { content: 'á'.repeat(4_097) } })],
  [
    'of another content type',
    'message.contentType',
    (given) => ({ ...given, message: { content: 'a', contentType: 'IMAGE' } }),
  ],
];

for (const [what, path, change] of WRONG) {
  test(`a text or a note ${what} is 400, names ${path} and stores nothing`, async () => {
    const before = await countMessages();
    for (const operation of [SEND, NOTE]) {
      const answer = await call(400, 'POST', operation, { body: change(body) });
      expectProblem(answer, what.includes('NUL') ? 'MALFORMED_BODY' : 'VALIDATION_FAILED', path);
    }
    assert.equal(await countMessages(), before);
  });
}

test('a text with an attachment is 400 and stores nothing', async () => {
  const before = await countMessages();
  const given = { ...body, message: { content: 'a', attachment: UNKNOWN } };
  expectProblem(await call(400, 'POST', SEND, { body: given }), 'VALIDATION_FAILED', 'message.attachment');
  assert.equal(await countMessages(), before);
});

test('replyTo is text or null, and a note has no replyTo', async () => {
  expectProblem(await call(400, 'POST', SEND, { body: { ...body, replyTo: 5 } }), 'VALIDATION_FAILED', 'replyTo');
  expectProblem(await call(400, 'POST', NOTE, { body: { ...body, replyTo: null } }), 'VALIDATION_FAILED', 'replyTo');
  const { body: sent } = await call(201, 'POST', SEND, { body: { ...body, replyTo: null } });
  assert.equal(sent.reply_to, null);
});

test('a text of exactly 4,096 characters is sent, and contentType may be given as TEXT', async () => {
  const content = '👋'.repeat(4_096);
  const given = { conversationId: heard.conversation._id, message: { content, contentType: 'TEXT' } };
  const { body: note } = await call(201, 'POST', NOTE, { body: given });
  assert.equal(note.content, content);
  const sent = await sendText(platform, heard.conversation._id, { content: 'a'.repeat(4_096) });
  assert.equal(sent.status, 'SENT');
});

test('a note names its author, is not sent, emits no event, and leaves the unread count unchanged', async () => {
  const { conversation } = await writeAsContact(platform);
  const user = await platform.createUser(demo._id, 'OPERATOR');
  const given = { conversationId: conversation._id, message: { content: 'Cliente antigo' } };
  const { body: note } = await call(201, 'POST', NOTE, { body: given, key: user.token });
  const { message_type, sender_type, sender, origin, status, external_id, content, errors } = note;
  assert.deepEqual(
    { message_type, sender_type, sender, origin, status, external_id, content, errors },
    {
      message_type: 'NOTE',
      sender_type: 'USER',
      sender: user._id,
      origin: 'DASHBOARD',
      status: 'SENT',
      external_id: null,
      content: 'Cliente antigo',
      errors: [],
    },
  );
  assert.deepEqual((await call(200, 'GET', `/v1/messages/${note._id}`)).body, note);
  const { messages } = await platform.sandbox('GET', '/sandbox/messages');
  assert.ok(messages.every((message: Json) => message.biz_opaque_callback_data !== note._id));
  assert.deepEqual(await listEventNames(platform, note._id), []);
  const { body: after } = await call(200, 'GET', `/v1/conversations/${conversation._id}`);
  assert.equal(after.unread_count, 1);
  assert.equal(after.last_message._id, note._id);
  assert.equal(after.last_message.message_type, 'NOTE');
  assert.deepEqual(await listEventNames(platform, conversation._id), ['CONVERSATION_CREATED']);
});

test('a note can be written when no text can be sent, because the window is closed or the contact has opted out', async () => {
  const { conversation, contact } = await writeAsContact(platform);
  await database.sql('update conversations set window_expires_at = null where _id = $1', [conversation._id]);
  await database.sql('update contacts set opted_out = true where _id = $1', [contact._id]);
  const given = { conversationId: conversation._id, message: { content: 'Não ligar' } };
  const { body: note } = await call(201, 'POST', NOTE, { body: given });
  assert.equal(note.status, 'SENT');
});
