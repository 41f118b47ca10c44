/** Who may do what with webhooks and their deliveries, and the answers to those who may not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform, type Json } from '../../../test/support/platform.ts';

const platform = await startPlatform({ env: { OUTBOUND_ALLOW: '127.0.0.0/8' } });
const { call, demo } = platform;
const UNKNOWN_ID = 'f'.repeat(24);
const WEBHOOK = { url: 'http://127.0.0.1:9009/', events: ['MESSAGE_SENT'] };

interface Operation {
  method: string;
  path: string;
  scope: string;
  body?: unknown;
}

const operations: Operation[] = [
  { method: 'POST', path: '/v1/webhooks', scope: 'webhooks:create', body: WEBHOOK },
  { method: 'GET', path: '/v1/webhooks', scope: 'webhooks:read' },
  { method: 'PUT', path: `/v1/webhooks/${demo.webhook}`, scope: 'webhooks:update', body: {} },
  { method: 'DELETE', path: `/v1/webhooks/${demo.webhook}`, scope: 'webhooks:delete' },
  { method: 'GET', path: '/v1/webhooks/deliveries', scope: 'webhooks:read' },
  { method: 'POST', path: `/v1/webhooks/deliveries/${UNKNOWN_ID}/replay`, scope: 'webhooks:update' },
];

const withoutRequestId = ({ request_id: _id, ...problem }: Json): string => JSON.stringify(problem);

test('every operation is 401 without a living token, with the challenge, and before anything else is looked at', async () => {
  for (const { method, path, body } of operations) {
    for (const key of [null, 'no-token', `${demo.key}x`]) {
      const answer = await call(401, method, path, { key, body });
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
      assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+json/);
      assert.equal(answer.body.code, 'UNAUTHORIZED');
    }
  }
});

test('every operation is 403 for a key with every scope of webhooks but its own, and open to a key with that one alone', async () => {
  const all = ['create', 'read', 'update', 'delete'].map((action) => `webhooks:${action}`);
  const own = await platform.createCompany();
  for (const { method, path, scope, body } of operations) {
    const others = await platform.createKey(demo._id, [...all.filter((other) => other !== scope), 'inboxes:*']);
    const refused = await call(403, method, path, { key: others.token, body });
    assert.equal(refused.body.code, 'FORBIDDEN');
    const only = await platform.createKey(own._id, [scope]);
    const answer = await fetch(platform.url + path, {
      method,
      headers: { authorization: `Bearer ${only.token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    await answer.text();
    // What it names belongs to another company: that it is told so means that it was let in.
    assert.ok([200, 201, 404].includes(answer.status), `${method} ${path} answered ${answer.status}`);
  }
});

test('operators and viewers neither read nor change webhooks; owners and admins do both', async () => {
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

test("another company's webhook is 404, byte-equal to an unknown and to a malformed id, and stays untouched", async () => {
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

test('a global key works for the company that x-company-id names; a company key is deaf to the header', async () => {
  const other = await platform.createCompany();
  const key = platform.globalKey;
  assert.equal((await call(400, 'GET', '/v1/webhooks', { key })).body.code, 'COMPANY_ID_REQUIRED');
  for (const id of [UNKNOWN_ID, 'abc']) {
    await call(404, 'GET', '/v1/webhooks', { key, headers: { 'x-company-id': id } });
  }
  const body = WEBHOOK;
  const created = await call(201, 'POST', '/v1/webhooks', { key, body, headers: { 'x-company-id': other._id } });
  assert.equal(created.body.company, other._id);
  const read = await call(200, 'GET', '/v1/webhooks', { key: other.key, headers: { 'x-company-id': demo._id } });
  assert.equal(read.body._id, created.body._id);
});

test('a body over 1 MB is 413, another content type 415, and what is not JSON 400, at POST and at PUT', async () => {
  const { key } = await platform.createCompany();
  for (const [method, path] of [
    ['POST', '/v1/webhooks'],
    ['PUT', `/v1/webhooks/${UNKNOWN_ID}`],
  ] as const) {
    const large = await call(413, method, path, { key, raw: `{"url":"${'x'.repeat(1024 * 1024)}"}` });
    assert.equal(large.body.code, 'BODY_TOO_LARGE');
    const text = await call(415, method, path, { key, raw: '{}', headers: { 'content-type': 'text/plain' } });
    assert.equal(text.body.code, 'UNSUPPORTED_MEDIA_TYPE');
    for (const raw of ['{"url":', '{"url":"a\\u0000b"}', Buffer.from([0x7b, 0xff, 0x7d]), '{"__proto__":{}}']) {
      assert.equal((await call(400, method, path, { key, raw })).body.code, 'MALFORMED_BODY');
    }
    await call(400, method, path, { key, raw: '' });
  }
  assert.equal((await call(200, 'GET', '/v1/webhooks', { key })).body, null);
});

test('an unknown query parameter and a body where none belongs are 400', async () => {
  await call(400, 'GET', '/v1/webhooks?company=1');
  await call(400, 'DELETE', `/v1/webhooks/${demo.webhook}`, { body: { force: true } });
  assert.equal((await call(200, 'GET', '/v1/webhooks')).body._id, demo.webhook);
});
