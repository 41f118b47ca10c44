/** Limits on the bytes per second that a company receives in answers. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { runWithStoppedClock } from '../../../test/support/clock.ts';
import { openLive } from '../../../test/support/live.ts';
import { startPlatform } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { createAnswerPace } from './answer-pace.ts';

const platform = await startPlatform({ env: { RATE_LIMIT_ANSWERS: '1' } });
const { call, database, demo } = platform;

/** Stores `count` contacts of this many bytes each. */
const storeContacts = (company: string, count: number, bytes: number): Promise<unknown> =>
  database.sql(
    `insert into contacts (company_id, _id, name, source, tags)
      select $1, new_id(), 'Ana', 'IMPORT', array[repeat('x', $3::int)] from generate_series(1, $2::int)`,
    [company, count, bytes],
  );

test('a company that receives more bytes than its rate allows is refused for a moment, and another company is not', async (t) => {
  await storeContacts(demo._id, 100, 10_000);
  const other = await platform.createCompany();
  const list = async () => {
    const answer = await fetch(`${platform.url}/v1/contacts?limit=100`, {
      headers: { authorization: `Bearer ${demo.key}` },
    });
    await answer.arrayBuffer();
    return answer;
  };
  await runWithStoppedClock(t, async () => {
    let answered = 0;
    while (answered < 50 && (await list()).status === 200) answered += 1;
    assert.ok(answered >= 3 && answered < 10, `${answered} answers of a megabyte were sent`);
    const refused = await call(429, 'GET', '/v1/contacts');
    expectProblem(refused, 'RATE_LIMITED');
    assert.match(refused.headers.get('retry-after') ?? '', /^[123]$/);
    await call(200, 'GET', '/v1/contacts', { key: other.key });
  });
  await waitUntil('the company to be answered again', async () => (await list()).status === 200);
});

test('an export is slowed down to the rate of its company and is complete', async () => {
  const { _id, key } = await platform.createCompany();
  await storeContacts(_id, 300, 10_000);
  const begunMs = performance.now();
  const answer = await fetch(`${platform.url}/v1/contacts/export`, { headers: { authorization: `Bearer ${key}` } });
  const text = await answer.text();
  assert.equal(text.trim().split('\r\n').length, 301);
  assert.ok(performance.now() - begunMs > 1_500, `3 MB took ${performance.now() - begunMs} ms`);
});

test('what many live streams of a company bring does not keep it from being answered', async () => {
  const { _id, key } = await platform.createCompany();
  await storeContacts(_id, 1, 60_000);
  const streams = await Promise.all(Array.from({ length: 80 }, () => openLive(platform, { key })));
  await database.sql(`update contacts set name = 'Ana Lima' where company_id = $1`, [_id]);
  for (const stream of streams) await stream.waitFor('contact');
  await call(200, 'GET', '/v1/auth/me', { key });
  for (const stream of streams) await stream.close();
});

test('the source of a streamed answer is closed when the caller hangs up before the first byte is read', async () => {
  const source = Readable.from(['text']);
  const paced = createAnswerPace(1).pass(demo._id, source, false) as Readable;
  paced.destroy();
  await once(paced, 'close');
  assert.ok(source.destroyed);
});
