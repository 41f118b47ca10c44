/** How long a contact waits for an answer, and how urgent a conversation is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertConversations } from '../../../test/support/conversation-runs.ts';
import { openLive } from '../../../test/support/live.ts';
import { makePhoneNumber, waitUntilCopied } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { postForm } from '../../../test/support/sheets.ts';
import { listEventNames, sendText, silenceNetwork, writeAsContact } from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
await waitUntilCopied(platform, platform.demo.inbox);
const { call, database, demo } = platform;

const pathTo = (id: string): string => `/v1/conversations/${id}`;
const read = async (id: string): Promise<Json> => (await call(200, 'GET', pathTo(id))).body;
const template = { templateName: 'hello_world', languageCode: 'pt_BR' };

test('a contact waits from the first message that no one has answered until a user or a key answers it', async () => {
  const from = makePhoneNumber();
  const first = await writeAsContact(platform, { from });
  const { _id } = first.conversation;
  await database.sql(`update conversations set waiting_since = '2026-01-01T10:00:00Z' where _id = $1`, [_id]);
  await writeAsContact(platform, { from });
  assert.equal((await read(_id)).waiting_since, '2026-01-01T10:00:00.000Z');
  await call(200, 'PUT', `${pathTo(_id)}/read`);
  await call(201, 'POST', '/v1/messages/note', { body: { conversationId: _id, message: { content: 'Call her' } } });
  assert.equal((await read(_id)).waiting_since, '2026-01-01T10:00:00.000Z');
  const operator = await platform.createUser(demo._id, 'OPERATOR');
  for (const key of [operator.token, demo.key]) {
    await sendText(platform, _id, { key });
    assert.equal((await read(_id)).waiting_since, null);
    const { message } = await writeAsContact(platform, { from });
    assert.equal((await read(_id)).waiting_since, message.sent_at);
  }
});

test('what a blocked contact writes is stored, is not unread, waits for no one, ends no snooze and notifies no one', async () => {
  const from = makePhoneNumber();
  const { conversation, contact } = await writeAsContact(platform, { from });
  const { _id: owner, token } = await platform.createUser(demo._id, 'OPERATOR');
  const snoozed_until = new Date(Date.now() + 3_600_000).toISOString();
  await call(200, 'PATCH', pathTo(conversation._id), { body: { owner, status: 'SNOOZED', snoozed_until } });
  await call(200, 'PUT', `${pathTo(conversation._id)}/read`);
  await sendText(platform, conversation._id);
  const write = async (text: string): Promise<unknown[]> => {
    const { message } = await writeAsContact(platform, { from, text });
    const { status, unread_count, waiting_since, last_message } = await read(conversation._id);
    assert.equal(last_message._id, message._id);
    const { result } = (await call(200, 'GET', '/v1/notifications?kind=REPLIED', { key: token })).body;
    return [status, unread_count, waiting_since !== null, result.length];
  };
  await call(200, 'PATCH', `/v1/contacts/${contact._id}`, { body: { blocked: true } });
  assert.deepEqual(await write('Buy now!'), ['SNOOZED', 0, false, 0]);
  await call(200, 'PATCH', `/v1/contacts/${contact._id}`, { body: { blocked: false } });
  assert.deepEqual(await write('Sorry'), ['OPEN', 1, true, 1]);
});

test('a bulk send and a campaign answer no one', async () => {
  const from = makePhoneNumber();
  const { conversation } = await writeAsContact(platform, { from });
  assert.ok(conversation.waiting_since);
  const form = { inboxId: demo.inbox, ...template, contacts: JSON.stringify([{ phone: from }]) };
  const all = { ...form, send_to_active_conversations: 'true' };
  const { body: run } = await postForm(platform, [201, '/v1/messages/send-bulk-template'], all);
  assert.equal(run.sentContacts.length, 1);
  const body = {
    name: 'Spring',
    inbox: demo.inbox,
    steps: [{ template: { name: template.templateName, language: template.languageCode } }],
    send_to_active_conversations: true,
  };
  const { _id } = (await call(201, 'POST', '/v1/campaigns', { body })).body;
  await call(201, 'POST', `/v1/campaigns/${_id}/enrollments`, { body: { contacts: [{ phone: from }] } });
  await call(201, 'POST', `/v1/campaigns/${_id}/start`);
  await waitUntil('the campaign to write', async () => (await read(conversation._id)).campaign === _id);
  const after = await waitUntil('the message of the campaign', async () => {
    const present = await read(conversation._id);
    return present.last_message.origin === 'CAMPAIGN' && present;
  });
  assert.equal(after.waiting_since, conversation.waiting_since);
});

test('no one waits in a closed conversation, and a message that the platform refuses answers no one', async () => {
  const { conversation } = await writeAsContact(platform);
  const { _id, contact } = conversation;
  await call(200, 'PATCH', `/v1/contacts/${contact}`, { body: { blocked: true } });
  const refused = await sendText(platform, _id);
  assert.equal(refused.status, 'FAILED');
  assert.equal((await read(_id)).waiting_since, conversation.waiting_since);
  for (const status of ['PENDING', 'CLOSED', 'OPEN']) {
    const { body } = await call(200, 'PATCH', pathTo(_id), { body: { status } });
    assert.equal(body.waiting_since, status === 'PENDING' ? conversation.waiting_since : null, status);
  }
});

test('a priority is set by a PATCH and by a bulk change, with the history, the event and the live record of any other field', async () => {
  const [one = '', two = ''] = await insertConversations(platform, { company: demo._id, inbox: demo.inbox }, 2);
  const live = await openLive(platform);
  const { body } = await call(200, 'PATCH', pathTo(one), { body: { priority: 'URGENT' } });
  assert.equal(body.priority, 'URGENT');
  const shown = await live.waitFor('conversation', ({ _id }) => _id === one);
  assert.equal(shown.priority, 'URGENT');
  await live.close();
  assert.deepEqual(await listEventNames(platform, one), ['CONVERSATION_UPDATED']);
  await call(200, 'PATCH', pathTo(one), { body: { priority: 'URGENT' } });
  assert.deepEqual(await listEventNames(platform, one), ['CONVERSATION_UPDATED']);
  const run = { ids: [one, two], change: { priority: 'LOW' } };
  await call(201, 'POST', '/v1/conversations/bulk', { body: run });
  for (const id of [one, two]) await waitUntil('the bulk change', async () => (await read(id)).priority === 'LOW');
  assert.equal((await call(200, 'PATCH', pathTo(one), { body: { priority: null } })).body.priority, null);
  const { result } = (await call(200, 'GET', `${pathTo(one)}/history?sort=createdAt`)).body;
  assert.deepEqual(
    result.map(({ changes: [{ field, from, to }] }: Json) => [field, from, to]),
    [
      ['priority', null, 'URGENT'],
      ['priority', 'URGENT', 'LOW'],
      ['priority', 'LOW', null],
    ],
  );
  const refused = await call(400, 'PATCH', pathTo(one), { body: { priority: 'high' } });
  expectProblem(refused, 'VALIDATION_FAILED', 'priority');
});
