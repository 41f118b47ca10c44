/** Tests bodies that are streamed to other hosts and from them, over real connections. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, test, type TestContext } from 'node:test';
import { createMemoryMeter } from '../../../test/support/memory.ts';
import {
  writeWithoutEnd,
  openOutbound,
  PATIENCE_MS,
  resetConnection,
  createDeadline,
  startPeer,
  expectOutboundError,
} from '../../../test/support/peers.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import type { OutboundRequest } from './outbound.ts';
import type { StreamedBody } from './outbound-stream.ts';

const MEGABYTE = 1024 * 1024;
const SIZE = 100 * MEGABYTE;
/**
 * The most memory that a transfer may use. One that kept what has passed would use as much as the content has; one that keeps nothing uses
 * some megabytes, and more where a busy machine frees them late.
 */
const HELD_BYTES = SIZE / 2;
/** The most that the system's buffers of one connection on this machine take from a sender whose receiver does not read. */
const IN_FLIGHT_BYTES = 32 * MEGABYTE;
const OK = 'HTTP/1.1 200 OK\r\n';

/** Yields `SIZE` bytes that differ from megabyte to megabyte. */
async function* content(): AsyncGenerator<Buffer> {
  for (let index = 0; index < SIZE / MEGABYTE; index += 1) yield Buffer.alloc(MEGABYTE, `megabyte ${index} `);
}

async function hashContent(): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of content()) hash.update(piece);
  return hash.digest('hex');
}

async function serve(context: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Returns the abort signal of a test. It is fired late, because a busy machine may need long for 100 MB. */
const unhurried = (): AbortSignal => AbortSignal.timeout(600_000);

async function makeFolder(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-stream-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function get(url: string, change: Partial<OutboundRequest> = {}): OutboundRequest {
  return { method: 'GET', url, signal: AbortSignal.timeout(PATIENCE_MS), maxBytes: SIZE, ...change };
}

const put = (url: string, body: StreamedBody, change: Partial<OutboundRequest> = {}): OutboundRequest =>
  get(url, { method: 'PUT', body, ...change });

const bodyOf = (text: string, bytes = text.length): StreamedBody => ({
  stream: Readable.from([Buffer.from(text)]),
  bytes,
});

describe('large bodies', () => {
  test('100 MB are downloaded to a file and uploaded from it unchanged, and little memory is held meanwhile', async (context) => {
    const arrived = createHash('sha256');
    const url = await serve(context, (request, response) => {
      if (request.method === 'GET') {
        response.writeHead(200, { 'content-length': SIZE });
        return void pipeline(Readable.from(content(), { objectMode: false }), response);
      }
      request.on('data', (chunk: Buffer) => arrived.update(chunk));
      request.on('end', () => response.end(request.headers['content-length']));
    });
    const path = join(await makeFolder(context), 'content');
    const outbound = openOutbound(context);
    const expected = await hashContent();

    const down = createMemoryMeter();
    const { status, headers, body } = await outbound.streamTenant(get(url, { signal: unhurried() }));
    assert.deepEqual([status, headers['content-length']], [200, String(SIZE)]);
    await pipeline(body, down.pass, createWriteStream(path));
    assert.equal(down.sha256(), expected);

    const up = createMemoryMeter();
    const stream = Readable.from(up.pass(createReadStream(path)), { objectMode: false });
    const answer = await outbound.operator(put(url, { stream, bytes: SIZE }, { signal: unhurried() }));
    assert.deepEqual([answer.status, answer.body.toString()], [200, String(SIZE)]);
    assert.deepEqual([up.sha256(), arrived.digest('hex')], [expected, expected]);

    context.diagnostic(`held at most: ${down.most()} bytes down, ${up.most()} bytes up`);
    assert.ok(down.most() < HELD_BYTES && up.most() < HELD_BYTES);
  });

  test('a slow reader slows the sender down, in both directions', async (context) => {
    const outbound = openOutbound(context);
    let sent = 0;
    const fast = await startPeer(context, (socket) => {
      socket.write(`${OK}content-length: ${SIZE}\r\n\r\n`);
      const more = () => {
        while (!socket.destroyed && sent < SIZE && socket.write(Buffer.alloc(65_536))) sent += 65_536;
      };
      socket.on('drain', more);
      more();
    });
    const { body } = await outbound.streamTenant(get(fast.url));
    await once(body, 'readable');

    let read = 0;
    let unread: Socket | null = null as Socket | null;
    const slow = await startPeer(context, (socket) => {
      socket.pause();
      // The test closes this socket itself, because a connection that is not read does not notice that it was closed.
      unread = socket;
    });
    const counted = async function* (): AsyncGenerator<Buffer> {
      for await (const piece of content()) {
        read += piece.length;
        yield piece;
      }
    };
    const upload = put(slow.url, { stream: Readable.from(counted(), { objectMode: false }), bytes: SIZE });
    assert.deepEqual(await expectOutboundError(outbound.tenant({ ...upload, signal: slow.createDeadline() })), {
      kind: 'TIMEOUT',
      sent: true,
    });
    // The upload has reached its deadline, so the download had the same time to send everything.
    assert.ok(sent > 0 && sent < IN_FLIGHT_BYTES, `${sent} bytes were sent to nobody who reads`);
    assert.ok(read > 0 && read < IN_FLIGHT_BYTES, `${read} bytes were read for nobody who takes them`);
    body.destroy();
    unread?.resume();
    await waitUntil('both sockets are closed', () => fast.open() + slow.open() === 0);
  });
});

describe('a streamed answer', () => {
  test('the first bytes of a slow answer are handed on before the others arrive', async (context) => {
    const peer = await startPeer(context, (socket) => socket.write(`${OK}content-length: 4\r\n\r\nab`));
    const { body } = await openOutbound(context).streamTenant(get(peer.url));
    const [first] = (await once(body, 'data')) as [Buffer];
    assert.equal(first.toString(), 'ab');
    body.destroy();
  });

  test('an answer is complete with exactly maxBytes, and its connection is used again', async (context) => {
    const sockets = new Set<unknown>();
    const url = await serve(context, (request, response) => {
      sockets.add(request.socket);
      response.end('x'.repeat(1000));
    });
    const outbound = openOutbound(context, { connections: 1 });
    for (let round = 0; round < 3; round += 1) {
      const { body } = await outbound.streamTenant(get(url, { maxBytes: 1000 }));
      assert.equal(Buffer.concat((await body.toArray()) as Buffer[]).length, 1000);
    }
    assert.equal(sockets.size, 1);
  });

  test('an answer that is too large, too slow or cut off ends in an error of its kind, and its socket is closed', async (context) => {
    const outbound = openOutbound(context);
    const start = `${OK}content-length: 1000000\r\n\r\n`;
    const answers: [
      name: string,
      peer: Parameters<typeof startPeer>[1],
      change: Partial<OutboundRequest>,
      kind: string,
    ][] = [
      ['announced as too large', (socket) => socket.write(`${start}y`), { maxBytes: 999_999 }, 'TOO_LARGE'],
      [
        'too large',
        (socket) => writeWithoutEnd((socket.write(`${OK}\r\n`), socket), 'y'.repeat(9999)),
        {},
        'TOO_LARGE',
      ],
      ['silent', (socket) => socket.write(`${start}y`), {}, 'TIMEOUT'],
      ['reset', (socket) => socket.write(`${start}y`, () => setTimeout(resetConnection, 20, socket)), {}, 'SOCKET'],
      ['ended early', (socket) => socket.end(`${start}y`), {}, 'SOCKET'],
      ['a broken chunk', (socket) => socket.write(`${OK}transfer-encoding: chunked\r\n\r\n1\r\nyy`), {}, 'SOCKET'],
    ];
    for (const [name, behave, change, kind] of answers) {
      const peer = await startPeer(context, behave);
      const signal = kind === 'TIMEOUT' ? peer.createDeadline() : AbortSignal.timeout(PATIENCE_MS);
      const request = get(peer.url, { maxBytes: 1_000_000, signal, ...change });
      const { status, body } = await outbound.streamTenant(request);
      assert.equal(status, 200, name);
      assert.deepEqual(await expectOutboundError(body.toArray()), { kind, sent: true }, name);
      await waitUntil(`${name}: the socket is closed`, () => peer.open() === 0);
    }
  });

  test('an error in a streamed answer is reported to the caller, even if the caller reads the answer later', async (context) => {
    const peer = await startPeer(context, (socket) => socket.end(`${OK}content-length: 9\r\n\r\nyy`));
    const { body } = await openOutbound(context).streamTenant(get(peer.url));
    await waitUntil('the answer breaks', () => body.errored !== null);
    assert.deepEqual(await expectOutboundError(body.toArray()), { kind: 'SOCKET', sent: true });
  });

  test('a complete answer is no error when its peer closes the connection before the last bytes are read', async (context) => {
    // This is more than the stream buffers, so that the connection is paused before the end of the body.
    const bytes = MEGABYTE;
    const outbound = openOutbound(context);
    for (let more = 0; more < 70; more += 1) {
      const size = bytes + more * 13;
      const peer = await startPeer(context, (socket) => {
        socket.end(Buffer.concat([Buffer.from(`${OK}content-length: ${size}\r\n\r\n`), Buffer.alloc(size)]));
      });
      const { body } = await outbound.streamTenant(get(peer.url));
      let read = 0;
      for await (const piece of body as AsyncIterable<Buffer>) {
        read += piece.length;
        await new Promise((resolve) => setImmediate(resolve));
      }
      assert.equal(read, size);
    }
  });

  test('the socket of a streamed answer is closed when the caller stops reading', async (context) => {
    const outbound = openOutbound(context);
    const peer = await startPeer(context, (socket) =>
      writeWithoutEnd((socket.write(`${OK}\r\n`), socket), 'y'.repeat(9999)),
    );
    const { body: unread } = await outbound.streamTenant(get(peer.url));
    unread.destroy();
    const { body: begun } = await outbound.streamTenant(get(peer.url));
    for await (const _ of begun) break;
    const giveUp = new AbortController();
    const { body: aborted } = await outbound.streamTenant(get(peer.url, { signal: giveUp.signal }));
    giveUp.abort();
    assert.deepEqual(await expectOutboundError(aborted.toArray()), { kind: 'TIMEOUT', sent: true });
    await waitUntil('every socket is closed', () => peer.open() === 0);
    assert.equal(peer.received.length, 3);
  });

  test('a call without an answer fails like one whose body is not streamed', async (context) => {
    const outbound = openOutbound(context);
    const peer = await startPeer(context, (socket) => socket.end());
    assert.deepEqual(await expectOutboundError(outbound.streamTenant(get(peer.url))), { kind: 'SOCKET', sent: true });
    const inner = get(peer.url.replace('127.0.0.1', '10.0.0.1'));
    assert.deepEqual(await expectOutboundError(outbound.streamTenant(inner)), { kind: 'BLOCKED', sent: false });
    const aborted = get(peer.url, { signal: AbortSignal.abort() });
    assert.deepEqual(await expectOutboundError(outbound.streamOperator(aborted)), { kind: 'TIMEOUT', sent: false });
  });
});

describe('a streamed request', () => {
  test('a streamed request carries its length, and one without bytes is sent as well', async (context) => {
    const peer = await startPeer(context, (socket) => socket.end(`${OK}content-length: 0\r\n\r\n`));
    const outbound = openOutbound(context);
    assert.equal((await outbound.tenant(put(peer.url, bodyOf('héllo', 6)))).status, 200);
    assert.equal((await outbound.tenant(put(peer.url, { stream: Readable.from([]), bytes: 0 }))).status, 200);
    assert.match(peer.received[0] ?? '', /content-length: 6\r\n\r\nh\u00c3\u00a9llo$/);
    assert.match(peer.received[1] ?? '', /content-length: 0\r\n\r\n$/);
    assert.doesNotMatch(peer.received.join(), /transfer-encoding/);
  });

  test('a request whose body fails or has another length than announced is never completed, and fails with its own error', async (context) => {
    const outbound = openOutbound(context);
    const peer = await startPeer(context, () => undefined);
    const broken = Readable.from(
      (async function* () {
        yield Buffer.from('abc');
        throw new Error('the disk is broken');
      })(),
    );
    const bodies = [
      () => bodyOf('four', 3),
      () => bodyOf('four', 5),
      () => ({ stream: broken, bytes: 9 }),
      () => ({ stream: createReadStream('/nowhere/at/all'), bytes: 9 }),
    ];
    for (const make of bodies) {
      const body = make();
      assert.deepEqual(await expectOutboundError(outbound.tenant(put(peer.url, body))), { kind: 'BODY', sent: true });
      assert.equal(body.stream.destroyed, true);
    }
    await waitUntil('every socket is closed', () => peer.open() === 0);
  });

  test('the stream of a body is destroyed however its call ends', async (context) => {
    const outbound = openOutbound(context);
    const early = await startPeer(context, (socket) => socket.write(`${OK}content-length: 0\r\n\r\n`));
    const silent = await startPeer(context, () => undefined);
    const endless = (): StreamedBody => ({ stream: new Readable({ read: () => undefined }), bytes: 9 });
    const begun = (): StreamedBody => {
      const { stream, bytes } = endless();
      stream.push('abc');
      return { stream, bytes };
    };
    const calls: [body: StreamedBody, call: (body: StreamedBody) => Promise<unknown>][] = [
      [begun(), (body) => outbound.tenant(put(early.url, body))],
      [begun(), (body) => expectOutboundError(outbound.tenant(put(silent.url, body, { signal: createDeadline() })))],
      [endless(), (body) => expectOutboundError(outbound.tenant(put(silent.url, body, { signal: createDeadline() })))],
      [endless(), (body) => expectOutboundError(outbound.tenant(put('http://10.0.0.1/', body)))],
      [endless(), (body) => expectOutboundError(outbound.tenant(put(silent.url, body, { headers: { host: 'x' } })))],
      [endless(), (body) => expectOutboundError(outbound.operator(put('http://127.0.0.1:1/', body)))],
      [
        endless(),
        (body) => expectOutboundError(outbound.operator(put(silent.url, body, { signal: AbortSignal.abort() }))),
      ],
    ];
    for (const [body, call] of calls) {
      await call(body);
      assert.equal(body.stream.destroyed, true);
    }
    await waitUntil('every socket is closed', () => early.open() + silent.open() === 0);
  });
});
