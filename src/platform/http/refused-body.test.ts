/** How much of a body the server reads after it has refused the request, and for how long. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { after, test, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { stopClock } from '../../../test/support/clock.ts';
import { createServer } from './http.ts';
import { drainRefused } from './refused-body.ts';
import { createLog, createMetrics } from '../work/telemetry.ts';

const MEGABYTE = 1024 * 1024;
// What Node has already read when the request is refused, and what it reads until it notices the pause.
const READ_AHEAD_BYTES = 256 * 1024;

const app = createServer(createLog('silent'), createMetrics());
app.post('/', { config: { access: 'public' } }, () => 'fine');
await app.listen({ host: '127.0.0.1', port: 0 });
after(() => app.close());
const { port } = app.server.address() as AddressInfo;

/** Writes for ever, as fast as the server reads. */
async function pour(socket: Socket, piece: Buffer): Promise<void> {
  while (socket.writable) {
    if (!socket.write(piece)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
  }
}

for (const [name, head, piece] of [
  [
    'a chunked body',
    'transfer-encoding: chunked',
    Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(MEGABYTE, 'a'), Buffer.from('\r\n')]),
  ],
  ['a body of an announced terabyte', 'content-length: 1000000000000', Buffer.alloc(MEGABYTE, 'a')],
] as const) {
  test(`of ${name} that is refused at most 64 kB are read on, and its client receives the answer`, async () => {
    const accepted = once(app.server, 'connection');
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    let answer = '';
    socket.setEncoding('latin1').on('data', (text: string) => (answer += text));
    const [served] = (await accepted) as [Socket];
    const closed = once(served, 'close');
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\n${head}\r\n\r\n`);
    // Failure policy: the server closes the connection in the end, and only what it read and answered counts.
    pour(socket, piece).catch(() => undefined);
    await closed;
    assert.match(answer, /^HTTP\/1\.1 415 [^]*connection: close[^]*"code":"UNSUPPORTED_MEDIA_TYPE"/i);
    assert.ok(served.bytesRead <= 64 * 1024 + READ_AHEAD_BYTES, `${served.bytesRead} bytes were read`);
  });
}

const ANNOUNCED_BYTES = 64 * MEGABYTE;

interface RefusedRequest {
  /** Sends so many bytes of the body. Resolves when the server has read them, or reads no more. */
  send(bytes: number): Promise<void>;
  /** Moves the server's clock on, lets the server look at its limits, and returns whether it reads the body no longer. */
  isCutAfter(ms: number): Promise<boolean>;
  /** Resolves with what the client has received when the connection is closed. */
  answer: Promise<string>;
}

/** Begins a request whose body of 64 MB is refused, at a server whose clock is moved by the test alone. */
async function beginRefused(t: TestContext): Promise<RefusedRequest> {
  const passMs = stopClock(t);
  const over = Promise.withResolvers<void>();
  let isOver = false;
  let read = 0;
  let expected = 0;
  let allRead = Promise.withResolvers<void>();
  const server = createHttpServer((request, response) => {
    const drained = drainRefused(request, (bytes) => {
      read += bytes;
      if (read === expected) allRead.resolve();
      return 0;
    });
    void drained.then(() => {
      isOver = true;
      over.resolve();
      response.writeHead(415, { connection: 'close' }).end('refused');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The server has started its own timers by now, so the test moves only the timer that checks the limits.
  t.mock.timers.enable({ apis: ['setInterval'] });
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  t.after(async () => {
    socket.destroy();
    await once(server.close(), 'close');
  });
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => (received += text));
  socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${ANNOUNCED_BYTES}\r\n\r\n`);
  await once(server, 'request');
  return {
    send: async (bytes) => {
      expected += bytes;
      allRead = Promise.withResolvers();
      socket.write(Buffer.alloc(bytes, 'a'));
      await Promise.race([allRead.promise, over.promise]);
    },
    isCutAfter: async (ms) => {
      passMs(ms);
      t.mock.timers.tick(50);
      await turn();
      return isOver;
    },
    answer: once(socket, 'end').then(() => received),
  };
}

test('a refused body of 64 MB is read to its end beyond one second, as long as pieces arrive', async (t) => {
  const { send, isCutAfter, answer } = await beginRefused(t);
  for (let piece = 0; piece < 9; piece += 1) {
    assert.equal(await isCutAfter(1_000), false);
    await send(1);
  }
  await send(ANNOUNCED_BYTES - 9);
  assert.match(await answer, /^HTTP\/1\.1 415 [^]*refused/);
});

test('a refused body is cut off after 10 s, although pieces arrive', async (t) => {
  const { send, isCutAfter, answer } = await beginRefused(t);
  for (let piece = 0; piece < 10; piece += 1) {
    assert.equal(await isCutAfter(1_000), false);
    await send(1);
  }
  assert.equal(await isCutAfter(1), true);
  assert.match(await answer, /^HTTP\/1\.1 415 [^]*refused/);
});

test('a refused body is cut off after one second without a piece', async (t) => {
  const { send, isCutAfter, answer } = await beginRefused(t);
  await send(1);
  assert.equal(await isCutAfter(1_000), false);
  assert.equal(await isCutAfter(1), true);
  assert.match(await answer, /^HTTP\/1\.1 415 [^]*refused/);
});
