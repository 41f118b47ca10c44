/** Calls of pages that other sites serve: the headers by which a browser decides whether it lets the page call (CORS). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform } from '../../../test/support/platform.ts';
import { createServer } from './http.ts';
import { createLog, createMetrics } from '../work/telemetry.ts';

const platform = await startPlatform();
const limited = await startPlatform({ env: { RATE_LIMIT_PAGES: '2' } });

const SITE = 'https://shop.example';
const preflight = (method: string) => ({ origin: SITE, 'access-control-request-method': method });
const corsHeaders = (headers: Headers): [string, string][] =>
  [...headers].filter(([name]) => name.startsWith('access-control'));

test('a page of any site may call an operation that takes a token, and browsers send no cookies with it', async () => {
  for (const [method, path] of [
    ['POST', '/v1/contacts'],
    ['GET', '/v1/auth/me'],
    ['POST', '/v1/contacts/import'],
  ] as const) {
    const asked = await platform.call(204, 'OPTIONS', path, { key: null, headers: preflight(method) });
    assert.equal(asked.headers.get('access-control-allow-origin'), SITE);
    assert.ok(asked.headers.get('access-control-allow-methods')?.split(', ').includes(method), path);
    for (const name of ['authorization', 'content-type', 'idempotency-key', 'x-company-id'])
      assert.ok(asked.headers.get('access-control-allow-headers')?.split(', ').includes(name), name);
    assert.equal(asked.headers.get('access-control-max-age'), '7200');
    assert.equal(asked.headers.get('vary'), 'origin');
    assert.equal(asked.headers.get('access-control-allow-credentials'), null);
  }
  const { headers } = await platform.call(200, 'GET', '/v1/contacts', { headers: { origin: SITE } });
  assert.equal(headers.get('access-control-allow-origin'), SITE);
  assert.equal(headers.get('access-control-allow-credentials'), null);
  for (const name of ['x-request-id', 'ratelimit-remaining', 'retry-after', 'idempotent-replayed'])
    assert.ok(headers.get('access-control-expose-headers')?.split(', ').includes(name), name);
});

test('a page of another site can read why its call was refused', async () => {
  for (const [status, path, options] of [
    [401, '/v1/contacts', { key: null }],
    [404, '/v1/contacts/nobody', {}],
    [400, '/v1/contacts?limit=many', {}],
  ] as const) {
    const { headers } = await platform.call(status, 'GET', path, { ...options, headers: { origin: SITE } });
    assert.equal(headers.get('access-control-allow-origin'), SITE, path);
  }
});

test('operations without a token, callbacks, health checks and pages cannot be called by pages of other sites', async () => {
  for (const [method, path] of [
    ['POST', '/v1/auth/login'],
    ['POST', '/v1/auth/reset-password'],
    ['POST', '/hooks/wap'],
    ['GET', '/health/ready'],
    ['GET', '/metrics'],
    ['GET', '/set-password'],
    ['GET', '/docs'],
  ] as const) {
    const asked = await platform.call(204, 'OPTIONS', path, { key: null, headers: preflight(method) });
    assert.deepEqual(corsHeaders(asked.headers), [], path);
    const answer = await fetch(platform.url + path, { method, headers: { origin: SITE } });
    assert.deepEqual(corsHeaders(answer.headers), [], path);
  }
});

test('pages of other sites are not allowed to use a method that a path does not have, or a path that does not exist', async () => {
  for (const method of ['DELETE', 'post', '__proto__', '']) {
    const wrong = await platform.call(204, 'OPTIONS', '/v1/contacts', { key: null, headers: preflight(method) });
    assert.deepEqual(corsHeaders(wrong.headers), [], method);
  }
  const unknown = await platform.call(404, 'OPTIONS', '/v1/nothing', { key: null, headers: preflight('GET') });
  assert.deepEqual(corsHeaders(unknown.headers), []);
});

test('the rule of a route can depend on the site of the page and on the path', async (t) => {
  const app = createServer(createLog('silent'), createMetrics());
  t.after(() => app.close());
  const allowed = new Map([['one', SITE]]);
  const origins = async (origin: string, { inbox = '' }: Readonly<Record<string, string | undefined>>) =>
    allowed.get(inbox) === origin;
  app.get('/chat/:inbox', { config: { access: 'public', origins } }, () => 'here');
  for (const [url, origin, expected] of [
    ['/chat/one', SITE, SITE],
    ['/chat/two', SITE, undefined],
    ['/chat/one', 'https://evil.example', undefined],
    ['/chat/one', 'null', undefined],
  ] as const) {
    const asked = await app.inject({ method: 'OPTIONS', url, headers: { ...preflight('GET'), origin } });
    const answer = await app.inject({ url, headers: { origin } });
    for (const { headers } of [asked, answer]) {
      assert.equal(headers['access-control-allow-origin'], expected, `${origin} at ${url}`);
      assert.equal(headers['vary'], 'origin');
    }
  }
});

test('preflights are rate-limited by address', async () => {
  const ask = () => fetch(`${limited.url}/v1/contacts`, { method: 'OPTIONS', headers: preflight('GET') });
  const answers = await Promise.all(Array.from({ length: 30 }, ask));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([204, 429]));
  for (const answer of answers.filter(({ status }) => status === 429))
    assert.equal(((await answer.json()) as { code: string }).code, 'RATE_LIMITED');
});
