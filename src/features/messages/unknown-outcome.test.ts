import assert from 'node:assert/strict';
import { test } from 'node:test';
import { giveUpUnknownOutcomes } from '../inbound/upkeep.ts';
import {
  connectPhone,
  makePhoneNumber,
  buildNotification,
  openNetwork,
  secondsAgo,
  makeMessageId,
} from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import {
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
const { database } = platform;

interface Sending {
  conversation: string;
  answer: Promise<Json>;
  tookMs: Promise<number>;
}

type Fault = 'hang' | 'hang_after_accept' | 'reset' | 'reset_after_accept' | 'http_500' | 'not_json';

// Each fault happens once, so a message that is wrongly sent a second time would be accepted, and the test would notice it.
const CASES: Record<string, Fault> = {
  lost: 'hang',
  givenUp: 'hang',
  settled: 'hang_after_accept',
  overtaken: 'hang_after_accept',
  cut: 'reset',
  cutAfter: 'reset_after_accept',
  broken: 'http_500',
  garbled: 'not_json',
};

/** Sends all messages at the same moment, because a call that hangs takes ten seconds. */
async function sendAll(): Promise<Record<string, Sending>> {
  const people = await Promise.all(
    Object.entries(CASES).map(async ([name, kind]) => {
      const from = makePhoneNumber();
      const { conversation } = await writeAsContact(platform, { from });
      return { name, conversation: conversation._id as string, fault: { kind, to: from } };
    }),
  );
  await platform.sandbox('PUT', '/sandbox/settings', { faults: { send: people.map(({ fault }) => fault) } });
  const sendings = people.map(({ name, conversation }): [string, Sending] => {
    const startedMs = performance.now();
    const answer = sendText(platform, conversation);
    return [name, { conversation, answer, tookMs: answer.then(() => performance.now() - startedMs) }];
  });
  return Object.fromEntries(sendings);
}

const sendings = await sendAll();

function sending(name: keyof typeof CASES): Sending {
  const found = sendings[name];
  assert.ok(found);
  return found;
}

async function expectQueued(name: string): Promise<Json> {
  const message = await sending(name).answer;
  assert.deepEqual(
    [message.status, message.errors, message.external_id, message.failed_at],
    ['QUEUED', [], null, null],
  );
  assert.equal('failure_reason' in message, false);
  assert.deepEqual(await listEventNames(platform, message._id), []);
  return message;
}

async function age(messageId: string, interval: string): Promise<void> {
  await database.sql('update messages set created_at = now() - $2::interval where _id = $1', [messageId, interval]);
  await giveUpUnknownOutcomes(platform.running.kit);
}

test("when a status arrives before the network's answer, the send answers with the message as the status left it", async () => {
  const { conversation, answer } = sending('overtaken');
  const row = await waitUntil('the message at the network', async () => {
    const [message] = await database.sql<{ _id: string; status: string }>(
      `select _id, status from messages where conversation_id = $1 and message_type = 'OUTGOING'`,
      [conversation],
    );
    const [wire] = message ? await listNetworkMessages(platform, message._id) : [];
    return message && wire && { ...message, external_id: wire.id as string };
  });
  assert.equal(row.status, 'QUEUED', 'stored before anything leaves');
  await reportStatuses(platform, { id: row.external_id, status: 'delivered', biz_opaque_callback_data: row._id });
  const settled = await readMessage(platform, row._id);
  assert.deepEqual([settled.status, settled.external_id], ['DELIVERED', row.external_id]);
  assert.deepEqual(await answer, settled);
  assert.deepEqual(await listEventNames(platform, row._id), ['MESSAGE_SENT', 'MESSAGE_DELIVERED']);
});

for (const name of ['cut', 'cutAfter', 'broken', 'garbled']) {
  test(`a call that ends in ${CASES[name]} is 201 QUEUED before one that hangs`, async () => {
    await expectQueued(name);
    // Both calls began at the same moment.
    assert.ok((await sending(name).tookMs) < (await sending('lost').tookMs));
  });
}

test("a message without an answer becomes SENT by a later status, with the network's id and one MESSAGE_SENT", async () => {
  const message = await expectQueued('settled');
  const [wire] = await listNetworkMessages(platform, message._id);
  const news = { id: wire.id, status: 'sent', biz_opaque_callback_data: message._id };
  for (const _ of [1, 2]) await reportStatuses(platform, news);
  const settled = await readMessage(platform, message._id);
  assert.deepEqual([settled.status, settled.external_id], ['SENT', wire.id]);
  assert.notEqual(settled.sent_at, null);
  await reportStatuses(platform, { id: wire.id, status: 'delivered' });
  assert.deepEqual(await listEventNames(platform, message._id), ['MESSAGE_SENT', 'MESSAGE_DELIVERED']);
});

test('a message without an answer becomes FAILED by a later status, and emits MESSAGE_SENT and MESSAGE_FAILED', async () => {
  const message = await expectQueued('cutAfter');
  const [wire] = await listNetworkMessages(platform, message._id);
  const errors = [{ code: 131047, title: 'Re-engagement message' }];
  await reportStatuses(platform, { id: wire.id, status: 'failed', biz_opaque_callback_data: message._id, errors });
  const failed = await readMessage(platform, message._id);
  assert.deepEqual([failed.status, failed.failure_reason.code], ['FAILED', 131047]);
  const { failure_reason: _reason, ...unexplained } = failed;
  assert.deepEqual(await readEvents(platform, message._id), [
    { event: 'MESSAGE_SENT', data: { ...unexplained, status: 'SENT', errors: [], failed_at: null } },
    { event: 'MESSAGE_FAILED', data: { ...failed, errors: [] } },
  ]);
});

test('a status that returns our message id changes only a message of the same inbox', async () => {
  const message = await expectQueued('garbled');
  const phone = await connectPhone(platform);
  const network = await openNetwork(platform);
  const status = { id: makeMessageId(), status: 'delivered', timestamp: secondsAgo(0) };
  const statuses = [{ ...status, biz_opaque_callback_data: message._id }];
  await network.post(200, buildNotification({ phone, value: { statuses } }));
  assert.deepEqual(await readMessage(platform, message._id), message);
});

test('a message with an unknown outcome stays QUEUED for 24 hours and then becomes FAILED with PROVIDER_UNREACHABLE, without an event, and a later status corrects it', async () => {
  const { _id } = await expectQueued('givenUp');
  await age(_id, '23 hours 59 minutes');
  assert.equal((await readMessage(platform, _id)).status, 'QUEUED');
  await age(_id, '24 hours 1 second');
  const failed = await readMessage(platform, _id);
  assert.equal(failed.status, 'FAILED');
  assert.deepEqual(
    failed.errors.map((error: Json) => error.code),
    ['PROVIDER_UNREACHABLE'],
  );
  assert.equal('failure_reason' in failed, false);
  assert.notEqual(failed.failed_at, null);
  assert.deepEqual(await listEventNames(platform, _id), []);
  await reportStatuses(platform, { id: 'wamid.late', status: 'read', biz_opaque_callback_data: _id });
  const read = await readMessage(platform, _id);
  assert.deepEqual([read.status, read.errors, read.failed_at, read.external_id], ['READ', [], null, 'wamid.late']);
  assert.deepEqual(await readEvents(platform, _id), [
    { event: 'MESSAGE_SENT', data: { ...read, status: 'SENT', read_at: null } },
    { event: 'MESSAGE_READ', data: read },
  ]);
});

test('the job that ends messages with an unknown outcome runs every five minutes', async () => {
  const rows = await database.sql(`select cron from pgboss.schedule where name = 'inbound.give-up-unknown'`);
  assert.deepEqual(rows, [{ cron: '*/5 * * * *' }]);
});

test('a message that became FAILED after 24 hours gets the cause that the network reports later, and stays FAILED', async () => {
  const { _id } = await expectQueued('broken');
  await age(_id, '2 days');
  const errors = [{ code: 131026, title: 'Message undeliverable' }];
  await reportStatuses(platform, { id: 'wamid.late-2', status: 'failed', biz_opaque_callback_data: _id, errors });
  await reportStatuses(platform, { id: 'wamid.late-2', status: 'delivered' });
  const failed = await readMessage(platform, _id);
  assert.deepEqual([failed.status, failed.errors[0].code, failed.failure_reason.code], ['FAILED', 131026, 131026]);
  assert.deepEqual(await listEventNames(platform, _id), ['MESSAGE_SENT', 'MESSAGE_FAILED']);
});

test('a message that the network refused is not changed by a later status', async () => {
  const { conversation } = await writeAsContact(platform);
  await platform.sandbox('PUT', '/sandbox/settings', { faults: { send: [{ code: 131026 }] } });
  const refused = await sendText(platform, conversation._id);
  await reportStatuses(platform, { id: 'wamid.odd', status: 'delivered', biz_opaque_callback_data: refused._id });
  const after = await readMessage(platform, refused._id);
  assert.deepEqual([after.status, after.errors], ['FAILED', refused.errors]);
  assert.deepEqual(await readEvents(platform, refused._id), []);
});

test('no message with an unknown outcome is ever sent a second time', async () => {
  for (const name of Object.keys(CASES)) {
    const { _id } = await sending(name).answer;
    const accepted = ['settled', 'overtaken', 'cutAfter', 'garbled'].includes(name);
    assert.equal((await listNetworkMessages(platform, _id)).length, accepted ? 1 : 0, name);
  }
});
