import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertConversations, insertInbox } from '../../../test/support/conversation-runs.ts';
import { openLive } from '../../../test/support/live.ts';
import { makePhoneNumber } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import {
  checkAnswers500,
  checkRefusals,
  checkAnswers503,
  type RefusedRequest,
} from '../../../test/support/refusals.ts';
import {
  listEventNames,
  readEvents,
  writeAsContact,
  readRawAnswer,
  sendText,
  silenceNetwork,
} from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { newId } from '../../platform/values/ids.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, database, demo } = platform;

const read = async (id: string): Promise<Json> => (await call(200, 'GET', `/v1/conversations/${id}`)).body;
const markRead = async (id: string): Promise<Json> => (await call(200, 'PUT', `/v1/conversations/${id}/read`)).body;

const received = await writeAsContact(platform);
const OPERATIONS: RefusedRequest[] = [
  { method: 'GET', path: `/v1/conversations/${received.conversation._id}`, scope: 'conversations:read' },
  { method: 'PUT', path: `/v1/conversations/${received.conversation._id}/read`, scope: 'conversations:update' },
];

test('a conversation that a contact opens has all its fields, null where they are empty, and one event in the same format', async () => {
  const { message, conversation, contact } = await writeAsContact(platform, { text: 'Bom dia' });
  const { _id, window_expires_at, last_inbound_at, createdAt, updatedAt, ...rest } = conversation;
  assert.match(_id, /^[0-9a-f]{24}$/);
  assert.equal(last_inbound_at, message.sent_at);
  assert.equal(Date.parse(window_expires_at) - Date.parse(last_inbound_at), 24 * 60 * 60 * 1000);
  for (const at of [createdAt, updatedAt]) assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(rest, {
    company: demo._id,
    contact: contact._id,
    contact_summary: { name: contact.name, phone_number: contact.phone_number, email: null },
    inbox: demo.inbox,
    channel: 'WAP_AUTO_CLOSER',
    status: 'OPEN',
    priority: null,
    handled_by: 'NONE',
    agent: null,
    owner: null,
    attendant: null,
    team: null,
    pipeline: null,
    step: null,
    campaign: null,
    enrollment: null,
    tags: [],
    custom_fields: [],
    unread_count: 1,
    last_message: {
      _id: message._id,
      content: 'Bom dia',
      contentType: 'TEXT',
      file_name: null,
      sender_type: 'CONTACT',
      sender: message.contact,
      message_type: 'INCOMING',
      origin: 'CHANNEL',
      is_failed: false,
      is_revoked: false,
      createdAt: message.createdAt,
    },
    last_message_at: message.createdAt,
    waiting_since: message.sent_at,
    snoozed_until: null,
    woken_at: null,
    awaits_reply: false,
    sla: null,
    is_test: false,
    closed_at: null,
  });
  assert.deepEqual(await readEvents(platform, _id), [{ event: 'CONVERSATION_CREATED', data: conversation }]);
});

test('a conversation shows its people, agent, step, tags, custom fields, snooze and closing time', async () => {
  const { conversation } = await writeAsContact(platform);
  const user = await platform.createUser(demo._id, 'OPERATOR');
  const [agent, pipeline, step] = [newId(), newId(), newId()];
  const named = 'insert into %s (company_id, _id, name) values ($1, $2, $3)';
  for (const [table, id] of [
    ['agents', agent],
    ['pipelines', pipeline],
  ] as const) {
    await database.sql(named.replace('%s', table), [demo._id, id, 'n']);
  }
  await database.sql('insert into pipeline_steps (company_id, _id, pipeline_id, name) values ($1, $2, $3, $4)', [
    demo._id,
    step,
    pipeline,
    'n',
  ]);
  const values = { colours: ['a', 'b'], done: true, nothing: null, plan: 'gold', score: 4.5, tries: 7 };
  const fields = Object.entries(values).map(([slug, value]) => ({
    _id: newId(),
    slug,
    title: slug.toUpperCase(),
    value,
  }));
  for (const { _id, slug, title } of fields) {
    await database.sql(
      `insert into custom_fields (company_id, _id, slug, title, context) values ($1, $2, $3, $4, 'conversation')`,
      [demo._id, _id, slug, title],
    );
  }
  const held = Object.fromEntries(fields.map(({ _id, value }) => [_id, value]));
  await database.sql(
    `update conversations set status = 'CLOSED', handled_by = 'HUMAN', agent_id = $2, owner_id = $3, attendant_id = $3,
        pipeline_id = $4, step_id = $5, tags = '{vip,"two words"}', custom_fields = $6,
        snoozed_until = '2026-01-02T03:04:05.006Z', closed_at = '2026-01-03T00:00:00Z', is_test = true where _id = $1`,
    [conversation._id, agent, user._id, pipeline, step, held],
  );
  assert.deepEqual(await read(conversation._id), {
    ...conversation,
    status: 'CLOSED',
    handled_by: 'HUMAN',
    agent,
    owner: user._id,
    attendant: user._id,
    pipeline,
    step,
    tags: ['vip', 'two words'],
    snoozed_until: '2026-01-02T03:04:05.006Z',
    closed_at: '2026-01-03T00:00:00.000Z',
    is_test: true,
    custom_fields: fields,
  });
});

test("marking as read sets unread_count to 0, emits nothing, and shows the contact's last message as read on the network", async () => {
  const from = makePhoneNumber();
  await writeAsContact(platform, { from, text: '1' });
  const { conversation, message } = await writeAsContact(platform, { from, text: '2' });
  await sendText(platform, conversation._id, { content: 'resposta' });
  await database.sql('update conversations set unread_count = 2 where _id = $1', [conversation._id]);
  const marked = await markRead(conversation._id);
  assert.equal(marked.unread_count, 0);
  assert.deepEqual(await read(conversation._id), marked);
  assert.equal(marked.updatedAt, conversation.updatedAt);
  assert.deepEqual(await listEventNames(platform, conversation._id), ['CONVERSATION_CREATED']);
  const path = `/sandbox/conversation?phone_number_id=100000000000001&contact=${from}`;
  const shown = await waitUntil(
    'the read mark on the network',
    async () => (await platform.sandbox('GET', path)).items.find((item: Json) => item.id === message.external_id)?.read,
  );
  assert.equal(shown, true);
});

test('marking as unread sets unread_count to 1 where it is 0, is sent to live streams, and emits nothing', async () => {
  const { conversation } = await writeAsContact(platform);
  const { _id } = conversation;
  const live = await openLive(platform);
  const markUnread = async (): Promise<Json> => (await call(200, 'PUT', `/v1/conversations/${_id}/unread`)).body;
  assert.deepEqual(await markUnread(), conversation);
  await markRead(_id);
  const marked = await markUnread();
  assert.equal(marked.unread_count, 1);
  assert.deepEqual(await read(_id), marked);
  assert.deepEqual(await markUnread(), marked);
  await live.waitFor('conversation', (data: Json) => data._id === _id && data.unread_count === 1);
  await live.close();
  assert.deepEqual(await listEventNames(platform, _id), ['CONVERSATION_CREATED']);
  const { body: log } = await call(200, 'GET', `/v1/audit?resource=${_id}`);
  assert.equal(log.result.length, 4);
});

test('a conversation in which the contact has not written stays read', async () => {
  const { body: contact } = await call(201, 'POST', '/v1/contacts', {
    body: { phone_number: `+${makePhoneNumber()}` },
  });
  const { body: opened } = await call(201, 'POST', '/v1/conversations', {
    body: { inbox: demo.inbox, contact: contact._id },
  });
  assert.equal((await call(200, 'PUT', `/v1/conversations/${opened._id}/unread`)).body.unread_count, 0);
});

test('marking as read can be repeated, also at the same moment', async () => {
  const { conversation } = await writeAsContact(platform);
  const answers = await Promise.all(Array.from({ length: 8 }, () => markRead(conversation._id)));
  for (const answer of answers) assert.deepEqual(answer, answers[0]);
});

test("the unread count is of the caller's and of no one's open conversations, however they become read", async () => {
  const company = await platform.createCompany();
  const user = await platform.createUser(company._id, 'OPERATOR');
  const other = await platform.createUser(company._id, 'OPERATOR');
  const readCount = async (key: string): Promise<unknown> =>
    (await call(200, 'GET', '/v1/conversations/counts', { key })).body.unread;
  const inbox = await insertInbox(platform, company._id);
  const ids = await insertConversations(platform, { company: company._id, inbox }, 4);
  await database.sql('update conversations set unread_count = 2 where company_id = $1', [company._id]);
  assert.deepEqual([await readCount(user.token), await readCount(company.key)], [4, null]);
  const patch = (id: string | undefined, body: object) =>
    call(200, 'PATCH', `/v1/conversations/${id}`, { key: company.key, body });
  await patch(ids[0], { owner: user._id });
  await patch(ids[1], { owner: other._id });
  assert.deepEqual([await readCount(user.token), await readCount(other.token)], [3, 3]);
  await patch(ids[2], { status: 'CLOSED' });
  await call(200, 'PUT', `/v1/conversations/${ids[0]}/read`, { key: company.key });
  assert.deepEqual([await readCount(user.token), await readCount(other.token)], [1, 2]);
});

test('a message that comes after marking as read counts as unread again', async () => {
  const from = makePhoneNumber();
  const { conversation } = await writeAsContact(platform, { from });
  await markRead(conversation._id);
  const again = await writeAsContact(platform, { from });
  assert.equal(again.conversation._id, conversation._id);
  assert.equal(again.conversation.unread_count, 1);
});

test('an older message that comes late moves no time of a conversation back', async () => {
  const from = makePhoneNumber();
  const now = Math.floor(Date.now() / 1000);
  const recent = await writeAsContact(platform, { from, raw: { timestamp: String(now) } });
  const late = await writeAsContact(platform, { from, raw: { timestamp: String(now - 3_600) } });
  for (const clock of ['last_inbound_at', 'window_expires_at']) {
    assert.equal(late.conversation[clock], recent.conversation[clock], clock);
    assert.equal(late.conversation[clock], (await read(recent.conversation._id))[clock]);
  }
  assert.equal(late.contact.last_inbound_at, recent.contact.last_inbound_at);
});

test('a message that is dated in the future opens no reply window longer than 24 hours from now', async () => {
  const ahead = String(Math.floor(Date.now() / 1000) + 86_400);
  const { conversation } = await writeAsContact(platform, { raw: { timestamp: ahead } });
  assert.ok(Date.parse(conversation.window_expires_at) <= Date.now() + 24 * 60 * 60 * 1000);
});

for (const asked of OPERATIONS) {
  test(`${asked.method} ${asked.path.replace(/[0-9a-f]{24}/, '{id}')} refuses callers without a token or the scope, and malformed requests`, async () => {
    await checkRefusals(platform, asked);
  });
}

test('marking as read accepts no body: with one it answers 400 and marks nothing', async () => {
  const { conversation } = await writeAsContact(platform);
  await call(400, 'PUT', `/v1/conversations/${conversation._id}/read`, { body: { unread_count: 0 } });
  assert.equal((await read(conversation._id)).unread_count, 1);
});

test('the operations on a conversation answer 503 while the database is busy, and 500 without details at a defect', async () => {
  await checkAnswers503(platform, ['conversations'], OPERATIONS);
  await checkAnswers500(platform, 'conversations.tags', OPERATIONS);
});

test("another company's conversation is answered like an unknown one, byte for byte, and stays unread", async () => {
  const other = await platform.createCompany();
  const [inbox, contact, theirs] = [newId(), newId(), newId()];
  await database.sql(`insert into inboxes (company_id, _id, name, channel) values ($1, $2, 'i', 'WAP_AUTO_CLOSER')`, [
    other._id,
    inbox,
  ]);
  await database.sql(`insert into contacts (company_id, _id, source) values ($1, $2, 'API')`, [other._id, contact]);
  await database.sql(
    `insert into conversations (company_id, _id, contact_id, inbox_id, channel, handled_by, unread_count)
      values ($1, $2, $3, $4, 'WAP_AUTO_CLOSER', 'NONE', 5)`,
    [other._id, theirs, contact, inbox],
  );
  for (const [method, tail] of [
    ['GET', ''],
    ['PUT', '/read'],
    ['PUT', '/unread'],
  ] as const) {
    const answer = await readRawAnswer(platform, method, `/v1/conversations/${theirs}${tail}`);
    assert.equal(answer.status, 404);
    for (const id of ['f'.repeat(24), 'not-an-id', '%00']) {
      const unknown = await readRawAnswer(platform, method, `/v1/conversations/${id}${tail}`);
      assert.deepEqual(unknown, answer);
    }
  }
  const { body } = await call(200, 'GET', `/v1/conversations/${theirs}`, { key: other.key });
  assert.equal(body.unread_count, 5);
});

test('a viewer may read a conversation but not mark it as read; an operator may do both', async () => {
  const { conversation } = await writeAsContact(platform);
  const [viewer, operator] = [
    await platform.createUser(demo._id, 'VIEWER'),
    await platform.createUser(demo._id, 'OPERATOR'),
  ];
  const path = `/v1/conversations/${conversation._id}`;
  await call(200, 'GET', path, { key: viewer.token });
  await call(403, 'PUT', `${path}/read`, { key: viewer.token });
  await call(200, 'PUT', `${path}/read`, { key: operator.token });
});
