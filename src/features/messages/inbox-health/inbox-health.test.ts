/** The health of an inbox: its traffic, its failures, and what its network thinks of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLive } from '../../../../test/support/live.ts';
import { connectPhone, type Phone } from '../../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../../test/support/platform.ts';
import { checkRefusals, expectProblem } from '../../../../test/support/refusals.ts';
import { readMessage, sendText, silenceNetwork, writeAsContact } from '../../../../test/support/traffic.ts';
import { waitUntil } from '../../../../test/support/wait.ts';
import { reachPeople } from '../../inboxes/portfolio.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, demo, database } = platform;
const readHealth = async (inbox: string): Promise<Json> => (await call(200, 'GET', `/v1/inboxes/${inbox}/health`)).body;
const rate = (phone: Phone, change: object): Promise<unknown> =>
  platform.sandbox('PATCH', '/sandbox/accounts', { phone_number_id: phone.id, notify: true, ...change });

test('the health of an inbox has the times of its last message in and out, and its failures of the last day by cause', async () => {
  const { message, conversation } = await writeAsContact(platform);
  const sent = await waitUntil('the accepted message', async () => {
    const { _id } = await sendText(platform, conversation._id);
    const read = await readMessage(platform, _id);
    return read.sent_at !== null && read;
  });
  const before = await readHealth(demo.inbox);
  assert.equal(before.last_inbound_at, message.createdAt);
  assert.equal(before.last_outbound_at, sent.sent_at);
  assert.deepEqual([before.failures.count, before.failures.is_complete, before.failures.causes], [0, true, []]);

  await platform.sandbox('PUT', '/sandbox/settings', { faults: { send: [{ code: 131026, times: 3 }] } });
  const failed: Json[] = [];
  for (let n = 0; n < 3; n += 1) failed.push(await sendText(platform, conversation._id));
  assert.ok(failed.every(({ status }) => status === 'FAILED'));
  const [yesterday] = failed;
  await database.sql(`update messages set failed_at = now() - interval '25 hours' where _id = $1`, [yesterday?._id]);
  const { failures, last_outbound_at } = await readHealth(demo.inbox);
  assert.equal(last_outbound_at, sent.sent_at);
  assert.equal(failures.count, 2);
  assert.deepEqual(
    failures.causes.map(({ code, count, last_at }: Json) => [code, count, last_at]),
    [[131026, 2, (await readMessage(platform, failed[2]?._id)).failed_at]],
  );
});

test('the rating of a number is read when its inbox connects and after each report of the network, and arrives in live streams', async () => {
  const phone = await connectPhone(platform);
  const live = await openLive(platform);
  const rated = await waitUntil('the first rating', async () => {
    const { standing } = await readHealth(phone.inbox);
    return standing ?? false;
  });
  assert.deepEqual([rated.quality_rating, rated.sending, rated.problems], ['GREEN', 'AVAILABLE', []]);
  await rate(phone, { quality_rating: 'RED', can_send_message: 'BLOCKED' });
  const shown = await live.waitFor(
    'inbox',
    ({ _id, standing }) => _id === phone.inbox && standing?.sending === 'BLOCKED',
  );
  const { body: inbox } = await call(200, 'GET', `/v1/inboxes/${phone.inbox}`);
  assert.deepEqual(shown, inbox);
  const { standing } = await readHealth(phone.inbox);
  assert.deepEqual(standing, inbox.standing);
  assert.equal(standing.quality_rating, 'RED');
  assert.deepEqual(
    standing.problems.map(({ at, code }: Json) => [at, code]),
    [['WABA', '141010']],
  );
  await live.close();
});

test('the daily limit counts the people of all inboxes of the business, and a channel without such a limit has none', async () => {
  const phone = await connectPhone(platform);
  await waitUntil('the limit', async () => (await readHealth(phone.inbox)).daily_limit?.people === 2_000);
  // All phones of the tests belong to the business 1.
  const business = { channel: 'WAP_AUTO_CLOSER', portfolio: '1' } as const;
  await platform.running.kit.database.tenantTx(demo._id, (tx) => reachPeople(tx, business, ['5511988887771']));
  assert.deepEqual((await readHealth(phone.inbox)).daily_limit, { people: 2_000, is_unlimited: false, used: 1 });
  const { body: chat } = await call(201, 'POST', '/v1/inboxes', { body: { channel: 'WEB_V2', name: 'Chat' } });
  const health = await readHealth(chat._id);
  assert.deepEqual(
    [health.daily_limit, health.standing, health.last_inbound_at, health.last_outbound_at],
    [null, undefined, null, null],
  );
});

test("another company's inbox has no health, and the operation is refused like every other one", async () => {
  const company = await platform.createCompany();
  expectProblem(await call(404, 'GET', `/v1/inboxes/${demo.inbox}/health`, { key: company.key }), 'NOT_FOUND');
  await checkRefusals(platform, {
    method: 'GET',
    path: `/v1/inboxes/${demo.inbox}/health`,
    scope: 'inboxes:read',
  });
});
