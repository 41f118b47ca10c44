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
import { listEventNames, readEvents } from '../../../test/support/traffic.ts';

// Agents wait for further messages as long as these tests take, so that their turns can be read.
const platform = await startPlatform();
const network = await openNetwork(platform);
const phone = await connectPhone(platform);

const accountNews = (at: Pick<Phone, 'id' | 'waba'>, event: string): Json =>
  buildNotification({ phone: at, field: 'account_update', value: { event, metadata: undefined } });
const echoes = (at: Phone, ...messages: Record<string, unknown>[]): Json =>
  buildNotification({
    phone: at,
    field: 'smb_message_echoes',
    value: { message_echoes: messages.map((message) => fillMessage({ from: '551133334444', ...message })) },
  });
const isShared = async (at: Phone): Promise<boolean> =>
  (await platform.call(200, 'GET', `/v1/inboxes/${at.inbox}`, { key: at.key })).body.coexistence_enabled;
const readConversation = async (message: Json): Promise<Json> =>
  (await platform.call(200, 'GET', `/v1/conversations/${message.conversation}`)).body;

type Old = Record<string, unknown>;
/** A callback with a part of the history: one thread per contact. */
const history = (at: Phone, threads: Record<string, Old[]>): Json =>
  buildNotification({
    phone: at,
    field: 'history',
    value: {
      history: [
        {
          metadata: { phase: 0, chunk_order: 1, progress: 50 },
          threads: Object.entries(threads).map(([id, messages]) => ({ id, messages: messages.map(fillMessage) })),
        },
      ],
    },
  });
/** A callback with the files of old messages, which come outside of any thread. */
const files = (at: Phone, ...messages: Old[]): Json =>
  buildNotification({ phone: at, field: 'history', value: { messages: messages.map(fillMessage) } });

async function countRows(at: Phone): Promise<{ conversations: number; events: number }> {
  const [row] = await platform.database.sql<{ conversations: number; events: number }>(
    `select (select count(*)::int from conversations where inbox_id = $1) as conversations,
       (select count(*)::int from deliveries where body like '%' || $1 || '%' and event <> 'INBOX_CONNECTION_CHANGED') as events`,
    [at.inbox],
  );
  return row ?? { conversations: -1, events: -1 };
}

test('an account notice switches coexistence of every ACTIVE inbox of the account, and of no other inbox', async () => {
  const sibling = await connectPhone(platform, { waba: phone.waba });
  const stranger = await connectPhone(platform);
  await network.post(200, accountNews(phone, 'ACCOUNT_RECONNECTED'));
  assert.deepEqual(await Promise.all([phone, sibling, stranger].map(isShared)), [true, true, false]);
  await network.post(200, accountNews(phone, 'ACCOUNT_RESTRICTION'));
  assert.equal(await isShared(phone), true);
  await network.post(200, accountNews(phone, 'ACCOUNT_OFFBOARDED'));
  assert.deepEqual(await Promise.all([phone, sibling].map(isShared)), [false, false]);
  await network.post(200, accountNews(phone, 'ACCOUNT_RECONNECTED'));
  await network.post(200, accountNews(phone, 'PARTNER_REMOVED'));
  assert.equal(await isShared(phone), false);
});

test('echoes and history of a number without coexistence are dropped', async () => {
  const own = await connectPhone(platform);
  const to = makePhoneNumber();
  await network.post(200, echoes(own, { to }));
  await network.post(200, history(own, { [to]: [{ from: to }] }));
  await network.post(200, files(own, { from: to, type: 'image', image: { id: '1', mime_type: 'image/png' } }));
  assert.deepEqual(await countRows(own), { conversations: 0, events: 0 });
});

test('a message in the same callback as the notice that switches coexistence on is stored', async () => {
  const own = await connectPhone(platform);
  const [to, id] = [makePhoneNumber(), makeMessageId()];
  const { entry } = accountNews(own, 'ACCOUNT_RECONNECTED');
  const both = echoes(own, { to, id });
  await network.post(200, { ...both, entry: [...both.entry, ...entry] });
  assert.equal((await findStoredMessage(platform, own, id))?.is_echo, true);
});

test('an echo, which the business sent in its own app, is stored as outgoing and emits MESSAGE_RECEIVED in the GET format', async () => {
  await network.post(200, accountNews(phone, 'ACCOUNT_RECONNECTED'));
  const [to, id, timestamp] = [makePhoneNumber(), makeMessageId(), secondsAgo(20)];
  await network.post(200, echoes(phone, { to, id, timestamp }));
  await network.post(200, echoes(phone, { to, id, timestamp }));
  const message = await findStoredMessage(platform, phone, id);
  const { sender_type, sender, message_type, origin, status, is_echo, sent_at } = message;
  assert.deepEqual(
    { sender_type, sender, message_type, origin, status, is_echo, sent_at },
    {
      sender_type: 'USER',
      sender: null,
      message_type: 'OUTGOING',
      origin: 'BUSINESS_APP',
      status: 'SENT',
      is_echo: true,
      sent_at: new Date(Number(timestamp) * 1000).toISOString(),
    },
  );
  assert.deepEqual(await readEvents(platform, message._id), [{ event: 'MESSAGE_RECEIVED', data: message }]);
  const conversation = await readConversation(message);
  const { unread_count, window_expires_at, last_inbound_at, handled_by, last_message } = conversation;
  assert.deepEqual(
    { unread_count, window_expires_at, last_inbound_at, handled_by, last: last_message._id },
    { unread_count: 0, window_expires_at: null, last_inbound_at: null, handled_by: 'HUMAN', last: message._id },
  );
  const { body: contact } = await platform.call(200, 'GET', `/v1/contacts/${message.contact}`);
  assert.deepEqual([contact.phone_number, contact.last_inbound_at], [`+${to}`, null]);
});

test('an echo sets the unread count to 0, keeps the reply window, ends no snooze, and takes over from the agent', async () => {
  await network.post(200, accountNews(phone, 'ACCOUNT_RECONNECTED'));
  const [from, first, echo] = [makePhoneNumber(), makeMessageId(), makeMessageId()];
  await network.post(200, buildMessageNotification(phone, { from, id: first, timestamp: secondsAgo(600) }));
  const message = await findStoredMessage(platform, phone, first);
  const agent = newId();
  await platform.database.sql(`insert into agents (company_id, _id, name) values ($1, $2, 'Agent')`, [
    platform.demo._id,
    agent,
  ]);
  await platform.database.sql(
    `update conversations set status = 'SNOOZED', handled_by = 'AI', agent_id = $2 where _id = $1`,
    [message.conversation, agent],
  );
  const before = await readConversation(message);
  await network.post(200, echoes(phone, { to: from, id: echo }));
  const after = await readConversation(message);
  assert.equal((await findStoredMessage(platform, phone, echo)).conversation, message.conversation);
  assert.deepEqual([before.unread_count, after.unread_count], [1, 0]);
  assert.deepEqual([before.waiting_since, after.waiting_since], [before.last_inbound_at, null]);
  assert.deepEqual([after.status, after.window_expires_at], ['SNOOZED', before.window_expires_at]);
  assert.equal(after.handled_by, 'HUMAN');
  assert.deepEqual(await listEventNames(platform, message.conversation), [
    'CONVERSATION_CREATED',
    'CONVERSATION_UPDATED',
  ]);
  const turns = await platform.database.sql('select 1 from pending_turns where conversation_id = $1', [
    message.conversation,
  ]);
  assert.deepEqual(turns, []);
});

test('a message and the echo that answers it, in one callback, end the snooze of the conversation and set its unread count to 0', async () => {
  await network.post(200, accountNews(phone, 'ACCOUNT_RECONNECTED'));
  const [from, first] = [makePhoneNumber(), makeMessageId()];
  await network.post(200, buildMessageNotification(phone, { from, id: first, timestamp: secondsAgo(600) }));
  const message = await findStoredMessage(platform, phone, first);
  await platform.database.sql(`update conversations set status = 'SNOOZED' where _id = $1`, [message.conversation]);
  const question = buildMessageNotification(phone, { from, timestamp: secondsAgo(20) });
  const answer = echoes(phone, { to: from, timestamp: secondsAgo(10) });
  await network.post(200, { ...question, entry: [...answer.entry, ...question.entry] });
  const conversation = await readConversation(message);
  assert.deepEqual([conversation.status, conversation.unread_count], ['OPEN', 0]);
  assert.deepEqual(await listEventNames(platform, message.conversation), [
    'CONVERSATION_CREATED',
    'CONVERSATION_UPDATED',
  ]);
});

test('statuses, an edit and a revocation of an echo are applied as for any message', async () => {
  await network.post(200, accountNews(phone, 'ACCOUNT_RECONNECTED'));
  const [to, id] = [makePhoneNumber(), makeMessageId()];
  const status = (name: string): Json =>
    buildNotification({
      phone,
      value: { statuses: [{ id, status: name, timestamp: secondsAgo(1), recipient_id: to }] },
    });
  await network.post(200, status('delivered'));
  await network.post(200, echoes(phone, { to, id, timestamp: secondsAgo(5) }));
  await network.post(200, status('read'));
  const message = await findStoredMessage(platform, phone, id);
  assert.equal(message.status, 'READ');
  assert.deepEqual(await listEventNames(platform, message._id), [
    'MESSAGE_RECEIVED',
    'MESSAGE_DELIVERED',
    'MESSAGE_READ',
  ]);
  const revoke = { type: 'revoke', to, revoke: { original_message_id: id } };
  const edit = {
    type: 'edit',
    to,
    edit: { original_message_id: id, message: { type: 'text', text: { body: 'Olá' } } },
  };
  await network.post(200, echoes(phone, edit));
  assert.equal((await findStoredMessage(platform, phone, id)).content, 'Olá');
  await network.post(200, echoes(phone, revoke));
  assert.equal((await findStoredMessage(platform, phone, id)).content, null);
});

test('history is stored in one CLOSED conversation per contact, with its authors, times and statuses, and emits no event', async () => {
  const own = await connectPhone(platform);
  await network.post(200, accountNews(own, 'ACCOUNT_RECONNECTED'));
  const [person, ids] = [
    makePhoneNumber(),
    [makeMessageId(), makeMessageId(), makeMessageId(), makeMessageId()] as const,
  ];
  const long = 90 * 86_400;
  const old = [
    { from: person, id: ids[0], timestamp: secondsAgo(long), history_context: { status: 'READ' } },
    {
      from: '551133334444',
      to: person,
      id: ids[1],
      timestamp: secondsAgo(long - 60),
      history_context: { status: 'READ' },
    },
    {
      from: '551133334444',
      to: person,
      id: ids[2],
      timestamp: secondsAgo(long - 70),
      history_context: { status: 'ERROR' },
    },
  ];
  await network.post(200, history(own, { [person]: old }));
  await network.post(
    200,
    history(own, { [person]: [{ from: person, id: ids[3], timestamp: secondsAgo(long + 60) }, ...old] }),
  );
  const words = { type: 'text', text: { body: 'Olá' } };
  const edit = { from: person, type: 'edit', edit: { original_message_id: ids[0], message: words } };
  await network.post(200, history(own, { [person]: [edit] }));
  const messages = await Promise.all(ids.map((id) => findStoredMessage(platform, own, id)));
  assert.equal(messages[0].content, 'Olá');
  assert.deepEqual(
    messages.map((message) => [message.message_type, message.origin, message.status, message.is_echo]),
    [
      ['INCOMING', 'CHANNEL', 'RECEIVED', false],
      ['OUTGOING', 'BUSINESS_APP', 'READ', false],
      ['OUTGOING', 'BUSINESS_APP', 'FAILED', false],
      ['INCOMING', 'CHANNEL', 'RECEIVED', false],
    ],
  );
  assert.equal(messages[0].createdAt, new Date(Number(old[0]?.timestamp) * 1000).toISOString());
  const conversation = await readConversation(messages[0]);
  const { status, unread_count, window_expires_at, last_inbound_at, last_message } = conversation;
  assert.deepEqual(
    { status, unread_count, window_expires_at, last_inbound_at, last: last_message._id },
    { status: 'CLOSED', unread_count: 0, window_expires_at: null, last_inbound_at: null, last: messages[2]._id },
  );
  assert.notEqual(conversation.closed_at, null);
  assert.deepEqual(await countRows(own), { conversations: 1, events: 0 });
  const { body } = await platform.call(200, 'GET', `/v1/messages/conversation/${messages[0].conversation}`);
  assert.deepEqual(
    body.result.map((message: Json) => message.external_id),
    [ids[3], ids[0], ids[1], ids[2]],
  );
});

test('old messages of the history are added to the open conversation and do not change its reply window, unread count or last message', async () => {
  await network.post(200, accountNews(phone, 'ACCOUNT_RECONNECTED'));
  const [person, live, old] = [makePhoneNumber(), makeMessageId(), makeMessageId()];
  await network.post(200, buildMessageNotification(phone, { from: person, id: live }));
  const message = await findStoredMessage(platform, phone, live);
  const before = await readConversation(message);
  await network.post(200, history(phone, { [person]: [{ from: person, id: old, timestamp: secondsAgo(86_400) }] }));
  assert.equal((await findStoredMessage(platform, phone, old)).conversation, message.conversation);
  assert.deepEqual(await readConversation(message), before);
});

test('a new message after the history opens a conversation with an event, and emits no event for the known contact', async () => {
  await network.post(200, accountNews(phone, 'ACCOUNT_RECONNECTED'));
  const [person, live, old] = [makePhoneNumber(), makeMessageId(), makeMessageId()];
  await network.post(200, history(phone, { [person]: [{ from: person, id: old, timestamp: secondsAgo(86_400) }] }));
  await network.post(200, buildMessageNotification(phone, { from: person, id: live }));
  const [before, after] = [
    await findStoredMessage(platform, phone, old),
    await findStoredMessage(platform, phone, live),
  ];
  assert.equal(after.contact, before.contact);
  assert.notEqual(after.conversation, before.conversation);
  assert.deepEqual(await listEventNames(platform, after.conversation), ['CONVERSATION_CREATED']);
});

test('a file of an old message is added to its message, whichever of the two arrives first', async () => {
  await network.post(200, accountNews(phone, 'ACCOUNT_RECONNECTED'));
  const timestamp = secondsAgo(86_400);
  const image = { type: 'image', image: { id: '77', mime_type: 'image/png', caption: 'Veja' }, timestamp };
  const bodies = (person: string, id: string): [Json, Json] => [
    history(phone, { [person]: [{ from: person, id, timestamp, type: 'media_placeholder' }] }),
    files(phone, { from: person, id, ...image }),
  ];
  for (const way of ['placeholder first', 'file first', 'together', 'together, file first']) {
    const [person, id] = [makePhoneNumber(), makeMessageId()];
    const [placeholder, file] = bodies(person, id);
    const ordered = way.endsWith('file first') ? [file, placeholder] : [placeholder, file];
    if (way.startsWith('together')) {
      await network.post(200, { ...placeholder, entry: ordered.flatMap((part) => part.entry) });
    } else for (const part of ordered) await network.post(200, part);
    const message = await findStoredMessage(platform, phone, id);
    assert.deepEqual(
      [message.contentType, message.content, message.media?.mimeType],
      ['IMAGE', 'Veja', 'image/png'],
      way,
    );
    assert.deepEqual(await listEventNames(platform, message._id), []);
  }
});

for (const who of ['a new contact', 'a known contact without a conversation']) {
  test(`history of ${who}, one part sent 20 times and 20 parts at once, makes one conversation`, async () => {
    const own = await connectPhone(platform);
    await network.post(200, accountNews(own, 'ACCOUNT_RECONNECTED'));
    const person = makePhoneNumber();
    const chunk = (id: string): Json =>
      history(own, { [person]: [{ from: person, id, timestamp: secondsAgo(9_000) }] });
    const [same, ids] = [chunk(makeMessageId()), Array.from({ length: 20 }, () => makeMessageId())];
    if (who.includes('known')) {
      await network.post(200, chunk(makeMessageId()));
      await platform.database.sql('delete from conversations where inbox_id = $1', [own.inbox]);
    }
    await Promise.all(ids.flatMap((id) => [network.post(200, same), network.post(200, chunk(id))]));
    assert.deepEqual(await countRows(own), { conversations: 1, events: 0 });
    const [row] = await platform.database.sql<{ count: number }>(
      'select count(*)::int as count from messages where inbox_id = $1',
      [own.inbox],
    );
    assert.equal(row?.count, 21);
  });
}

test('a notice that history was declined is answered 200 and stores nothing', async () => {
  const declined = { code: 2593109, title: 'History declined' };
  const before = await platform.database.sql('select 1 from callbacks_aside');
  await network.post(200, buildNotification({ phone, field: 'history', value: { history: [{ errors: [declined] }] } }));
  assert.equal((await platform.database.sql('select 1 from callbacks_aside')).length, before.length);
});
