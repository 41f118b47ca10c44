import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../platform/values/ids.ts';
import {
  connectPhone,
  makePhoneNumber,
  buildMessageNotification,
  buildNotification,
  openNetwork,
  secondsAgo,
  findStoredMessage,
  makeMessageId,
  fillMessage,
  type Phone,
} from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { listEventNames, readEvents, silenceNetwork } from '../../../test/support/traffic.ts';

// Agents wait for further messages as long as these tests take, so that their turns can be read.
const platform = await startPlatform();
const network = await openNetwork(platform);
const phone = await connectPhone(platform);
await silenceNetwork(platform);

async function receive(message: Record<string, unknown>, at: Phone = phone): Promise<Json> {
  const filled = fillMessage(message);
  await network.post(200, buildMessageNotification(at, filled));
  return findStoredMessage(platform, at, filled['id'] as string);
}

const readConversation = async (message: Json): Promise<Json> =>
  (await platform.call(200, 'GET', `/v1/conversations/${message.conversation}`)).body;
const change = (conversation: string, columns: string): Promise<unknown> =>
  platform.database.sql(`update conversations set ${columns} where _id = $1`, [conversation]);

async function createAgent(): Promise<string> {
  const id = newId();
  await platform.database.sql('insert into agents (company_id, _id, name) values ($1, $2, $3)', [
    platform.demo._id,
    id,
    'Agent',
  ]);
  return id;
}

async function pendingTurn(conversation: string): Promise<string | null> {
  const rows = await platform.database.sql<{ message_id: string }>(
    'select message_id from pending_turns where conversation_id = $1',
    [conversation],
  );
  return rows[0]?.message_id ?? null;
}

test('a first message opens a conversation, with one event in the GET format', async () => {
  const message = await receive({ from: makePhoneNumber() });
  const conversation = await readConversation(message);
  const { _id, createdAt: _created, updatedAt: _updated, ...rest } = conversation;
  assert.deepEqual(rest, {
    company: platform.demo._id,
    contact: message.contact,
    contact_summary: message.contact_summary,
    inbox: phone.inbox,
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
    is_test: false,
    last_message: {
      _id: message._id,
      content: 'Oi',
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
    last_inbound_at: message.sent_at,
    waiting_since: message.sent_at,
    snoozed_until: null,
    woken_at: null,
    awaits_reply: false,
    sla: null,
    closed_at: null,
    window_expires_at: new Date(Date.parse(message.sent_at) + 24 * 3_600_000).toISOString(),
  });
  assert.deepEqual(await readEvents(platform, _id), [{ event: 'CONVERSATION_CREATED', data: conversation }]);
});

test('further messages join the open conversation, count as unread, and emit only their own events', async () => {
  const from = makePhoneNumber();
  const first = await receive({ from });
  for (const status of ['OPEN', 'PENDING']) {
    await change(first.conversation, `status = '${status}'`);
    const next = await receive({ from });
    assert.equal(next.conversation, first.conversation);
    assert.equal((await readConversation(first)).status, status);
  }
  assert.equal((await readConversation(first)).unread_count, 3);
  assert.deepEqual(await listEventNames(platform, first.conversation), ['CONVERSATION_CREATED']);
  assert.deepEqual(await listEventNames(platform, first.contact), ['CONTACT_CREATED']);
});

test('an answer sets the unread count to 0, and the next message sets it to 1', async () => {
  const from = makePhoneNumber();
  const first = await receive({ from });
  await receive({ from });
  await platform.call(201, 'POST', '/v1/messages/send-text', {
    body: { conversationId: first.conversation, message: { content: 'Olá' } },
  });
  assert.equal((await readConversation(first)).unread_count, 0);
  await receive({ from });
  assert.equal((await readConversation(first)).unread_count, 1);
});

test('a message ends the snooze of a conversation, with one event', async () => {
  const from = makePhoneNumber();
  const first = await receive({ from });
  await change(first.conversation, `status = 'SNOOZED', snoozed_until = now() + interval '1 day'`);
  const id = makeMessageId();
  await network.post(200, buildMessageNotification(phone, { from, id }, { from }, { from }));
  await network.post(200, buildMessageNotification(phone, { from, id }));
  const events = await readEvents(platform, first.conversation);
  assert.deepEqual(
    events.map(({ event }) => event),
    ['CONVERSATION_CREATED', 'CONVERSATION_UPDATED'],
  );
  const conversation = await readConversation(first);
  assert.deepEqual([conversation.status, conversation.snoozed_until], ['OPEN', null]);
  assert.deepEqual(events[1]?.data, conversation);
});

test('a repeated message and a notice of the network end no snooze', async () => {
  const from = makePhoneNumber();
  const first = await receive({ from });
  await change(first.conversation, `status = 'SNOOZED'`);
  await receive({ from, id: first.external_id });
  await receive({ from, type: 'system', system: { type: 'customer_identity_changed', body: 'changed' } });
  const conversation = await readConversation(first);
  assert.deepEqual([conversation.status, conversation.unread_count], ['SNOOZED', 1]);
  assert.deepEqual(await listEventNames(platform, first.conversation), ['CONVERSATION_CREATED']);
});

test('a message to a CLOSED conversation opens a new one, and the CLOSED one stays unchanged', async () => {
  const from = makePhoneNumber();
  const first = await receive({ from });
  await change(first.conversation, `status = 'CLOSED', closed_at = now()`);
  const closed = await readConversation(first);
  const second = await receive({ from });
  assert.notEqual(second.conversation, first.conversation);
  assert.equal(second.contact, first.contact);
  assert.deepEqual(await readConversation(first), closed);
  assert.deepEqual(await listEventNames(platform, second.conversation), ['CONVERSATION_CREATED']);
});

test("the reply window is counted from the contact's newest message, whatever the order of messages, and never from a time in the future", async () => {
  const from = makePhoneNumber();
  const readWindow = async (timestamp: string): Promise<number> => {
    const message = await receive({ from, timestamp });
    return Date.parse((await readConversation(message)).window_expires_at) - 24 * 3_600_000;
  };
  const [older, newest, oldest] = [secondsAgo(3_600), secondsAgo(60), secondsAgo(7_200)];
  assert.equal(await readWindow(older), Number(older) * 1000);
  assert.equal(await readWindow(newest), Number(newest) * 1000);
  assert.equal(await readWindow(oldest), Number(newest) * 1000);
  assert.ok((await readWindow(secondsAgo(-86_400))) <= Date.now());
});

test('messages of one callback are listed in the order in which they were sent', async () => {
  const from = makePhoneNumber();
  const now = Number(secondsAgo(0));
  const said = [5, 1, 4, 2, 3].map((seconds) => ({
    from,
    timestamp: String(now - seconds),
    text: { body: String(seconds) },
    type: 'text',
  }));
  const id = makeMessageId();
  await network.post(200, buildMessageNotification(phone, ...said, { from, id, timestamp: secondsAgo(0) }));
  const { conversation, _id } = await findStoredMessage(platform, phone, id);
  const { body } = await platform.call(200, 'GET', `/v1/messages/conversation/${conversation}`);
  assert.deepEqual(
    body.result.map((message: Json) => message.content),
    ['5', '4', '3', '2', '1', 'Oi'],
  );
  assert.equal((await readConversation({ conversation })).last_message._id, _id);
});

test('a new conversation gets the default agent and owner of its inbox; an open conversation keeps its own', async () => {
  const [agent, owner] = [await createAgent(), await platform.createUser(platform.demo._id, 'OPERATOR')];
  const own = await connectPhone(platform, { inbox: { default_agent: agent, default_owner: owner._id } });
  const from = makePhoneNumber();
  const first = await receive({ from }, own);
  const conversation = await readConversation(first);
  assert.deepEqual([conversation.agent, conversation.owner, conversation.handled_by], [agent, owner._id, 'AI']);
  await change(first.conversation, `owner_id = null, agent_id = null, handled_by = 'HUMAN'`);
  await receive({ from }, own);
  const kept = await readConversation(first);
  assert.deepEqual([kept.agent, kept.owner, kept.handled_by], [null, null, 'HUMAN']);
});

test('messages that an agent should answer create one pending turn of the agent, for the newest message', async () => {
  const own = await connectPhone(platform, { inbox: { default_agent: await createAgent() } });
  const from = makePhoneNumber();
  const first = await receive({ from }, own);
  assert.equal(await pendingTurn(first.conversation), first._id);
  const [a, b] = [makeMessageId(), makeMessageId()];
  await network.post(200, buildMessageNotification(own, { from, id: b }, { from, id: a, timestamp: secondsAgo(9) }));
  assert.equal(await pendingTurn(first.conversation), (await findStoredMessage(platform, own, b))._id);
});

test('no turn of an agent is created after a reaction, a notice or a repetition, or while a human is in charge', async () => {
  const own = await connectPhone(platform, { inbox: { default_agent: await createAgent() } });
  const from = makePhoneNumber();
  const { conversation, external_id } = await receive({ from }, own);
  const clear = () => platform.database.sql('delete from pending_turns where conversation_id = $1', [conversation]);
  await clear();
  await receive({ from, id: external_id }, own);
  await receive({ from, type: 'reaction', reaction: { message_id: external_id, emoji: '👍' } }, own);
  await receive({ from, type: 'system', system: { type: 'customer_identity_changed', body: 'changed' } }, own);
  assert.equal(await pendingTurn(conversation), null);
  await change(conversation, `handled_by = 'HUMAN'`);
  await receive({ from }, own);
  assert.equal(await pendingTurn(conversation), null);
});

test('UNSUPPORTED messages wait for an agent only with process_unsupported_messages', async () => {
  const own = await connectPhone(platform, { inbox: { default_agent: await createAgent() } });
  const poll = () => receive({ from: makePhoneNumber(), type: 'unsupported' }, own);
  assert.equal(await pendingTurn((await poll()).conversation), null);
  await platform.call(200, 'PUT', `/v1/inboxes/${own.inbox}`, { body: { process_unsupported_messages: true } });
  const processed = await poll();
  assert.equal(await pendingTurn(processed.conversation), processed._id);
});

test('with disable_inbound_ai, conversations that contacts begin are for people, and those of campaigns stay with the agent', async () => {
  const agent = await createAgent();
  const own = await connectPhone(platform, { inbox: { default_agent: agent, disable_inbound_ai: true } });
  const from = makePhoneNumber();
  const organic = await receive({ from }, own);
  assert.equal((await readConversation(organic)).handled_by, 'HUMAN');
  assert.equal(await pendingTurn(organic.conversation), null);
  await change(organic.conversation, `handled_by = 'AI', campaign_id = '${newId()}'`);
  const lead = await receive({ from }, own);
  assert.equal((await readConversation(lead)).handled_by, 'AI');
  assert.equal(await pendingTurn(lead.conversation), lead._id);
});

test('in test mode every message is stored as a test, and only messages of test numbers wait for an agent', async () => {
  const [tester, other] = [makePhoneNumber(), makePhoneNumber()];
  const test_mode = { enabled: true, test_numbers: [`+${tester.slice(0, 4)} ${tester.slice(5)}`] };
  const own = await connectPhone(platform, { inbox: { default_agent: await createAgent(), test_mode } });
  for (const [from, waits] of [
    [tester, true],
    [other, false],
  ] as const) {
    const message = await receive({ from }, own);
    assert.equal(message.is_test, true);
    assert.equal((await readConversation(message)).is_test, true);
    assert.equal(await pendingTurn(message.conversation), waits ? message._id : null);
    assert.deepEqual(await listEventNames(platform, message._id), ['MESSAGE_RECEIVED']);
  }
});

test("each message of a callback for several companies and numbers reaches its own inbox, and only that company's webhook gets its event", async () => {
  const company = await platform.createCompany();
  const { body: webhook } = await platform.call(201, 'POST', '/v1/webhooks', {
    key: company.key,
    body: { url: `${platform.sandboxUrl}/receiver/other`, events: ['MESSAGE_RECEIVED'] },
  });
  const [theirs, second] = [await connectPhone(platform, { company }), await connectPhone(platform)];
  const from = makePhoneNumber();
  const phones = [phone, theirs, second];
  const ids = phones.map(() => makeMessageId());
  const parts = phones.map((at, index) => ({
    phone: at,
    value: { messages: [fillMessage({ from, id: ids[index] })] },
  }));
  await network.post(200, buildNotification(...parts));
  const stored = await Promise.all(phones.map((at, index) => findStoredMessage(platform, at, ids[index] ?? '')));
  assert.deepEqual(
    stored.map((message) => [message.company, message.inbox]),
    phones.map((at) => [at.company, at.inbox]),
  );
  assert.equal(stored[0].contact, stored[2].contact);
  assert.notEqual(stored[0].conversation, stored[2].conversation);
  const emitted = await platform.database.sql<{ resource_id: string; event: string }>(
    'select resource_id, event from deliveries where webhook_id = $1',
    [webhook._id],
  );
  assert.deepEqual(emitted, [{ resource_id: stored[1]._id, event: 'MESSAGE_RECEIVED' }]);
  await platform.deliveries((item) => item.path === '/receiver/other' && item.body.data._id === stored[1]._id);
});

test('500 messages of 100 people in one callback are stored with their contacts, conversations and events (defect 10)', async () => {
  const own = await connectPhone(platform);
  const people = Array.from({ length: 100 }, makePhoneNumber);
  const messages = Array.from({ length: 500 }, (_, index) => ({
    from: people[index % people.length],
    id: makeMessageId(),
  }));
  await network.post(200, buildMessageNotification(own, ...messages));
  await network.post(200, buildMessageNotification(own, ...messages));
  const count = async (text: string): Promise<number> =>
    (await platform.database.sql<{ count: number }>(`select count(*)::int as count from ${text}`, [own.inbox]))[0]
      ?.count ?? 0;
  assert.equal(await count('messages where inbox_id = $1'), 500);
  assert.equal(await count('conversations where inbox_id = $1 and unread_count = 5'), new Set(people).size);
  assert.equal(await count('deliveries d join messages m on m._id = d.resource_id where m.inbox_id = $1'), 500);
});

test('a callback with more messages of one person than a transaction stores is stored completely, in one conversation', async () => {
  const from = makePhoneNumber();
  const ids = Array.from({ length: 1_200 }, () => makeMessageId());
  await network.post(200, buildMessageNotification(phone, ...ids.map((id) => ({ from, id }))));
  const rows = await platform.database.sql<{ conversation_id: string }>(
    'select distinct conversation_id from messages where external_id = any($1)',
    [ids],
  );
  assert.equal(rows.length, 1);
  const conversation = await readConversation({ conversation: rows[0]?.conversation_id });
  assert.equal(conversation.unread_count, ids.length);
  assert.deepEqual(await listEventNames(platform, conversation._id), ['CONVERSATION_CREATED']);
  assert.deepEqual(await listEventNames(platform, conversation.contact), ['CONTACT_CREATED']);
});
