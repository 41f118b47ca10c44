/** Requests with a valid token that are refused before their body is read: too many requests, or an unknown company. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshEmail } from '../../../test/support/people.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { newId } from '../values/ids.ts';

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
  const invite = (key: string) =>
    fetch(`${mailing.url}/v1/users`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Ana', email: freshEmail(), role: 'VIEWER' }),
    });
  const startedMs = performance.now();
  const answers = await Promise.all(Array.from({ length: 5 * MAILS }, () => invite(busy.key)));
  const most = MAILS + (MAILS * (performance.now() - startedMs)) / 60_000;
  const admitted = answers.filter(({ status }) => status === 201).length;
  assert.ok(admitted >= MAILS && admitted <= most, `${admitted} were sent`);
  const refused = answers.filter(({ status }) => status === 429);
  assert.equal(admitted + refused.length, answers.length);
  for (const answer of refused) {
    const { headers } = answer;
    assert.equal(((await answer.json()) as Json).code, 'RATE_LIMITED');
    assert.ok(Number(headers.get('retry-after')) >= 1);
    // What refused is what the headers speak of.
    assert.deepEqual(
      ['limit', 'remaining'].map((name) => headers.get(`ratelimit-${name}`)),
      [String(MAILS), '0'],
    );
  }
  assert.equal((await invite(other.key)).status, 201);
});
