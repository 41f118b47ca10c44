/** One attempt against every kind of receiver. The slow receivers run at the same time, ten seconds for all of them. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { after, describe, test } from 'node:test';
import {
  createListeningCompany,
  waitForFinishedDeliveries,
  queueEvents,
  startReceiver,
} from '../../../test/support/deliveries.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { attemptDelivery } from './attempt.ts';
import type { ClaimedDelivery } from './delivery-queries.ts';

// An attempt ends after ATTEMPT_MS; LATE_MS is how much later it may end on a slow machine.
const ATTEMPT_MS = 10_000;
const LATE_MS = 4_000;

const SECRET = `secret-value-${'s'.repeat(80)}`;
const QUOTED = 'a "quoted" value';

const platform = await startPlatform();

/** Writes for as long as the client reads. */
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

/** Starts a TCP server that is no HTTP server: `answer` writes to each connection. */
async function startRaw(answer: (write: (text: string) => void) => void): Promise<string> {
  const server = createServer((socket) => {
    // Failure policy: the test wants the platform to close these connections, so their errors are expected.
    socket.on('error', () => undefined);
    socket.once('data', () => answer((text) => void (socket.destroyed || socket.write(text))));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  after(() => void server.close());
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/`;
}

/** Sends one event to this address and returns its delivery from the log. */
async function deliverTo(url: string, custom_headers = {}): Promise<Json> {
  const company = await createListeningCompany(platform, url, { custom_headers });
  await queueEvents(platform, company._id);
  const [delivery] = await waitForFinishedDeliveries(platform, company);
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

describe('one attempt of a delivery', { concurrency: true }, () => {
  test('any 2xx answer makes a delivery DELIVERED, and the log keeps status, duration and answer', async () => {
    const delivery = await deliverTo(`${receiver.url}/ok`);
    assertOutcome(delivery, { status: 'DELIVERED', response_status: 201, response_body: 'thank you', error: null });
    assert.ok(delivery.response_ms >= 0 && delivery.response_ms < ATTEMPT_MS);
  });

  test('an answer of 5xx makes a delivery FAILED, and it is not retried', async () => {
    assertOutcome(await deliverTo(`${receiver.url}/error`), failed('HTTP_STATUS', 503, 'not now'));
    assert.equal(receiver.at('/error').length, 1);
  });

  test('a redirect makes a delivery FAILED, and it is not followed', async () => {
    assertOutcome(await deliverTo(`${receiver.url}/redirect`), failed('REDIRECT', 307));
    assert.equal(receiver.at('/redirected').length, 0);
  });

  test('a connection that the receiver resets makes a delivery FAILED, and it is not retried', async () => {
    assertOutcome(await deliverTo(`${receiver.url}/reset`), failed('SOCKET'));
    assert.equal(receiver.at('/reset').length, 1);
  });

  test('a receiver that does not listen makes a delivery FAILED at once', async () => {
    assertOutcome(await deliverTo('http://127.0.0.1:1024/'), failed('CONNECT'));
  });

  test('an answer that is not HTTP makes a delivery FAILED', async () => {
    const url = await startRaw((write) => write('SSH-2.0-OpenSSH_9.9\r\n'));
    assertOutcome(await deliverTo(url), failed('SOCKET'));
  });

  test('a receiver that never answers makes a delivery FAILED after ten seconds', async () => {
    const delivery = await deliverTo(`${receiver.url}/hang`);
    assertOutcome(delivery, failed('TIMEOUT'));
    assertWholeWindow(delivery);
    assert.equal(receiver.at('/hang').length, 1);
  });

  test('a format of a door that never ends makes a delivery FAILED after ten seconds, and nothing is sent', async () => {
    const hook = { door: 'EVOLUTION', inbox: null, options: {}, api_key: null };
    const claimed = { _id: 'd', company: 'c', event: 'MESSAGE_RECEIVED', form: 'MESSAGES_UPSERT', body: '{}', hook };
    const delivery = { ...claimed, url: `${receiver.url}/formatted` } as unknown as ClaimedDelivery;
    const opened = { sent: {}, apiKey: null, secrets: [], longestSecret: 0 };
    const outcome = await attemptDelivery(platform.running.kit, delivery, {
      openHeaders: () => opened,
      buildDoorRequest: () => new Promise(() => undefined),
    });
    assertOutcome(outcome, failed('TIMEOUT'));
    assertWholeWindow(outcome);
    assert.equal(receiver.at('/formatted').length, 0);
  });

  test('a receiver that sends its headers byte by byte makes a delivery FAILED after ten seconds', async () => {
    let dripping = true;
    after(() => void (dripping = false));
    const url = await startRaw((write) => {
      write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => (dripping ? write('x-drop: 1\r\n') : clearInterval(timer)), 100);
    });
    const delivery = await deliverTo(url);
    assertOutcome(delivery, failed('TIMEOUT'));
    assertWholeWindow(delivery);
  });

  test('a body that comes byte by byte is cut after ten seconds, and the delivery is DELIVERED by its status 200 (defect 1)', async () => {
    const delivery = await deliverTo(`${receiver.url}/drip`);
    assert.equal(delivery.status, 'DELIVERED');
    assert.match(delivery.response_body, /^d{20,}$/);
    assertWholeWindow(delivery);
  });

  test('an endless or huge answer is cut at 4 kB without waiting for its end', async () => {
    const endless = await deliverTo(`${receiver.url}/endless`);
    const endlessBody = 'e'.repeat(4096);
    assertOutcome(endless, { status: 'DELIVERED', response_status: 200, response_body: endlessBody, error: null });
    const huge = await deliverTo(`${receiver.url}/huge`);
    assertOutcome(huge, failed('HTTP_STATUS', 500, 'h'.repeat(4096)));
    for (const { response_ms } of [endless, huge]) assert.ok(response_ms < ATTEMPT_MS);
  });

  test('header values that a receiver echoes do not reach the log, not even a part of one at the end of the answer', async () => {
    const delivery = await deliverTo(`${receiver.url}/echo`, { 'x-key': SECRET, 'x-quoted': QUOTED, 'x-short': 'a' });
    const { response_body } = delivery;
    assert.match(response_body, /^\{"headers":\["••••","••••","a"\],"padding":"p{3900}/);
    const [row] = await platform.database.sql('select * from deliveries where _id = $1', [delivery._id]);
    assert.ok(!JSON.stringify(row).includes('secret'));
  });

  test('an answer with bytes that are not UTF-8 text is kept as far as possible', async () => {
    assert.equal((await deliverTo(`${receiver.url}/nul`)).response_body, 'a\uFFFDb\uFFFD');
  });

  test('a target that has become a private address since it was saved makes a delivery FAILED, and is not called', async () => {
    const company = await createListeningCompany(platform, `${receiver.url}/ok`);
    const url = 'http://169.254.169.254/latest/meta-data';
    await platform.database.sql('update webhooks set url = $2 where company_id = $1', [company._id, url]);
    await queueEvents(platform, company._id);
    const [delivery] = await waitForFinishedDeliveries(platform, company);
    assertOutcome(delivery, failed('BLOCKED'));
  });
});
