import assert from 'node:assert/strict';
import { test } from 'node:test';
import { advance, type Life } from './lifecycle.ts';
import { readSeed } from '../../../test/full/harness/chance.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import {
  listEventNames,
  readEvents,
  writeAsContact,
  readMessage,
  reportStatuses,
  sendText,
  silenceNetwork,
} from '../../../test/support/traffic.ts';
import { createRandom } from '../../../test/support/random.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { sandbox } = platform;
const { conversation } = await writeAsContact(platform);

const send = (): Promise<Json> => sendText(platform, conversation._id);
const SENT: Life = {
  status: 'SENT',
  outcome_unknown: false,
  errors: [],
  failure_reason: null,
  sent_at: null,
  delivered_at: null,
  read_at: null,
  failed_at: null,
};
const iso = (seconds: number): string => new Date(seconds * 1000).toISOString();
// The network sends times in whole seconds.
const NOW = Math.floor(Date.now() / 1000) - 60;

test('the status `sent` sets an earlier sent_at, `delivered` and `read` change the status of the message, and their events have the format of the GET', async () => {
  const sent = await send();
  await reportStatuses(platform, { id: sent.external_id, status: 'sent', timestamp: NOW });
  const noted = await readMessage(platform, sent._id);
  assert.deepEqual({ status: noted.status, sent_at: noted.sent_at }, { status: 'SENT', sent_at: iso(NOW) });
  assert.deepEqual(await listEventNames(platform, sent._id), ['MESSAGE_SENT']);
  await reportStatuses(platform, { id: sent.external_id, status: 'delivered', timestamp: NOW + 1 });
  const delivered = await readMessage(platform, sent._id);
  assert.equal(delivered.status, 'DELIVERED');
  assert.equal(delivered.delivered_at, iso(NOW + 1));
  await reportStatuses(platform, { id: sent.external_id, status: 'read', timestamp: NOW + 2 });
  const read = await readMessage(platform, sent._id);
  assert.equal(read.status, 'READ');
  assert.equal(read.read_at, iso(NOW + 2));
  assert.deepEqual(await readEvents(platform, sent._id), [
    { event: 'MESSAGE_SENT', data: sent },
    { event: 'MESSAGE_DELIVERED', data: delivered },
    { event: 'MESSAGE_READ', data: read },
  ]);
});

test('repeated statuses emit one event and keep the first time', async () => {
  const sent = await send();
  for (const timestamp of [NOW, NOW, NOW + 5])
    await reportStatuses(platform, { id: sent.external_id, status: 'delivered', timestamp });
  assert.equal((await readMessage(platform, sent._id)).delivered_at, iso(NOW));
  assert.deepEqual(await listEventNames(platform, sent._id), ['MESSAGE_SENT', 'MESSAGE_DELIVERED']);
});

test('several statuses of one message in one notification emit one event each, with the message as it was at that step', async () => {
  const sent = await send();
  const id = sent.external_id;
  await reportStatuses(
    platform,
    { id, status: 'delivered', timestamp: NOW },
    { id, status: 'read', timestamp: NOW + 1 },
  );
  const steps = (await readEvents(platform, sent._id)).map(({ event, data }) => [event, data.status, data.read_at]);
  assert.deepEqual(steps, [
    ['MESSAGE_SENT', 'SENT', null],
    ['MESSAGE_DELIVERED', 'DELIVERED', null],
    ['MESSAGE_READ', 'READ', iso(NOW + 1)],
  ]);
});

const ERROR = {
  code: 131026,
  title: 'Message undeliverable',
  message: 'Message undeliverable',
  error_data: { details: 'The number is not on the network.' },
};
const CAUSE = { code: 131026, title: ERROR.title, message: ERROR.message, details: ERROR.error_data.details };
const REASON = {
  code: 131026,
  message: 'A mensagem não pôde ser entregue: o número não está na rede ou não pode recebê-la.',
};

test('a failure that the network reports emits MESSAGE_FAILED with failure_reason; the GET shows its errors, and the event those from before', async () => {
  const sent = await send();
  await reportStatuses(platform, { id: sent.external_id, status: 'failed', timestamp: NOW, errors: [ERROR] });
  const failed = await readMessage(platform, sent._id);
  assert.equal(failed.status, 'FAILED');
  assert.equal(failed.failed_at, iso(NOW));
  assert.deepEqual(failed.errors, [CAUSE]);
  assert.deepEqual(failed.failure_reason, REASON);
  const [, told, ...more] = await readEvents(platform, sent._id);
  assert.deepEqual(more, []);
  assert.deepEqual(told, { event: 'MESSAGE_FAILED', data: { ...failed, errors: [] } });
});

test('an unknown error code of the network is kept, with a general sentence in Portuguese', async () => {
  const sent = await send();
  await reportStatuses(platform, { id: sent.external_id, status: 'failed', errors: [{ code: 199999, title: 'New' }] });
  const { failure_reason, errors } = await readMessage(platform, sent._id);
  assert.equal(errors[0].code, 199999);
  assert.deepEqual(failure_reason, {
    code: 199999,
    message: 'A rede recusou a mensagem por um motivo que não informou em detalhe.',
  });
});

test('a status of an unknown message, or with an unknown state, is accepted and emits no event', async () => {
  const sent = await send();
  await reportStatuses(
    platform,
    { id: 'wamid.unknown', status: 'delivered' },
    { id: sent.external_id, status: 'pending' },
  );
  assert.deepEqual(await readMessage(platform, sent._id), sent);
  assert.deepEqual(await listEventNames(platform, sent._id), ['MESSAGE_SENT']);
});

test('random statuses in notifications of random sizes give each message the status that the same statuses one after the other give', async (t) => {
  const seed = readSeed();
  t.diagnostic(`SEED=${seed}`);
  const random = createRandom(seed);
  const draw = (below: number): number => Math.floor(random() * below);
  const words = ['sent', 'delivered', 'read', 'failed'];
  const sent = await Promise.all(Array.from({ length: 12 }, send));
  const expected = new Map(
    sent.map(({ external_id, sent_at }) => [external_id, { life: { ...SENT, sent_at }, events: ['MESSAGE_SENT'] }]),
  );
  for (let round = 0; round < 30; round += 1) {
    const reports = Array.from({ length: 1 + draw(8) }, () => {
      const status = words[draw(words.length)] ?? 'sent';
      const errors = status === 'failed' ? [ERROR] : [];
      return { id: sent[draw(sent.length)].external_id as string, status, errors, timestamp: NOW + draw(50) };
    });
    await reportStatuses(platform, ...reports);
    for (const { id, status, errors, timestamp } of reports) {
      const before = expected.get(id);
      assert.ok(before);
      const { life, events } = advance(before.life, {
        status: status.toUpperCase() as 'SENT',
        at: iso(timestamp),
        errors: errors.length > 0 ? [CAUSE] : [],
        failure_reason: errors.length > 0 ? REASON : null,
      });
      expected.set(id, { life, events: [...before.events, ...events] });
    }
  }
  for (const { _id, external_id } of sent) {
    const { life, events } = expected.get(external_id) ?? assert.fail();
    const { outcome_unknown: _inner, failure_reason, ...shown } = life;
    const message = await readMessage(platform, _id);
    for (const [field, value] of Object.entries(shown)) assert.deepEqual(message[field], value, field);
    assert.deepEqual(message.failure_reason ?? null, failure_reason);
    assert.deepEqual(await listEventNames(platform, _id), events);
  }
});

test('when statuses come before the answer, twice and out of order, each message emits each event once and becomes READ', async () => {
  await sandbox('PUT', '/sandbox/settings', {
    status_delays_ms: { sent: 0, delivered: 0, read: 0 },
    duplicates: 2,
    shuffle: 30,
    seed: 7,
    batch: 4,
  });
  const sent = await Promise.all(Array.from({ length: 24 }, send));
  for (const { _id } of sent) {
    const read = await waitUntil('every status', async () => {
      const message = await readMessage(platform, _id);
      return message.sent_at && message.delivered_at && message.read_at && message;
    });
    assert.equal(read.status, 'READ');
    assert.deepEqual(read.errors, []);
  }
  await waitUntil(
    'the network to be silent',
    async () => (await sandbox('GET', '/sandbox/stats')).notifications_waiting === 0,
  );
  for (const { _id } of sent) {
    const names = await listEventNames(platform, _id);
    assert.equal(names[0], 'MESSAGE_SENT');
    assert.equal(new Set(names).size, names.length, names.join(', '));
    assert.equal(names.at(-1), 'MESSAGE_READ');
  }
  await silenceNetwork(platform);
  await sandbox('PUT', '/sandbox/settings', { duplicates: 0, shuffle: 0, batch: 1 });
});

test('the same status in many notifications at the same moment emits one event', async () => {
  const sent = await send();
  const id = sent.external_id;
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      reportStatuses(platform, { id, status: index % 2 ? 'read' : 'delivered', timestamp: NOW }),
    ),
  );
  const names = await listEventNames(platform, sent._id);
  assert.equal(names.filter((name) => name === 'MESSAGE_READ').length, 1);
  assert.ok(names.filter((name) => name === 'MESSAGE_DELIVERED').length <= 1);
  assert.equal((await readMessage(platform, sent._id)).status, 'READ');
});
