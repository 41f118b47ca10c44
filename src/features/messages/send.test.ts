import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uploadFile } from '../../../test/support/attachments.ts';
import { makeWebp } from '../../../test/support/media-samples.ts';
import { makePhoneNumber, makeMessageId } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import {
  PLAIN_FIELDS,
  listEventNames,
  readEvents,
  writeAsContact,
  listNetworkMessages,
  readMessage,
  reportStatuses,
  sendText,
  silenceNetwork,
} from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, database, demo, sandbox } = platform;
const inboxPath = `/v1/inboxes/${demo.inbox}`;

const setInbox = (body: Json): Promise<unknown> => call(200, 'PUT', inboxPath, { body });
const setFaults = (send: Json[]): Promise<Json> => sandbox('PUT', '/sandbox/settings', { faults: { send } });

test('an accepted text is 201 SENT with all its fields, reaches the network once, and emits MESSAGE_SENT', async () => {
  const { conversation, contact } = await writeAsContact(platform);
  const sent = await sendText(platform, conversation._id, { content: 'Bom dia! çãé 👋' });
  const [wire, ...more] = await listNetworkMessages(platform, sent._id);
  assert.deepEqual(more, []);
  const { _id, sender, external_id, sent_at, createdAt, updatedAt, ...rest } = sent;
  assert.match(_id, /^[0-9a-f]{24}$/);
  assert.match(sender, /^[0-9a-f]{24}$/);
  assert.equal(external_id, wire.id);
  for (const at of [sent_at, createdAt, updatedAt]) assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(rest, {
    ...PLAIN_FIELDS,
    company: demo._id,
    conversation: conversation._id,
    contact: contact._id,
    contact_summary: { name: contact.name, phone_number: contact.phone_number, email: null },
    inbox: demo.inbox,
    channel: 'WAP_AUTO_CLOSER',
    sender_type: 'AGENT',
    message_type: 'OUTGOING',
    origin: 'API',
    contentType: 'TEXT',
    content: 'Bom dia! çãé 👋',
    status: 'SENT',
  });
  assert.deepEqual(await readMessage(platform, _id), sent);
  assert.deepEqual(await readEvents(platform, _id), [{ event: 'MESSAGE_SENT', data: sent }]);
});

test("the network gets the text, the contact's number and our message id, and a preview is requested for a link", async () => {
  const from = makePhoneNumber();
  const { conversation } = await writeAsContact(platform, { from });
  const plain = await sendText(platform, conversation._id, { content: 'Olá' });
  const linked = await sendText(platform, conversation._id, { content: 'Veja https://example.com' });
  const bodies = [
    ...(await listNetworkMessages(platform, plain._id)),
    ...(await listNetworkMessages(platform, linked._id)),
  ].map((m) => m.body);
  const common = { messaging_product: 'whatsapp', recipient_type: 'individual', to: from, type: 'text' };
  assert.deepEqual(bodies, [
    { ...common, text: { body: 'Olá', preview_url: false }, biz_opaque_callback_data: plain._id },
    { ...common, text: { body: 'Veja https://example.com', preview_url: true }, biz_opaque_callback_data: linked._id },
  ]);
});

test("a text to a contact without a phone number is sent to the contact's user id", async () => {
  const { conversation, contact } = await writeAsContact(platform, { from: null, bsuid: 'BR.1029384756', name: 'Bia' });
  assert.equal(contact.phone_number, null);
  const sent = await sendText(platform, conversation._id);
  const [wire] = await listNetworkMessages(platform, sent._id);
  assert.equal(wire.body.recipient, 'BR.1029384756');
  assert.equal('to' in wire.body, false);
  assert.equal(sent.status, 'SENT');
});

test('a key sends as AGENT from the API, a user as USER from the dashboard, each named as the sender', async () => {
  const { conversation } = await writeAsContact(platform);
  const key = await platform.createKey(demo._id, ['messages:create']);
  const user = await platform.createUser(demo._id, 'OPERATOR');
  const byKey = await sendText(platform, conversation._id, { key: key.token });
  const byUser = await sendText(platform, conversation._id, { key: user.token });
  const authors = [byKey, byUser].map(({ sender_type, sender, origin }) => ({ sender_type, sender, origin }));
  assert.deepEqual(authors, [
    { sender_type: 'AGENT', sender: key._id, origin: 'API' },
    { sender_type: 'USER', sender: user._id, origin: 'DASHBOARD' },
  ]);
});

test("when the inbox is set so, the network gets the operator's name in bold before the text, and the stored message does not have it", async () => {
  const { conversation } = await writeAsContact(platform);
  const user = await platform.createUser(demo._id, 'OPERATOR', 'Olga Operator');
  const name = (shown: boolean) => setInbox({ general_config: { include_operator_name_on_message: shown } });
  await name(true);
  const named = await sendText(platform, conversation._id, { key: user.token, content: 'Sou eu' });
  const byKey = await sendText(platform, conversation._id, { content: 'Sou um robô' });
  await name(false);
  const unnamed = await sendText(platform, conversation._id, { key: user.token, content: 'Sem nome' });
  const texts = await Promise.all(
    [named, byKey, unnamed].map(async (sent) => (await listNetworkMessages(platform, sent._id))[0].body.text.body),
  );
  assert.deepEqual(texts, ['*Olga Operator*\nSou eu', 'Sou um robô', 'Sem nome']);
  assert.equal(named.content, 'Sou eu');
  assert.equal((await readMessage(platform, named._id)).content, 'Sou eu');
  assert.equal((await readEvents(platform, named._id))[0]?.data.content, 'Sou eu');
});

test("a reply names the answered message by its id in the record and by the network's id in the call", async () => {
  const { message, conversation } = await writeAsContact(platform);
  const reply = await sendText(platform, conversation._id, { replyTo: message._id });
  assert.equal(reply.reply_to, message._id);
  const [wire] = await listNetworkMessages(platform, reply._id);
  assert.deepEqual(wire.body.context, { message_id: message.external_id });
  const onOurs = await sendText(platform, conversation._id, { replyTo: reply._id });
  assert.equal((await listNetworkMessages(platform, onOurs._id))[0].body.context.message_id, reply.external_id);
});

test('a sent text sets the unread count to 0 and becomes the last message of its conversation, without CONVERSATION_UPDATED', async () => {
  const from = makePhoneNumber();
  await writeAsContact(platform, { from });
  const { conversation } = await writeAsContact(platform, { from });
  assert.equal(conversation.unread_count, 2);
  const sent = await sendText(platform, conversation._id, { content: 'Pois não' });
  const { body: after } = await call(200, 'GET', `/v1/conversations/${conversation._id}`);
  assert.equal(after.unread_count, 0);
  const { _id, content, contentType, sender_type, sender, message_type, origin, createdAt } = sent;
  const shown = { _id, content, contentType, sender_type, sender, message_type, origin, createdAt };
  const last = { ...shown, file_name: null, is_failed: false, is_revoked: false };
  assert.deepEqual(after.last_message, last);
  assert.equal(after.last_message_at, createdAt);
  assert.equal(after.updatedAt, conversation.updatedAt);
  assert.deepEqual(await listEventNames(platform, conversation._id), ['CONVERSATION_CREATED']);
});

test("a text that the platform refuses is 201 FAILED with the reason: nothing is sent, no event is emitted, and the conversation stays unread; only a user's becomes its last message", async () => {
  const { conversation } = await writeAsContact(platform);
  await database.sql(`update conversations set window_expires_at = now() where _id = $1`, [conversation._id]);
  const blocked = await sendText(platform, conversation._id);
  const [{ code, title, message }, ...others] = blocked.errors;
  assert.deepEqual([blocked.status, code, others], ['FAILED', 'WINDOW_EXPIRED', []]);
  for (const words of [title, message]) assert.ok(words.length > 0);
  assert.equal('failure_reason' in blocked, false, 'the network reported nothing');
  assert.deepEqual([blocked.external_id, blocked.failed_at], [null, blocked.createdAt]);
  assert.deepEqual(await readMessage(platform, blocked._id), blocked);
  assert.deepEqual(await listNetworkMessages(platform, blocked._id), []);
  assert.deepEqual(await listEventNames(platform, blocked._id), []);
  const read = async (): Promise<Json> => (await call(200, 'GET', `/v1/conversations/${conversation._id}`)).body;
  const { unread_count, last_message, last_message_at } = await read();
  assert.deepEqual(
    [unread_count, last_message.sender_type, last_message_at],
    [1, 'CONTACT', conversation.last_message_at],
  );
  const { token: key } = await platform.createUser(demo._id, 'OPERATOR');
  const refused = await sendText(platform, conversation._id, { key });
  const after = await read();
  assert.deepEqual([after.last_message._id, after.last_message.is_failed, after.unread_count], [refused._id, true, 1]);
});

test('in test mode a text to a test number is sent, however that number is written', async () => {
  const { conversation } = await writeAsContact(platform, { from: '5511987654321' });
  await setInbox({ test_mode: { enabled: true, test_numbers: ['+55 (11) 8765-4321'] } });
  const sent = await sendText(platform, conversation._id);
  await setInbox({ test_mode: { enabled: false, test_numbers: [] } });
  const later = await sendText(platform, conversation._id);
  assert.deepEqual([sent.status, later.status], ['SENT', 'SENT']);
  assert.deepEqual([sent.is_test, later.is_test], [true, false], 'is_test says in which mode it was sent');
});

test('a text that the network refuses is 201 FAILED with its code and a Portuguese reason, and MESSAGE_FAILED is not emitted', async () => {
  const { conversation } = await writeAsContact(platform);
  await setFaults([{ code: 131026 }]);
  const refused = await sendText(platform, conversation._id);
  assert.equal(refused.status, 'FAILED');
  assert.equal(refused.errors.length, 1);
  assert.equal(refused.errors[0].code, 131026);
  assert.deepEqual(refused.failure_reason, {
    code: 131026,
    message: 'A mensagem não pôde ser entregue: o número não está na rede ou não pode recebê-la.',
  });
  assert.notEqual(refused.failed_at, null);
  assert.equal(refused.external_id, null);
  assert.deepEqual(await readMessage(platform, refused._id), refused);
  assert.deepEqual(await listEventNames(platform, refused._id), []);
  assert.deepEqual(await listNetworkMessages(platform, refused._id), []);
});

test('after a refusal for a fault that soon passes, the call is repeated within the request, and the message is SENT with one event', async () => {
  const { conversation } = await writeAsContact(platform);
  await setFaults([{ code: 130429, times: 2 }]);
  const sent = await sendText(platform, conversation._id);
  assert.equal(sent.status, 'SENT');
  assert.deepEqual(sent.errors, []);
  assert.equal((await listNetworkMessages(platform, sent._id)).length, 1);
  assert.deepEqual(await listEventNames(platform, sent._id), ['MESSAGE_SENT']);
});

test('a status that arrives while the call is still being refused counts more than the refusal', async () => {
  const { conversation } = await writeAsContact(platform);
  // After a refusal with this code the send makes its longest pause.
  await setFaults([{ code: 131056, times: null }]);
  const sending = sendText(platform, conversation._id);
  const queued = await waitUntil('the message to be stored', async () => {
    const { body } = await call(200, 'GET', `/v1/messages/conversation/${conversation._id}`);
    return body.result[1];
  });
  await reportStatuses(platform, { id: makeMessageId(), status: 'delivered', biz_opaque_callback_data: queued._id });
  const settled = await readMessage(platform, queued._id);
  assert.deepEqual(await sending, settled);
  await setFaults([]);
  assert.equal(settled.status, 'DELIVERED');
  assert.deepEqual(await readMessage(platform, queued._id), settled);
});

test('a send whose inbox settings cannot be decrypted stores nothing, and its repetition with the same Idempotency-Key sends', async () => {
  const { conversation } = await writeAsContact(platform);
  const body = { conversationId: conversation._id, message: { content: 'Once' } };
  const send = (status: number): Promise<Json> =>
    call(status, 'POST', '/v1/messages/send-text', { body, headers: { 'idempotency-key': 'unreadable' } });
  const token = `select settings #>> '{api_wap_config,business_token}' as token from inboxes where _id = $1`;
  const [kept] = await database.sql(token, [demo.inbox]);
  const setToken = (value: unknown): Promise<unknown> =>
    database.sql(
      `update inboxes set settings = jsonb_set(settings, '{api_wap_config,business_token}', to_jsonb($2::text)) where _id = $1`,
      [demo.inbox, value],
    );
  await setToken('not sealed by us');
  await send(500);
  await setToken(kept?.['token']);
  const sent = (await send(201)).body;
  assert.equal(sent.status, 'SENT');
  assert.equal((await listNetworkMessages(platform, sent._id)).length, 1);
  const { body: list } = await call(200, 'GET', `/v1/messages/conversation/${conversation._id}?limit=10`);
  assert.equal(list.result.filter((message: Json) => message.message_type === 'OUTGOING').length, 1);
});

test('a content that the channel cannot send is refused, and nothing is stored', async () => {
  const { conversation } = await writeAsContact(platform);
  await database.sql(`update inboxes set channel = 'PROFESSIONAL_NETWORK' where _id = $1`, [demo.inbox]);
  await database.sql(`update conversations set channel = 'PROFESSIONAL_NETWORK' where _id = $1`, [conversation._id]);
  const { _id: attachment } = await uploadFile(platform, { data: makeWebp(), fileType: 'STICKER' });
  const body = { conversationId: conversation._id, message: { attachment } };
  expectProblem(
    await call(400, 'POST', '/v1/messages/send-sticker', { body }),
    'CONTENT_NOT_SUPPORTED',
    'conversationId',
  );
  await database.sql(`update inboxes set channel = 'WAP_AUTO_CLOSER' where _id = $1`, [demo.inbox]);
  const { body: after } = await call(200, 'GET', `/v1/conversations/${conversation._id}`);
  assert.deepEqual([after.unread_count, after.last_message.sender_type], [1, 'CONTACT']);
});

test('a text into a closed conversation reopens it with one event; it is 409 when the contact has another open conversation', async () => {
  const from = makePhoneNumber();
  const { conversation } = await writeAsContact(platform, { from });
  const close = () => call(200, 'PATCH', `/v1/conversations/${conversation._id}`, { body: { status: 'CLOSED' } });
  await close();
  const updates = async () =>
    (await listEventNames(platform, conversation._id)).filter((event) => event === 'CONVERSATION_UPDATED').length;
  const before = await updates();
  const sent = await sendText(platform, conversation._id);
  assert.equal(sent.status, 'SENT');
  const { body: opened } = await call(200, 'GET', `/v1/conversations/${conversation._id}`);
  assert.deepEqual([opened.status, opened.closed_at, opened.last_message._id], ['OPEN', null, sent._id]);
  assert.equal(await updates(), before + 1);
  await close();
  const { conversation: another } = await writeAsContact(platform, { from });
  assert.notEqual(another._id, conversation._id);
  const body = { conversationId: conversation._id, message: { content: 'Oi' } };
  const refused = await call(409, 'POST', '/v1/messages/send-text', { body });
  assert.deepEqual([refused.body.code, refused.body.existing_id], ['CONVERSATION_OPEN', another._id]);
  assert.equal(refused.body.errors[0].path, 'conversationId');
  assert.equal((await call(200, 'GET', `/v1/conversations/${conversation._id}`)).body.status, 'CLOSED');
});
