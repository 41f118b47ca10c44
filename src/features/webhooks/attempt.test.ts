/** One attempt against every kind of receiver. The slow ones take their ten seconds side by side. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { after, describe, test } from 'node:test';
import { createListener, finishedDeliveries, queueEvents, startReceiver } from '../../../test/support/deliveries.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';

// One window for all of an attempt; what is above it is this machine's own slowness.
const ATTEMPT_MS = 10_000;
const LATE_MS = 4_000;

const SECRET = `secret-value-${'s'.repeat(80)}`;
const QUOTED = 'a "quoted" value';

const platform = await startPlatform({ env: { OUTBOUND_ALLOW: '127.0.0.0/8' } });

/** Writes for as long as the other side reads. */
function pour(response: ServerResponse, chunk: Buffer): void {
  while (!response.destroyed && response.write(chunk));
  if (!response.destroyed) response.once('drain', () => pour(response, chunk));
}

const behaviours: Record<string, (response: ServerResponse) => void> = {
  '/ok': (response) => void response.writeHead(201).end('thank you'),
  '/error': (response) => void response.writeHead(503).end('not now'),
  '/redirect': (response) => void response.writeHead(307, { location: '/redirected' }).end(),
  '/reset': (response) => void response.socket?.resetAndDestroy(),
  '/hang': () => undefined,
  '/endless': (response) => pour(response.writeHead(200), Buffer.alloc(65_536, 'e')),
  '/huge': (response) => void response.writeHead(500).end(Buffer.alloc(20 * 1024 * 1024, 'h')),
  '/nul': (response) => void response.writeHead(200).end(Buffer.from([0x61, 0x00, 0x62, 0xff])),
  '/echo': (response) =>
    void response
      .writeHead(200)
      .end(JSON.stringify({ headers: [SECRET, QUOTED, 'a'], padding: 'p'.repeat(4000), SECRET })),
  '/drip': (response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('d'), 100);
    response.once('close', () => clearInterval(timer));
  },
};

const receiver = await startReceiver((response, { path }) => {
  const behave = behaviours[path];
  if (behave) return behave(response);
  return void response.writeHead(204).end();
});

/** A server below HTTP: answers each connection as `answer` says. */
async function startRaw(answer: (write: (text: string) => void) => void): Promise<string> {
  const server = createServer((socket) => {
    // Failure policy: the platform gives these connections up; that is what is tested.
    socket.on('error', () => undefined);
    socket.once('data', () => answer((text) => void (socket.destroyed || socket.write(text))));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  after(() => void server.close());
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/`;
}

/** What the log says of one event that is sent there. */
async function outcomeAt(url: string, custom_headers = {}): Promise<Json> {
  const company = await createListener(platform, url, { custom_headers });
  await queueEvents(platform, company._id);
  const [delivery] = await finishedDeliveries(platform, company);
  assert.ok(delivery.attempted_at >= delivery.queued_at && delivery.finished_at >= delivery.attempted_at);
  return delivery;
}

function assertOutcome(delivery: Json, expected: Record<string, unknown>): void {
  const { status, response_status, response_body, error } = delivery;
  assert.deepEqual({ status, response_status, response_body, error }, expected);
}

function assertWholeWindow(delivery: Json): void {
  const { response_ms: took } = delivery;
  assert.ok(took >= ATTEMPT_MS - 50 && took < ATTEMPT_MS + LATE_MS, `it took ${took} ms`);
}

const failed = (error: string, response_status: number | null = null, response_body: string | null = null) => ({
  status: 'FAILED',
  response_status,
  response_body,
  error,
});

describe('one attempt', { concurrency: true }, () => {
  test('any 2xx is DELIVERED, and the log keeps status, time and answer', async () => {
    const delivery = await outcomeAt(`${receiver.url}/ok`);
    assertOutcome(delivery, { status: 'DELIVERED', response_status: 201, response_body: 'thank you', error: null });
    assert.ok(delivery.response_ms >= 0 && delivery.response_ms < ATTEMPT_MS);
  });

  test('a 5xx is FAILED and is not tried again', async () => {
    assertOutcome(await outcomeAt(`${receiver.url}/error`), failed('HTTP_STATUS', 503, 'not now'));
    assert.equal(receiver.at('/error').length, 1);
  });

  test('a redirect is FAILED and is not followed', async () => {
    assertOutcome(await outcomeAt(`${receiver.url}/redirect`), failed('REDIRECT', 307));
    assert.equal(receiver.at('/redirected').length, 0);
  });

  test('a connection reset by the receiver is FAILED and is not tried again', async () => {
    assertOutcome(await outcomeAt(`${receiver.url}/reset`), failed('SOCKET'));
    assert.equal(receiver.at('/reset').length, 1);
  });

  test('a receiver that does not listen is FAILED at once', async () => {
    assertOutcome(await outcomeAt('http://127.0.0.1:1024/'), failed('CONNECT'));
  });

  test('an answer that is not HTTP is FAILED', async () => {
    const url = await startRaw((write) => write('SSH-2.0-OpenSSH_9.9\r\n'));
    assertOutcome(await outcomeAt(url), failed('SOCKET'));
  });

  test('a receiver that never answers is FAILED after ten seconds', async () => {
    const delivery = await outcomeAt(`${receiver.url}/hang`);
    assertOutcome(delivery, failed('TIMEOUT'));
    assertWholeWindow(delivery);
    assert.equal(receiver.at('/hang').length, 1);
  });

  test('a receiver that drips its headers is FAILED after ten seconds', async () => {
    let dripping = true;
    after(() => void (dripping = false));
    const url = await startRaw((write) => {
      write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => (dripping ? write('x-drop: 1\r\n') : clearInterval(timer)), 100);
    });
    const delivery = await outcomeAt(url);
    assertOutcome(delivery, failed('TIMEOUT'));
    assertWholeWindow(delivery);
  });

  test('a receiver that drips its body is cut after ten seconds; its 200 had already decided (defect 1)', async () => {
    const delivery = await outcomeAt(`${receiver.url}/drip`);
    assert.equal(delivery.status, 'DELIVERED');
    assert.match(delivery.response_body, /^d{20,}$/);
    assertWholeWindow(delivery);
  });

  test('an endless or a huge answer is cut at 4 kB without waiting for its end', async () => {
    const endless = await outcomeAt(`${receiver.url}/endless`);
    const endlessBody = 'e'.repeat(4096);
    assertOutcome(endless, { status: 'DELIVERED', response_status: 200, response_body: endlessBody, error: null });
    const huge = await outcomeAt(`${receiver.url}/huge`);
    assertOutcome(huge, failed('HTTP_STATUS', 500, 'h'.repeat(4096)));
    for (const { response_ms } of [endless, huge]) assert.ok(response_ms < ATTEMPT_MS);
  });

  test('a receiver that echoes the custom headers does not bring their values into the log, nor a part of one at its end', async () => {
    const delivery = await outcomeAt(`${receiver.url}/echo`, { 'x-key': SECRET, 'x-quoted': QUOTED, 'x-short': 'a' });
    const { response_body } = delivery;
    assert.match(response_body, /^\{"headers":\["••••","••••","a"\],"padding":"p{3900}/);
    const [row] = await platform.database.sql('select * from deliveries where _id = $1', [delivery._id]);
    assert.ok(!JSON.stringify(row).includes('secret'));
  });

  test('an answer with bytes that are no text is kept as far as it can be', async () => {
    assert.equal((await outcomeAt(`${receiver.url}/nul`)).response_body, 'a\uFFFDb\uFFFD');
  });

  test('a target that has become private since it was saved is FAILED, and nobody is called', async () => {
    const company = await createListener(platform, `${receiver.url}/ok`);
    const url = 'http://169.254.169.254/latest/meta-data';
    await platform.database.sql('update webhooks set url = $2 where company_id = $1', [company._id, url]);
    await queueEvents(platform, company._id);
    const [delivery] = await finishedDeliveries(platform, company);
    assertOutcome(delivery, failed('BLOCKED'));
  });
});
