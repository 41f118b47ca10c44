/** Health checks while the database is unreachable and after it has returned, and the metrics. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { pino } from 'pino';
import { openTestDatabase, readDatabaseSocket } from '../../../test/support/database.ts';
import type { Json } from '../../../test/support/platform.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { start } from '../../boot/start.ts';
import { loadConfig } from '../../config.ts';
import { healthRoutes, metricsRoute, PLACEHOLDER_HEALTH } from './service.ts';
import { createServer as createApi } from './http.ts';
import { createLog, createMetrics } from '../work/telemetry.ts';

type Mood = 'open' | 'refusing' | 'silent';

/** A proxy in front of the database that can refuse all connections or stop forwarding any data. */
async function openCrossing(url: string) {
  const target = readDatabaseSocket(url);
  const sockets = new Set<Socket>();
  let mood: Mood = 'open';
  const server = createServer((near) => {
    near.on('error', () => near.destroy());
    if (mood === 'refusing') return void near.destroy();
    sockets.add(near);
    if (mood === 'silent') return;
    const far = connect(target);
    sockets.add(far);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (bytes) => mood !== 'silent' && to.write(bytes));
      from.on('close', () => to.destroy()).on('error', () => to.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String((server.address() as AddressInfo).port);
  const cutAll = (): void => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  return {
    url: through.href,
    set: (next: Mood) => {
      mood = next;
      if (next !== 'silent') cutAll();
    },
    close: () => {
      cutAll();
      server.close();
    },
  };
}

const database = await openTestDatabase();
const crossing = await openCrossing(database.url);
const folder = await mkdtemp(join(tmpdir(), 'parley-data-'));
const config = loadConfig({
  DATABASE_URL: crossing.url,
  DATA_DIR: folder,
  PORT: '0',
  SANDBOX: 'on',
  LOG_LEVEL: 'silent',
});
const running = await start(config, 'all', { log: createLog('silent') });
after(async () => {
  crossing.set('open');
  await running.stop();
  crossing.close();
  await database.close();
  await rm(folder, { recursive: true, force: true });
});
const { company_key: key } = JSON.parse(await readFile(join(folder, 'credentials.json'), 'utf8')) as Json;
const get = (path: string): Promise<Response> =>
  fetch(running.url + path, { headers: { authorization: `Bearer ${key}` } });

/** Waits until requests are answered again. A new database connection may take a second on a busy machine. */
const served = (): Promise<unknown> =>
  waitUntil('requests to be served', async () => (await get('/v1/inboxes')).status === 200);

describe('while the database is unreachable', () => {
  for (const mood of ['refusing', 'silent'] as const) {
    test(`while the database is ${mood}, requests get 503 with Retry-After, and the process is not ready; later it recovers by itself`, async () => {
      await served();
      crossing.set(mood);
      // Open connections fail with their next statement, after six seconds at the latest.
      const answers = await Promise.all(
        ['/v1/inboxes', '/v1/webhooks', '/health/ready', '/v1/inboxes?limit=1'].map(get),
      );
      for (const answer of answers) {
        assert.equal(answer.status, 503, await answer.clone().text());
        assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
        assert.equal(answer.headers.get('content-type'), 'application/problem+json');
        assert.equal(((await answer.json()) as Json).code, 'UNAVAILABLE');
      }
      assert.equal((await get('/health/live')).status, 200);
      // Every connection is new now, and is given up after DATABASE_WAIT.
      assert.equal((await get('/health/ready')).status, 503);
      crossing.set('open');
      await waitUntil('it to be ready again', async () => (await get('/health/ready')).status === 200);
      await served();
    });
  }
});

describe('the metrics', () => {
  test('metrics are open to programs of the same machine, are counted by route pattern, and contain no ids', async () => {
    const id = '0123456789abcdef01234567';
    await (await get(`/v1/inboxes/${id}`)).text();
    const text = await (await fetch(`${running.url}/metrics`)).text();
    assert.match(text, /parley_http_request_seconds_count\{method="GET",route="\/v1\/inboxes\/:id",status="404"\} \d+/);
    assert.match(text, /^process_resident_memory_bytes \d+/m);
    assert.ok(!text.includes(id));
  });

  test('without a token metrics are refused through a proxy of the same machine and to other machines', async () => {
    const app = createApi(createLog('silent'), createMetrics());
    metricsRoute(app, createMetrics(), null);
    const own = { remoteAddress: '127.0.0.1', headers: { host: '127.0.0.1:3000' } };
    const requests = [
      [200, own],
      [200, { remoteAddress: '::1', headers: { host: 'localhost' } }],
      [200, { remoteAddress: '::ffff:127.0.0.1', headers: { host: '[::1]:3000' } }],
      [401, { ...own, remoteAddress: '10.0.0.7' }],
      [401, { ...own, headers: { host: 'chat.example.com' } }],
      [401, { ...own, headers: { host: '127.0.0.1.example.com' } }],
      [401, { ...own, headers: { ...own.headers, 'x-forwarded-for': '203.0.113.9' } }],
      [401, { ...own, headers: { ...own.headers, forwarded: 'for=203.0.113.9' } }],
    ] as const;
    for (const [expected, request] of requests)
      assert.equal((await app.inject({ url: '/metrics', ...request })).statusCode, expected, JSON.stringify(request));
    await app.close();
  });

  test('with a token metrics are shown to whoever has it', async () => {
    const token = 'an operator’s token of sufficient length';
    const bearer = Buffer.from(`Bearer ${token}`).toString('latin1');
    for (const [own, authorization, expected] of [
      [token, undefined, 401],
      [token, `${bearer}x`, 401],
      ['ascii-token-of-thirty-two-letters', 'Bearer ascii-token-of-thirty-two-letters', 200],
    ] as const) {
      const app = createApi(createLog('silent'), createMetrics());
      metricsRoute(app, createMetrics(), own);
      const answer = await app.inject({ url: '/metrics', headers: authorization ? { authorization } : {} });
      assert.equal(answer.statusCode, expected, `${own} ${authorization}`);
      if (expected === 401) assert.equal(answer.headers['www-authenticate'], 'Bearer');
      await app.close();
    }
  });
});

test('a look at /health/ready while the process starts is answered 503, and no error is logged', async () => {
  const lines: string[] = [];
  const app = createApi(pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }), createMetrics());
  healthRoutes(app, PLACEHOLDER_HEALTH);
  const answer = await app.inject('/health/ready');
  assert.deepEqual([answer.statusCode, answer.headers['retry-after'], answer.json().code], [503, '1', 'UNAVAILABLE']);
  assert.deepEqual(lines, []);
  await app.close();
});
