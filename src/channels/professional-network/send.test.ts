/** What the company sends to the network, how its outcome becomes known, and how quickly an account may send. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uploadFile } from '../../../test/support/attachments.ts';
import { awaitConnection, awaitStatus } from '../../../test/support/gateway.ts';
import { makeJpg } from '../../../test/support/media-samples.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import {
  connectAccount,
  listNetworkCalls,
  refillBuckets,
  reportAbout,
  setNetwork,
  silenceAccounts,
  writeAs,
} from '../../../test/support/professional-network.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { listEventNames, sendText } from '../../../test/support/traffic.ts';

const platform = await startPlatform({ env: { NETWORK_SENDS_PER_DAY: '40' } });
await silenceAccounts(platform);
const account = await connectAccount(platform);
const { call } = platform;
const instance = { name: '', apiKey: '', ...account };

const setFaults = (faults: Json): Promise<Json> => setNetwork(platform, { faults });
const read = async (id: string): Promise<Json> => (await call(200, 'GET', `/v1/messages/${id}`)).body;
const listMessages = async (conversation: string): Promise<Json[]> =>
  (await call(200, 'GET', `/v1/messages/conversation/${conversation}`)).body.result;

/** Adds a profile to the network, and returns a conversation with the contact who has only its name. */
async function openWith(name: string): Promise<{ conversation: string; provider: string }> {
  await refillBuckets(platform, account);
  const profile = { public_identifier: name, name };
  const { provider_id: provider } = await platform.sandbox('POST', '/sandbox/network/profiles', profile);
  const contact = { name, professional_network_identifier: name };
  const { body } = await call(201, 'POST', '/v1/contacts', { body: contact });
  const opened = { inbox: account.inbox, contact: body._id };
  const { body: conversation } = await call(201, 'POST', '/v1/conversations', { body: opened });
  return { conversation: conversation._id, provider };
}

test('a first message resolves the profile and starts a chat, and the next one goes into that chat', async () => {
  const { conversation, provider } = await openWith('bruno-dias');
  const first = await sendText(platform, conversation, { content: 'Bom dia! 👋' });
  assert.deepEqual([first.status, first.channel], ['SENT', 'PROFESSIONAL_NETWORK']);
  const [start, ...more] = await listNetworkCalls(platform, /^POST chats$/);
  assert.deepEqual(more, []);
  assert.deepEqual(start?.body, { account_id: account.id, attendees_ids: provider, text: 'Bom dia! 👋' });
  await sendText(platform, conversation, { content: 'Outra', replyTo: first._id });
  const [next] = await listNetworkCalls(platform, /^POST chats\/.+\/messages$/);
  assert.deepEqual(next?.body, { quote_id: first.external_id, text: 'Outra' });
  const [resolved, ...again] = await listNetworkCalls(platform, /^GET users\/bruno-dias$/);
  assert.deepEqual([resolved?.query, again], [{ account_id: account.id }, []]);
  assert.deepEqual(await listEventNames(platform, first._id), ['MESSAGE_SENT']);
});

test('the answer of the person whom a first message reached joins its conversation', async () => {
  const { conversation } = await openWith('paula-reis');
  await sendText(platform, conversation, { content: 'Olá' });
  const answered = await writeAs(platform, account, {
    from: 'paula-reis',
    text: 'Oi',
    more: {
      sender: {
        attendee_provider_id: 'ACoAAnewIdOfPaulaReisnewIdOfPaula00001',
        attendee_public_identifier: 'paula-reis',
      },
    },
  });
  assert.equal(answered.conversation, conversation);
});

test('a file travels in the form of its message, with its name and caption', async () => {
  const { conversation } = await writeAs(platform, account, { from: 'hugo' });
  const picture = makeJpg();
  const { _id } = await uploadFile(platform, { data: picture, name: 'cor.jpg' });
  const message = { attachment: _id, content: 'A cor' };
  const { body: sent } = await call(201, 'POST', '/v1/messages/send-image', {
    body: { conversationId: conversation, message },
  });
  assert.equal(sent.status, 'SENT');
  const form = (await listNetworkCalls(platform, /^POST chats\/.+\/messages$/)).at(-1)?.body;
  assert.deepEqual(form, {
    text: 'A cor',
    attachments: { name: 'cor.jpg', type: 'image/jpeg', size: picture.length },
  });
});

test('a failure that is reported makes a message FAILED with its words, without MESSAGE_FAILED', async () => {
  const { conversation } = await writeAs(platform, account, { from: 'joana' });
  const sent = await sendText(platform, conversation);
  await reportAbout(platform, sent.external_id, 'message_failed', { error: { type: 'errors/blocked', title: 'No' } });
  const { status, errors } = await read(sent._id);
  assert.deepEqual([status, errors[0].code], ['FAILED', 'errors/blocked']);
  assert.deepEqual(await listEventNames(platform, sent._id), ['MESSAGE_SENT']);
});

test('a message is never doubled by the report of its own send, even if that arrives before the answer', async () => {
  await setNetwork(platform, { echo_first: true, duplicates: 1 });
  const { conversation } = await openWith('kaua-melo');
  const started = await sendText(platform, conversation, { content: 'um' });
  const inChat = await sendText(platform, conversation, { content: 'dois' });
  const { _id } = await uploadFile(platform, { data: makeJpg(), name: 'a.jpg' });
  const { body: picture } = await call(201, 'POST', '/v1/messages/send-image', {
    body: { conversationId: conversation, message: { attachment: _id } },
  });
  await setNetwork(platform, { echo_first: false, duplicates: 0 });
  assert.deepEqual([started.status, inChat.status, picture.status], ['SENT', 'SENT', 'SENT']);
  assert.equal((await listMessages(conversation)).length, 3);
  assert.deepEqual(await listEventNames(platform, inChat._id), ['MESSAGE_SENT']);
});

test('a reaction reaches its message, is stored once whenever it is reported, and cannot be taken back', async () => {
  const target = await writeAs(platform, account, { from: 'livia' });
  const react = async (emoji: string | null, status = 201): Promise<Json> => {
    await refillBuckets(platform, account);
    const message = { contentType: 'REACTION', reaction: { message: target._id, emoji } };
    const body = { conversationId: target.conversation, message };
    return call(status, 'POST', '/v1/messages/send-content', { body });
  };
  expectProblem(await react(null, 400), 'VALIDATION_FAILED', 'message.reaction.emoji');
  await setNetwork(platform, { echo_first: true, duplicates: 1 });
  const { body: early } = await react('👍');
  await setNetwork(platform, { echo_first: false, duplicates: 0 });
  const { body: late } = await react('🎉');
  await setFaults({ reaction: [{ kind: 'reset_after_accept' }] });
  const { body: unknown } = await react('🙏');
  assert.deepEqual([early.status, late.status, unknown.status], ['SENT', 'SENT', 'QUEUED']);
  await awaitStatus(platform, instance, unknown._id, 'SENT');
  // The network has the reaction already.
  assert.equal((await react('👍')).body.status, 'SENT');
  const calls = await listNetworkCalls(platform, /^POST messages\/.+\/reaction$/);
  assert.deepEqual(
    calls.map(({ call: path, body }) => [path, body]),
    ['👍', '🎉', '🙏', '👍'].map((reaction) => [`POST messages/${target.external_id}/reaction`, { reaction }]),
  );
  const reactions = (await listMessages(target.conversation)).filter(({ contentType }) => contentType === 'REACTION');
  assert.equal(reactions.length, 4);
  await setFaults({ reaction: [{ code: 422, message: 'action_not_allowed' }] });
  const { body: refused } = await react('😂');
  assert.deepEqual([refused.status, refused.errors[0].code], ['FAILED', 'errors/action_not_allowed']);
});

test('a message whose outcome is unknown stays QUEUED, is never sent again, and is settled by the report of its send', async () => {
  const { conversation } = await writeAs(platform, account, { from: 'lara' });
  const faults = [
    { kind: 'reset_after_accept' },
    { kind: 'http_500' },
    { code: 500, message: 'unexpected_error' },
    { kind: 'not_json' },
  ];
  for (const [index, fault] of faults.entries()) {
    await refillBuckets(platform, account);
    await setFaults({ messages: [fault] });
    const before = (await listNetworkCalls(platform, /messages$/)).length;
    const sent = await sendText(platform, conversation, { content: `text ${index}` });
    assert.equal(sent.status, 'QUEUED', JSON.stringify(fault));
    const after = (await listNetworkCalls(platform, /messages$/)).length;
    assert.ok(after - before <= 1);
    const told = await writeAs(platform, account, { from: 'lara', is_sender: true, text: `text ${index}` });
    assert.equal(told._id, sent._id);
    await awaitStatus(platform, instance, sent._id, 'SENT');
  }
});

test('a report settles a message of an operator, whose name stands plain before the words', async () => {
  const { conversation } = await writeAs(platform, account, { from: 'lia' });
  await setFaults({ messages: [{ kind: 'reset_after_accept' }, { kind: 'reset_after_accept' }] });
  const { token } = await platform.createUser(platform.demo._id, 'OPERATOR', 'Ana Sá');
  const byKey = await sendText(platform, conversation, { content: 'Já vou' });
  const byUser = await sendText(platform, conversation, { content: 'Já vou', key: token });
  assert.deepEqual([byKey.status, byUser.status], ['QUEUED', 'QUEUED']);
  const told = await writeAs(platform, account, { from: 'lia', is_sender: true, text: 'Ana Sá\nJá vou' });
  assert.equal(told._id, byUser._id);
});

test('a text from another device settles no message of an operator, although its words after the first line are the same', async () => {
  const { conversation } = await writeAs(platform, account, { from: 'rita' });
  await setFaults({ messages: [{ kind: 'reset_after_accept' }] });
  const { token } = await platform.createUser(platform.demo._id, 'OPERATOR', 'Ana Sá');
  const sent = await sendText(platform, conversation, { content: 'Já vou', key: token });
  const written = await writeAs(platform, account, { from: 'rita', is_sender: true, text: 'Bom dia, Rita\nJá vou' });
  assert.deepEqual([written.is_echo, written.conversation], [true, conversation]);
  assert.equal((await read(sent._id)).status, 'QUEUED');
  const told = await writeAs(platform, account, { from: 'rita', is_sender: true, text: 'Ana Sá\nJá vou' });
  assert.equal(told._id, sent._id);
});

test('an answer without the id of the message leaves the outcome to the report', async () => {
  const { conversation } = await openWith('mario-luz');
  await setNetwork(platform, { without_ids: true, event_delays_ms: { message_received: 50 } });
  const sent = await sendText(platform, conversation, { content: 'Sem id' });
  assert.equal((await awaitStatus(platform, instance, sent._id, 'SENT')).content, 'Sem id');
  await setNetwork(platform, { without_ids: false, event_delays_ms: { message_received: null } });
  assert.equal((await listMessages(conversation)).length, 1);
});

test('a refusal is FAILED with the words of the gateway, and nothing is started for a person whom the network does not have', async () => {
  const { conversation } = await openWith('nuno-paz');
  await setFaults({ users: [{ code: 422, message: 'invalid_recipient' }] });
  const unknown = await sendText(platform, conversation);
  assert.deepEqual([unknown.status, unknown.errors[0].code], ['FAILED', 'errors/invalid_recipient']);
  await setFaults({ users: [{ kind: 'http_500' }] });
  const unresolved = await sendText(platform, conversation);
  assert.deepEqual([unresolved.status, unresolved.errors[0].code], ['FAILED', 'PROVIDER_UNREACHABLE']);
  await setFaults({ chats: [{ code: 422, message: 'no_connection_with_recipient' }] });
  const refused = await sendText(platform, conversation);
  assert.deepEqual([refused.status, refused.errors[0].code], ['FAILED', 'errors/no_connection_with_recipient']);
  assert.equal(refused.failure_reason, undefined);
});

test('a chat that the network does not have any more is started again', async () => {
  const { conversation } = await writeAs(platform, account, { from: 'olga' });
  await setFaults({ messages: [{ code: 404, message: 'resource_not_found' }] });
  assert.equal((await sendText(platform, conversation)).status, 'SENT');
});

test('an account sends a few messages at once and then one in 10 to 20 seconds; more are FAILED and never leave', async () => {
  const { conversation } = await writeAs(platform, account, { from: 'pedro' });
  await refillBuckets(platform, account);
  const before = (await listNetworkCalls(platform, /messages$/)).length;
  const sent = await Promise.all(Array.from({ length: 9 }, () => sendText(platform, conversation)));
  const failed = sent.filter(({ status }) => status === 'FAILED');
  assert.ok(failed.length >= 2 && failed.length <= 5, String(failed.length));
  for (const { errors } of failed) assert.equal(errors[0].code, 'RATE_LIMITED');
  assert.equal((await listNetworkCalls(platform, /messages$/)).length - before, sent.length - failed.length);
  const other = await connectAccount(platform);
  const { conversation: elsewhere } = await writeAs(platform, other, { from: 'pedro' });
  assert.equal((await sendText(platform, elsewhere)).status, 'SENT', 'another account has its own buckets');
});

test('an account that has sent its share of the day sends no more, whatever its pace', async () => {
  const own = await connectAccount(platform);
  const { conversation } = await writeAs(platform, own, { from: 'quim' });
  for (let index = 0; index < 20; index += 1) {
    await platform.database.sql("update send_paces set next_at = now() where lane like 'account %'");
    assert.equal((await sendText(platform, conversation)).status, 'SENT');
  }
  await platform.database.sql("update send_paces set next_at = now() where lane like 'account %'");
  const over = await sendText(platform, conversation);
  assert.deepEqual([over.status, over.errors[0].code], ['FAILED', 'DAILY_LIMIT']);
});

test('after a refusal because of a rate limit the account pauses, and the message is not sent again', async () => {
  const own = await connectAccount(platform);
  const { conversation } = await writeAs(platform, own, { from: 'rita' });
  await setFaults({ messages: [{ code: 429, message: 'too_many_requests' }] });
  const refused = await sendText(platform, conversation);
  assert.deepEqual([refused.status, refused.errors[0].code], ['FAILED', 'errors/too_many_requests']);
  const paused = await sendText(platform, conversation);
  assert.deepEqual([paused.status, paused.errors[0].code], ['FAILED', 'RATE_LIMITED']);
});

test('an account that the network has signed out is in ERROR, and its messages are FAILED', async () => {
  const own = await connectAccount(platform);
  const { conversation } = await writeAs(platform, own, { from: 'sara' });
  await setFaults({ messages: [{ code: 401, message: 'disconnected_account' }] });
  assert.equal((await sendText(platform, conversation)).status, 'FAILED');
  await awaitConnection(platform, { name: '', apiKey: '', ...own }, 'ERROR');
});

test('a conversation that is read is marked as read at the network', async () => {
  const { markRead } = platform.running.kit.channels.get('PROFESSIONAL_NETWORK');
  const heard = await writeAs(platform, account, { from: 'tiago' });
  await markRead?.(
    { externalId: heard.external_id, person: { names: [] } },
    { account_id: account.id },
    AbortSignal.timeout(600_000),
  );
  assert.equal((await listNetworkCalls(platform, /^PATCH chats\//)).at(-1)?.body.action, 'setReadStatus');
});

test('a message in test mode leaves only for people whom the inbox names, by any of their names', async () => {
  const own = await connectAccount(platform);
  const { conversation } = await writeAs(platform, own, { from: 'ulisses' });
  const setTest = (names: string[]): Promise<unknown> =>
    call(200, 'PUT', `/v1/inboxes/${own.inbox}`, { body: { test_mode: { enabled: true, test_numbers: names } } });
  await setTest(['somebody-else']);
  assert.equal((await sendText(platform, conversation)).errors[0].code, 'TEST_MODE_BLOCKED');
  await setTest(['ulisses']);
  assert.equal((await sendText(platform, conversation)).status, 'SENT');
});
