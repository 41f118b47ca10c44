/** Clients of the Evolution API can ask that messages are marked as read on the network when they arrive. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectInstance, listCalls, silenceGateway, writeThrough } from '../../../test/support/gateway.ts';
import {
  buildMessageNotification,
  buildNotification,
  connectPhone,
  fillMessage,
  findStoredMessage,
  makeMessageId,
  makePhoneNumber,
  openNetwork,
} from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const platform = await startPlatform();
await silenceGateway(platform);
const network = await openNetwork(platform);
const { call, database, demo } = platform;
const instance = await connectInstance(platform);
const phone = await connectPhone(platform);
for (const { inbox } of [instance, phone]) await setReading(inbox);

async function setReading(inbox: string, apikey = demo.key): Promise<void> {
  const headers = { apikey };
  await call(201, 'POST', `/evolution/settings/set/${inbox}`, { key: null, headers, body: { readMessages: true } });
}

const findUnread = async ({ conversation }: Json): Promise<number> =>
  (await call(200, 'GET', `/v1/conversations/${conversation}`)).body.unread_count;
const listMarked = async (): Promise<string[]> => {
  const marks = await listCalls(platform, instance, 'chat/markMessageAsRead');
  return marks.flatMap(({ readMessages }) => readMessages.map(({ id }: Json) => id));
};
/** Counts the jobs for a read mark, which are in the database as soon as the callback is answered. */
const countMarks = async ({ conversation }: Json): Promise<number> => {
  const text = `select 1 from pgboss.job where name = 'conversations.mark-read' and data->>'conversation' = $1`;
  return (await database.sql(text, [conversation])).length;
};

test('with readMessages, a message is marked as read on the network once, however often the network repeats it, and stays unread for the team', async () => {
  const from = makePhoneNumber();
  const message = await writeThrough(platform, instance, { from });
  await waitUntil('the mark', async () => (await listMarked()).length > 0);
  await writeThrough(platform, instance, { from, id: message.external_id });
  assert.equal(await countMarks(message), 1);
  assert.deepEqual(await listMarked(), [message.external_id]);
  assert.equal(await findUnread(message), 1);
});

test('without readMessages, messages are not marked as read when they arrive', async () => {
  const message = await writeThrough(platform, await connectInstance(platform));
  assert.equal(await countMarks(message), 0);
});

test('with readMessages, the messages of a conversation in one callback get one mark', async () => {
  const [from, id] = [makePhoneNumber(), makeMessageId()];
  await network.post(200, buildMessageNotification(phone, { from }, { from, id }));
  assert.equal(await countMarks(await findStoredMessage(platform, phone, id)), 1);
});

test('with readMessages, reactions, messages of the business and the history are not marked', async () => {
  const update = { event: 'ACCOUNT_RECONNECTED', metadata: undefined };
  await network.post(200, buildNotification({ phone, field: 'account_update', value: update }));
  const report = async (contact: string, field: string, message: Json, wrap: (filled: Json) => Json): Promise<void> => {
    const id = makeMessageId();
    const value = wrap(fillMessage({ ...message, id }));
    await network.post(200, buildNotification({ phone, field, value }));
    assert.equal(await countMarks(await findStoredMessage(platform, phone, id)), 0, `${contact}: ${field}`);
  };
  const [old, echoed] = [makePhoneNumber(), makePhoneNumber()];
  await report(old, 'history', { from: old }, (message) => ({
    history: [{ metadata: { phase: 0, chunk_order: 1, progress: 50 }, threads: [{ id: old, messages: [message] }] }],
  }));
  await report(echoed, 'smb_message_echoes', { from: '551133334444', to: echoed }, (message) => ({
    message_echoes: [message],
  }));
  const reaction = { message_id: makeMessageId(), emoji: '👍' };
  await report(echoed, 'messages', { from: echoed, type: 'reaction', reaction }, (message) => ({
    messages: [message],
  }));
});

test('messages for a suspended company are not marked as read', async () => {
  const company = await platform.createCompany('Suspended');
  const suspended = await connectPhone(platform, { company });
  await setReading(suspended.inbox, company.key);
  const setStatus = (status: string) =>
    call(200, 'PATCH', `/v1/companies/${company._id}`, { key: platform.globalKey, body: { status } });
  await setStatus('SUSPENDED');
  const id = makeMessageId();
  await network.post(200, buildMessageNotification(suspended, { from: makePhoneNumber(), id }));
  await setStatus('ACTIVE');
  assert.equal(await countMarks(await findStoredMessage(platform, suspended, id)), 0);
});
