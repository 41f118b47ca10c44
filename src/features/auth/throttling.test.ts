/**
 * Tests that passwords can be guessed only slowly: tries are counted per address and per account, and only a trusted proxy can name another
 * address.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createPerson, freshEmail, PASSWORD } from '../../../test/support/people.ts';
import { startPlatform, type Answer, type Json, type Platform } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const TRIES = 3;
// The limit allows one more try after a third of a minute; the tests of this file are faster than that.
const limited = { RATE_LIMIT_LOGIN: String(TRIES) };
const proxied = await startPlatform({ env: { ...limited, TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8' } });
const direct = await startPlatform({ env: limited });

type Operation = 'login' | 'forgot-password' | 'reset-password';

function requestBody(operation: Operation, email: string, password = 'another password'): object {
  if (operation === 'login') return { email, password };
  return operation === 'forgot-password' ? { email } : { token: 'x', new_password: PASSWORD };
}

interface Try {
  status: number;
  platform?: Platform;
  operation?: Operation;
  email?: string;
  password?: string;
  /** The address that the proxy puts into X-Forwarded-For. */
  from?: string;
}

function attempt({ status, platform = proxied, operation = 'login', from, ...given }: Try): Promise<Answer> {
  const headers: Record<string, string> = from === undefined ? {} : { 'x-forwarded-for': from };
  const body = requestBody(operation, given.email ?? freshEmail('guess'), given.password);
  return platform.call(status, 'POST', `/v1/auth/${operation}`, { key: null, headers, body });
}

let hosts = 0;
/** Returns an address that has not tried anything yet. */
const freshAddress = (): string => `203.0.113.${(hosts += 1)}`;

function expectRefusal(answer: Answer): void {
  expectProblem(answer, 'RATE_LIMITED');
  const seconds = Number(answer.headers.get('retry-after'));
  assert.ok(seconds >= 1 && seconds <= 60 / TRIES, `retry-after ${seconds}`);
  assert.deepEqual(
    ['limit', 'remaining'].map((name) => answer.headers.get(`ratelimit-${name}`)),
    [String(TRIES), '0'],
  );
  assert.ok(Number(answer.headers.get('ratelimit-reset')) > 0);
}

describe('tries from one address', () => {
  test('an address has a limited number of log-in tries a minute, whatever accounts it tries; then 429 says when to try again', async () => {
    const from = freshAddress();
    for (let left = TRIES - 1; left >= 0; left -= 1) {
      const { headers } = await attempt({ status: 401, from });
      assert.equal(headers.get('ratelimit-remaining'), String(left));
    }
    expectRefusal(await attempt({ status: 429, from }));
    await attempt({ status: 401, from: freshAddress() });
  });

  test('an address has one limit for log-ins, forgotten passwords and resets together', async () => {
    const from = freshAddress();
    await attempt({ status: 401, from });
    await attempt({ status: 200, from, operation: 'forgot-password' });
    await attempt({ status: 400, from, operation: 'reset-password' });
    for (const operation of ['login', 'forgot-password', 'reset-password'] as const) {
      expectRefusal(await attempt({ status: 429, from, operation }));
    }
  });

  test('IPv6 addresses of the same /64 network count as one address', async () => {
    for (const host of ['::1', '::2', 'ffff::3']) {
      await attempt({ status: 401, from: host.startsWith('::') ? `2001:db8:0:7${host}` : `2001:db8:0:7:${host}` });
    }
    expectRefusal(await attempt({ status: 429, from: '2001:db8:0:7::9' }));
    await attempt({ status: 401, from: '2001:db8:0:8::1' });
  });
});

describe('tries for one account', () => {
  test('an account has a limited number of log-in tries a minute from all addresses and with any spelling of its e-mail; then the right password is refused, too', async () => {
    const { email } = await createPerson(proxied, proxied.demo._id, 'ADMIN');
    await attempt({ status: 401, from: freshAddress(), email });
    await attempt({ status: 401, from: freshAddress(), email: email.toUpperCase() });
    await attempt({ status: 200, from: freshAddress(), email, operation: 'forgot-password' });
    expectRefusal(await attempt({ status: 429, from: freshAddress(), email, password: PASSWORD }));
    expectRefusal(await attempt({ status: 429, from: freshAddress(), email, operation: 'forgot-password' }));
    await attempt({ status: 401, from: freshAddress() });
  });

  test('log-in tries for an account that does not exist are limited like those for an account that exists', async () => {
    const email = freshEmail('nobody');
    for (let tries = 0; tries < TRIES; tries += 1) await attempt({ status: 401, from: freshAddress(), email });
    expectRefusal(await attempt({ status: 429, from: freshAddress(), email }));
  });
});

describe('x-forwarded-for', () => {
  test('x-forwarded-for is ignored where no proxy is trusted: all tries count for the address of the connection', async () => {
    for (let tries = 0; tries < TRIES; tries += 1) {
      await attempt({ status: 401, platform: direct, from: freshAddress() });
    }
    expectRefusal(await attempt({ status: 429, platform: direct, from: freshAddress() }));
  });

  test('the address of a caller is the last entry of x-forwarded-for that is no trusted proxy: entries that a client writes before it have no effect', async () => {
    const from = freshAddress();
    for (const invented of ['198.51.100.1', '127.0.0.1', 'anything']) {
      await attempt({ status: 401, from: `${invented}, ${from}, 10.1.2.3` });
    }
    expectRefusal(await attempt({ status: 429, from: `198.51.100.2, ${from}` }));
  });

  test('the audit log shows the address of x-forwarded-for only behind a trusted proxy', async () => {
    for (const [platform, expected] of [
      [proxied, '198.51.100.77'],
      [direct, '127.0.0.1'],
    ] as const) {
      const headers = { 'x-forwarded-for': '198.51.100.77', 'user-agent': 'the browser' };
      const body = { name: 'Ana', email: freshEmail(), role: 'VIEWER' };
      const made = await platform.call(201, 'POST', '/v1/users', { headers, body });
      const entry = await waitUntil('the audit', async () => {
        const answer = await platform.call(200, 'GET', `/v1/audit?resource=${made.body._id}`);
        return answer.body.result[0] as Json;
      });
      assert.deepEqual([entry.action, entry.address, entry.user_agent], ['users.create', expected, 'the browser']);
    }
  });
});
