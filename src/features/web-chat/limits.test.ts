/** What a visitor, an address and all visitors together may use of a web chat. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { openLive, type LiveClient } from '../../../test/support/live.ts';
import { startPlatform } from '../../../test/support/platform.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { openSite, visit, type TestVisitor } from '../../../test/support/web-chat.ts';

const platform = await startPlatform({ env: { RATE_LIMIT_WEB_CHAT: '1000', CONNECTIONS: '24' } });
const { call, url } = platform;
const site = await openSite(platform);

/** Posts messages, one after the other, and returns how many were refused as too many. */
async function flood({ session }: TestVisitor, messages: number): Promise<number> {
  let refused = 0;
  for (let posted = 0; posted < messages; posted += 1) {
    const response = await fetch(`${url}/web/v1/inboxes/${site}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${session.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: randomUUID(), content: 'again' }),
    });
    await response.arrayBuffer();
    if (response.status === 429) refused += 1;
  }
  return refused;
}

test('a visitor who floods the chat is refused with 429, and another visitor of the same address is not', async () => {
  const [loud, quiet] = [await visit(platform, site), await visit(platform, site)];
  assert.ok((await flood(loud, 60)) >= 10);
  assert.equal(await flood(quiet, 1), 0);
});

test('an address that asks for inboxes that do not exist is counted before anything is looked up', async () => {
  const limited = await startPlatform({ env: { RATE_LIMIT_PAGES: '1' } });
  const statuses: number[] = [];
  for (let tried = 0; tried < 8; tried += 1) {
    const response = await fetch(`${limited.url}/web/v1/inboxes/${randomUUID().replaceAll('-', '').slice(0, 24)}`);
    statuses.push(response.status);
    await response.arrayBuffer();
  }
  assert.ok(statuses.includes(404) && statuses.includes(429), statuses.join());
});

test('the visitors of one chat together have a limit, whatever their addresses, and those of another chat have their own', async () => {
  const env = { RATE_LIMIT_WEB_CHAT: '1', TRUSTED_PROXIES: '127.0.0.1' };
  const limited = await startPlatform({ env });
  const [busy, calm] = [await openSite(limited), await openSite(limited)];
  const open = async (inbox: string, number: number): Promise<number> => {
    const headers = { 'x-forwarded-for': `203.0.113.${number}` };
    const response = await fetch(`${limited.url}/web/v1/inboxes/${inbox}`, { headers });
    await response.arrayBuffer();
    return response.status;
  };
  const statuses: number[] = [];
  for (let number = 1; number <= 50; number += 1) statuses.push(await open(busy, number));
  assert.ok(statuses.includes(200) && statuses.includes(429), statuses.join());
  assert.equal(await open(calm, 1), 200);
});

test('the sixth stream of a visitor ends the first one', async () => {
  const visitor = await visit(platform, site);
  await visitor.write('hello');
  const streams: LiveClient[] = [];
  for (let opened = 0; opened < 6; opened += 1) streams.push(await visitor.live());
  await waitUntil('the first stream ends', () => streams[0]?.isClosed());
  assert.deepEqual(
    streams.map((stream) => stream.isClosed()),
    [true, false, false, false, false, false],
  );
  for (const stream of streams) await stream.close();
});

test('when visitors have their share of the streams, they are told to come later, and the people of the company still get one', async () => {
  // Half of 24 connections are for streams, and visitors may have three quarters of them.
  const visitors: TestVisitor[] = [];
  for (let index = 0; index < 10; index += 1) visitors.push(await visit(platform, site));
  for (const visitor of visitors) await visitor.write('hello');
  const streams: LiveClient[] = [];
  for (const visitor of visitors.slice(0, 9)) streams.push(await visitor.live());
  const last = visitors.at(-1);
  assert.ok(last);
  const { body, headers } = await last.call(429, 'GET', '/live');
  assert.equal(body.code, 'RATE_LIMITED');
  assert.ok(Number(headers.get('retry-after')) > 0);
  streams.push(await openLive(platform));
  for (const stream of streams) await stream.close();
  await call(200, 'GET', '/v1/inboxes');
});
