import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request as ask } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { sendHalfBodies, type HalfSentRequest } from '../../../test/support/half-sent.ts';
import { connectPhone, makePhoneNumber, buildMessageNotification, openNetwork } from '../../../test/support/network.ts';
import { startPlatform } from '../../../test/support/platform.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { createBodies } from './bodies.ts';
import { AppError } from '../values/errors.ts';

const MEGABYTE = 1024 * 1024;
const platform = await startPlatform({ env: { BODIES_MB: '8', BODIES_MB_PER_ADDRESS: '4' } });
const network = await openNetwork(platform);
const phone = await connectPhone(platform);
const json = { authorization: `Bearer ${platform.demo.key}`, 'content-type': 'application/json' };

async function heldBytes(): Promise<number> {
  const text = await (await fetch(`${platform.url}/metrics`)).text();
  return Number(/^parley_bodies_held_bytes (\d+)$/m.exec(text)?.[1]);
}

describe('bodies that never end', () => {
  /** Sends 20 unfinished bodies of 800 kB each and checks that at most 4 MB are kept in memory. */
  async function assertBounded(request: HalfSentRequest): Promise<void> {
    const half = await sendHalfBodies(platform.url, 20, request);
    const refused = (): number => half.answers().filter((text) => text.startsWith('HTTP/1.1 429 ')).length;
    try {
      await waitUntil('the bodies over the limit to be refused', () => refused() >= 12);
      for (const answer of half.answers().filter((text) => text !== '')) assert.match(answer, /retry-after: 1\r\n/i);
      assert.ok((await heldBytes()) <= 4 * MEGABYTE);
      // Small requests are still served, also from the same address.
      await network.post(200, buildMessageNotification(phone, { from: makePhoneNumber() }));
      await platform.call(200, 'GET', '/v1/inboxes');
    } finally {
      half.close();
    }
    await waitUntil('their bytes to be given back', async () => (await heldBytes()) === 0);
  }

  test('unfinished callbacks use no more memory than the limit, the rest are answered 429, and other requests are served', () =>
    assertBounded({
      path: '/hooks/wap',
      headers: { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` },
      body: Buffer.alloc(800_000, ' '),
    }));

  test('unfinished JSON bodies use no more memory than the limit', () =>
    assertBounded({ path: '/v1/inboxes', headers: json, body: Buffer.alloc(800_000, ' ') }));

  test('unfinished text parts of forms use no more memory than the limit', () =>
    assertBounded({
      path: '/v1/contacts/import',
      headers: { ...json, 'content-type': 'multipart/form-data; boundary=x' },
      body: Buffer.from(`--x\r\ncontent-disposition: form-data; name="mapping"\r\n\r\n${' '.repeat(800_000)}`),
    }));

  test('a body that stops arriving is answered with 408, and its connection is closed', async () => {
    const half = await sendHalfBodies(platform.url, 1, {
      path: '/v1/inboxes',
      headers: json,
      body: Buffer.alloc(100, ' '),
    });
    await waitUntil('its connection to be closed', () => half.open() === 0);
    assert.match(half.answers()[0] ?? '', /^HTTP\/1\.1 408 [^]*"code":"REQUEST_TIMEOUT"/);
    assert.equal(await heldBytes(), 0);
  });

  test('requests that will be refused anyway are refused before their body ends, and nothing of it is kept in memory', async () => {
    const body = Buffer.alloc(MEGABYTE, ' ');
    const type = { 'content-type': 'application/json' };
    for (const [status, path, headers] of [
      [401, '/hooks/wap', type],
      [401, '/hooks/wap', { ...type, 'x-hub-signature-256': 'sha256=none' }],
      [401, '/v1/inboxes', type],
      [404, '/v1/nothing', type],
      [413, '/v1/auth/login', type],
      [413, '/v1/auth/forgot-password', type],
      [413, '/v1/auth/reset-password', type],
    ] as const) {
      const half = await sendHalfBodies(platform.url, 1, { path, headers, body });
      await waitUntil(`the answer of ${path}`, () => half.answers()[0]?.includes('\r\n\r\n'));
      assert.match(half.answers()[0] ?? '', new RegExp(`^HTTP/1.1 ${status} `), path);
      assert.equal(await heldBytes(), 0);
      half.close();
    }
  });
});

describe('the reader of bodies', async () => {
  const bodies = createBodies({ total: 100 * MEGABYTE, perAddress: 100 * MEGABYTE }, () => undefined);
  const outcomes: Promise<Buffer>[] = [];
  const server = createServer((raw, response) => {
    const request = { raw, ip: raw.socket.remoteAddress, headers: raw.headers } as unknown as FastifyRequest;
    const outcome = bodies.receive(request, 4 * MEGABYTE);
    outcomes.push(outcome);
    // Failure policy: the tests check the outcome themselves.
    void outcome.catch(() => undefined).then(() => response.end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => void server.close());
  const { port } = server.address() as AddressInfo;

  /** Opens a request whose pieces are written one by one, each after the server has received the one before. */
  async function open() {
    const request = ask({ port, method: 'POST' }).on('error', () => undefined);
    const connections = outcomes.length;
    const seen = once(server, 'request');
    request.flushHeaders();
    const [raw] = await seen;
    assert.equal(outcomes.length, connections + 1);
    let written = 0;
    return {
      outcome: outcomes.at(-1) as Promise<Buffer>,
      write: async (bytes: number) => {
        written += bytes;
        request.write(Buffer.alloc(bytes, 'a'));
        await waitUntil('the piece', () => raw.socket.bytesRead >= written);
      },
      end: () => request.end(),
    };
  }

  const look = (times: number): void => {
    for (let count = 0; count < times; count += 1) bodies.look();
  };

  test('a body that keeps arriving is read to its end, however long it takes', async () => {
    const { outcome, write, end } = await open();
    for (let round = 0; round < 8; round += 1) {
      await write(70_000);
      look(4);
    }
    end();
    assert.equal((await outcome).toString(), 'a'.repeat(8 * 70_000));
  });

  test('a body that brings one byte per second is cut off', async () => {
    const { outcome, write } = await open();
    const cut = assert.rejects(outcome, (error) => error instanceof AppError && error.code === 'REQUEST_TIMEOUT');
    for (let round = 0; round < 6; round += 1) {
      await write(1);
      look(1);
    }
    await cut;
  });

  test('bodies of an address that sends as fast as it can are read at 32 MB a second, and another address is served meanwhile', async () => {
    const send = async (localAddress: string): Promise<void> => {
      const request = ask({ port, method: 'POST', localAddress });
      request.end(Buffer.alloc(2 * MEGABYTE, 'a'));
      const [response] = await once(request, 'response');
      await once(response.resume(), 'end');
    };
    const began = performance.now();
    const otherServed = new AbortController();
    let megabytes = 0;
    const flood = async (): Promise<void> => {
      do {
        await send('127.0.0.2');
        megabytes += 2;
      } while (!otherServed.signal.aborted);
    };
    const many = Promise.all(Array.from({ length: 32 }, flood));
    await send('127.0.0.3');
    otherServed.abort();
    await many;
    // The last piece of a body is not paused for, so the address is somewhat ahead of its rate.
    const took = performance.now() - began;
    assert.ok(took > (1_000 * megabytes) / 64, `${megabytes} MB in ${took} ms`);
  });

  async function serveAt(bytesPerSecond: number): Promise<(body: RequestInit) => Promise<string>> {
    const slow = createBodies({ total: MEGABYTE, perAddress: MEGABYTE, bytesPerSecond }, () => undefined);
    const listener = createServer((raw, response) => {
      const request = { raw, ip: raw.socket.remoteAddress, headers: raw.headers } as unknown as FastifyRequest;
      void slow.receive(request, MEGABYTE).then(
        (body) => response.end(String(body.length)),
        (error: unknown) => response.end(error instanceof AppError ? error.code : String(error)),
      );
    }).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const looks = setInterval(slow.look, 10);
    after(() => {
      clearInterval(looks);
      listener.close();
    });
    const address = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
    return async (given) => (await fetch(address, { method: 'POST', ...given })).text();
  }

  test('a body that has arrived whole waits for no others of its address', async () => {
    // At this rate each byte would take the time of a test.
    const send = await serveAt(0.001);
    for (const length of [3_000, 300]) assert.equal(await send({ body: 'a'.repeat(length) }), String(length));
  });

  test('a body that the pace of its address holds back does not count as too slow', async () => {
    const send = await serveAt(1_000);
    // Without an announced length nobody knows that the body is whole.
    const body = new Blob(['a'.repeat(300)]).stream();
    assert.equal(await send({ body, duplex: 'half' }), '300');
  });

  test('a body that arrives byte by byte is read correctly', async () => {
    const text = 'The same body, however it is cut into pieces. '.repeat(500);
    const socket = connect(port, '127.0.0.1');
    const pieces = text
      .split('')
      .map((letter) => `1\r\n${letter}\r\n`)
      .join('');
    const before = outcomes.length;
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n${pieces}0\r\n\r\n`);
    await waitUntil('the request', () => outcomes.length > before);
    assert.equal((await outcomes.at(-1))?.toString(), text);
    socket.destroy();
  });
});
