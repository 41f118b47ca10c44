/** Rights to use the operations of webhooks and deliveries, and the answers to callers without them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitForFinishedDeliveries, queueEvents } from '../../../test/support/deliveries.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import {
  checkAnswers500,
  checkRefusals,
  checkAnswers503,
  type RefusedRequest,
} from '../../../test/support/refusals.ts';

const platform = await startPlatform();
const { call, demo } = platform;
const UNKNOWN_ID = 'f'.repeat(24);
const WEBHOOK = { url: 'http://127.0.0.1:9009/', events: ['MESSAGE_SENT'] };

await queueEvents(platform, demo._id);
const [delivery] = await waitForFinishedDeliveries(platform, demo);

const operations: (RefusedRequest & { status: number })[] = [
  { method: 'GET', path: '/v1/webhooks', scope: 'webhooks:read', status: 200 },
  { method: 'GET', path: '/v1/webhooks/deliveries', scope: 'webhooks:read', status: 200 },
  { method: 'POST', path: `/v1/webhooks/deliveries/${delivery._id}/replay`, scope: 'webhooks:update', status: 201 },
  { method: 'PUT', path: `/v1/webhooks/${demo.webhook}`, scope: 'webhooks:update', status: 200, body: {} },
  { method: 'POST', path: '/v1/webhooks', scope: 'webhooks:create', status: 409, body: WEBHOOK },
];
const removal: RefusedRequest = { method: 'DELETE', path: `/v1/webhooks/${demo.webhook}`, scope: 'webhooks:delete' };
const everything = [...operations, removal];

const withoutRequestId = ({ request_id: _id, ...problem }: Json): string => JSON.stringify(problem);

for (const asked of everything) {
  test(`${asked.method} ${asked.path.replace(/[0-9a-f]{24}/, '{id}')} refuses with every status that all operations share`, () =>
    checkRefusals(platform, asked));
}

test('every operation on webhooks is open to a key that has the scope of the operation and no other scope', async () => {
  for (const { method, path, scope, status, body } of operations) {
    const { token: key } = await platform.createKey(demo._id, [scope]);
    await call(status, method, path, { key, body });
  }
  const own = await platform.createCompany();
  const created = await call(201, 'POST', '/v1/webhooks', { key: own.key, body: WEBHOOK });
  const { token: key } = await platform.createKey(own._id, [removal.scope]);
  await call(200, 'DELETE', `/v1/webhooks/${created.body._id}`, { key });
});

test('every operation on webhooks answers 503 while its tables are locked, and 500 without internal details when its table is broken', async () => {
  await checkAnswers503(platform, ['webhooks', 'deliveries'], everything);
  await checkAnswers500(
    platform,
    'webhooks.url',
    everything.filter(({ path }) => !path.includes('deliveries')),
  );
  await checkAnswers500(
    platform,
    'deliveries.resource_id',
    everything.filter(({ path }) => path.includes('deliveries')),
  );
});

test('operators and viewers can neither read nor change webhooks; owners and admins can do both', async () => {
  for (const role of ['OPERATOR', 'VIEWER'] as const) {
    const user = await platform.createUser(demo._id, role);
    await call(403, 'GET', '/v1/webhooks', { key: user.token });
    await call(403, 'PUT', `/v1/webhooks/${demo.webhook}`, { key: user.token, body: {} });
  }
  for (const role of ['OWNER', 'ADMIN'] as const) {
    const user = await platform.createUser(demo._id, role);
    await call(200, 'GET', '/v1/webhooks', { key: user.token });
    await call(200, 'PUT', `/v1/webhooks/${demo.webhook}`, { key: user.token, body: {} });
  }
});

test("another company's webhook answers 404, byte-equal to an unknown and to a malformed id, and stays unchanged", async () => {
  const other = await platform.createCompany();
  const before = await call(200, 'GET', '/v1/webhooks');
  const ask = async (method: string, path: string, body?: unknown) =>
    withoutRequestId((await call(404, method, path, { key: other.key, body })).body);
  const cases: [string, (id: string) => string, unknown][] = [
    ['PUT', (id) => `/v1/webhooks/${id}`, { status: 'INACTIVE' }],
    ['DELETE', (id) => `/v1/webhooks/${id}`, undefined],
  ];
  for (const [method, path, body] of cases) {
    const unknown = await ask(method, path(UNKNOWN_ID), body);
    for (const id of [demo.webhook, 'abc', demo.webhook.toUpperCase(), `${demo.webhook}0`, '%00'])
      assert.equal(await ask(method, path(id), body), unknown);
  }
  assert.deepEqual((await call(200, 'GET', '/v1/webhooks')).body, before.body);
});

test('a DELETE with a body answers 400, and the webhook stays', async () => {
  await call(400, 'DELETE', removal.path, { body: { force: true } });
  assert.equal((await call(200, 'GET', '/v1/webhooks')).body._id, demo.webhook);
});

test('a global key acts for the company that x-company-id names; a company key ignores the header', async () => {
  const other = await platform.createCompany();
  const headers = { 'x-company-id': other._id };
  const created = await call(201, 'POST', '/v1/webhooks', { key: platform.globalKey, body: WEBHOOK, headers });
  assert.equal(created.body.company, other._id);
  const read = await call(200, 'GET', '/v1/webhooks', { key: other.key, headers: { 'x-company-id': demo._id } });
  assert.equal(read.body._id, created.body._id);
});
