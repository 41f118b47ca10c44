/** Requests with a valid token that are refused before their body is read: too many requests, or an unknown company. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshEmail } from '../../test/support/people.ts';
import { startPlatform } from '../../test/support/platform.ts';
import { expectProblem } from '../../test/support/refusals.ts';
import { newId } from './ids.ts';

const PER_SECOND = 2;
const BURST = 2 * PER_SECOND;
const limited = await startPlatform({ env: { RATE_LIMIT_PER_KEY: String(PER_SECOND) } });
const MAILS = 3;
const mailing = await startPlatform({ env: { RATE_LIMIT_LOGIN: String(MAILS) } });

test('requests of a global key without a company, or with an unknown one, count against its rate limit', async () => {
  for (const headers of [{}, { 'x-company-id': newId() }, { 'x-company-id': 'nonsense' }]) {
    const { token } = await limited.createKey(null, ['*']);
    const started = performance.now();
    const asked = await Promise.all(
      Array.from({ length: 5 * BURST }, () =>
        fetch(`${limited.url}/v1/inboxes`, { headers: { authorization: `Bearer ${token}`, ...headers } }),
      ),
    );
    const refused = asked.filter(({ status }) => status === 429);
    const most = BURST + PER_SECOND * ((performance.now() - started) / 1_000);
    assert.ok(asked.length - refused.length <= most, `${refused.length} of ${asked.length} were refused`);
    for (const { headers: answerHeaders } of refused) assert.ok(Number(answerHeaders.get('retry-after')) >= 1);
    const expected = 'x-company-id' in headers ? 404 : 400;
    const admitted = asked.filter(({ status }) => status !== 429);
    assert.deepEqual(new Set(admitted.map(({ status }) => status)), new Set([expected]));
  }
});

test('a global key can still manage a suspended company', async () => {
  const company = await mailing.createCompany();
  const asked = { key: mailing.globalKey, headers: { 'x-company-id': company._id } };
  const path = `/v1/companies/${company._id}`;
  await mailing.call(200, 'PATCH', path, { ...asked, body: { status: 'SUSPENDED' } });
  await mailing.call(404, 'GET', '/v1/inboxes', asked);
  await mailing.call(200, 'GET', '/v1/api-keys', asked);
  const { body } = await mailing.call(200, 'PATCH', path, { ...asked, body: { status: 'ACTIVE' } });
  assert.equal(body.status, 'ACTIVE');
});

test('a company can send only as many invitations a minute as log-ins are allowed, and other companies are not affected', async () => {
  const [busy, other] = [await mailing.createCompany(), await mailing.createCompany()];
  const invite = (status: number, key: string) =>
    mailing.call(status, 'POST', '/v1/users', { key, body: { name: 'Ana', email: freshEmail(), role: 'VIEWER' } });
  for (let count = 0; count < MAILS; count += 1) await invite(201, busy.key);
  const refused = await invite(429, busy.key);
  expectProblem(refused, 'RATE_LIMITED');
  assert.ok(Number(refused.headers.get('retry-after')) >= 1);
  assert.deepEqual(
    ['limit', 'remaining'].map((name) => refused.headers.get(`ratelimit-${name}`)),
    [String(MAILS), '0'],
    'what refused is what the headers speak of',
  );
  await invite(201, other.key);
});
