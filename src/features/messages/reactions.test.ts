/** Reactions that the company sends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import {
  listEventNames,
  listNetworkMessages,
  readMessage,
  reportStatuses,
  sendText,
  silenceNetwork,
  writeAsContact,
} from '../../../test/support/traffic.ts';
import { newId } from '../../platform/values/ids.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, database } = platform;

const PATH = '/v1/messages/send-content';
const write = (conversationId: string | undefined, message: string, emoji: string | null = '👍'): Json => ({
  conversationId,
  message: { contentType: 'REACTION', reaction: { message, emoji } },
});
const react = async (target: Json, emoji: string | null = '👍', key?: string): Promise<Json> =>
  (
    await call(201, 'POST', PATH, {
      body: write(target.conversation, target._id, emoji),
      ...(key !== undefined && { headers: { 'idempotency-key': key } }),
    })
  ).body;
const read = async (conversation: string): Promise<Json> =>
  (await call(200, 'GET', `/v1/conversations/${conversation}`)).body;
const refuse = async (body: Json, code: string, path: string): Promise<void> =>
  expectProblem(await call(400, 'POST', PATH, { body }), code, path);

test('a reaction is stored as a message, reaches the network once under an Idempotency-Key, and null removes it', async () => {
  const { message: target } = await writeAsContact(platform);
  const sent = await react(target, '❤️', 'one-reaction');
  assert.equal((await react(target, '❤️', 'one-reaction'))._id, sent._id);
  assert.deepEqual(
    [sent.contentType, sent.reaction, sent.reply_to, sent.status],
    ['REACTION', { message: target._id, emoji: '❤️' }, target._id, 'SENT'],
  );
  assert.deepEqual(await readMessage(platform, sent._id), sent);
  assert.deepEqual(await listEventNames(platform, sent._id), ['MESSAGE_SENT']);
  const removed = await react(target, null);
  assert.deepEqual(removed.reaction, { message: target._id, emoji: null });
  const bodies = await Promise.all([sent, removed].map(({ _id }) => listNetworkMessages(platform, _id)));
  assert.deepEqual(
    bodies.map((each) => each.map(({ body: { type, reaction, context } }) => ({ type, reaction, context }))),
    ['❤️', ''].map((emoji) => [
      { type: 'reaction', reaction: { message_id: target.external_id, emoji }, context: undefined },
    ]),
  );
  const { body: log } = await call(200, 'GET', `/v1/audit?resource=${sent._id}`);
  assert.deepEqual(
    log.result.map(({ action }: Json) => action),
    ['messages.create'],
  );
});

test('a reaction of the company reopens nothing, answers nothing, takes nothing over and is not the last message', async () => {
  const { message: target, conversation } = await writeAsContact(platform, { text: 'Obrigada!' });
  const { _id: agent } = (
    await call(201, 'POST', '/v1/agents', { body: { name: 'Bia', type: 'AI', instructions: 'Reply.' } })
  ).body;
  await call(200, 'PATCH', `/v1/conversations/${conversation._id}`, { body: { agent, handled_by: 'AI' } });
  const user = await platform.createUser(platform.demo._id, 'OPERATOR');
  const reactAsUser = async (): Promise<Json> =>
    (await call(201, 'POST', PATH, { key: user.token, body: write(conversation._id, target._id) })).body;
  for (const status of ['OPEN', 'CLOSED']) {
    await call(200, 'PATCH', `/v1/conversations/${conversation._id}`, { body: { status } });
    const before = await read(conversation._id);
    assert.equal((await reactAsUser()).status, 'SENT');
    assert.deepEqual(await read(conversation._id), before);
    assert.deepEqual([before.status, before.handled_by, before.unread_count], [status, 'AI', 1]);
    assert.equal(before.last_message._id, target._id);
  }
});

test('a message that the contact does not have cannot be reacted to, and the field is named', async () => {
  const { message: target, conversation } = await writeAsContact(platform);
  const own = 'message.reaction.message';
  const id = conversation._id;
  const { body: note } = await call(201, 'POST', '/v1/messages/note', {
    body: { conversationId: id, message: { content: 'Ours' } },
  });
  await refuse(write(id, note._id), 'VALIDATION_FAILED', own);
  await refuse(write(id, (await react(target))._id), 'VALIDATION_FAILED', own);
  const failed = await sendText(platform, id);
  await reportStatuses(platform, { id: failed.external_id, status: 'failed', errors: [{ code: 131026 }] });
  await refuse(write(id, failed._id), 'VALIDATION_FAILED', own);
  const unknown = await sendText(platform, id);
  await database.sql(`update messages set status = 'QUEUED', external_id = null where _id = $1`, [unknown._id]);
  await refuse(write(id, unknown._id), 'VALIDATION_FAILED', own);
  const { message: elsewhere } = await writeAsContact(platform);
  for (const each of [elsewhere._id, newId()]) await refuse(write(id, each), 'UNKNOWN_REFERENCE', own);
  await refuse(write(undefined, target._id), 'VALIDATION_FAILED', 'conversationId');
  await database.sql('update messages set revoked_at = now() where _id = $1', [target._id]);
  await refuse(write(id, target._id), 'VALIDATION_FAILED', own);
});

test('after the 24-hour window a reaction is FAILED like any message', async () => {
  const { message: target, conversation } = await writeAsContact(platform);
  await database.sql('update conversations set window_expires_at = now() where _id = $1', [conversation._id]);
  const { status, errors } = await react(target);
  assert.deepEqual([status, errors[0].code], ['FAILED', 'WINDOW_EXPIRED']);
});
