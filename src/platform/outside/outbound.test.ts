import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import {
  writeSlowly,
  expectOutboundError,
  writeWithoutEnd,
  openOutbound,
  PATIENCE_MS,
  resetConnection,
  createDeadline,
  startPeer,
} from '../../../test/support/peers.ts';
import { startNameServer } from '../../../test/support/name-server.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import type { OutboundRequest } from './outbound.ts';

const OK = 'HTTP/1.1 200 OK\r\n';

function post(url: string, change: Partial<OutboundRequest> = {}): OutboundRequest {
  return { method: 'POST', url, body: '{}', signal: AbortSignal.timeout(PATIENCE_MS), maxBytes: 4096, ...change };
}

describe('the response to an outgoing call', () => {
  test('redirects are not followed, so headers reach no other host (defect 9)', async (context) => {
    const target = await startPeer(context, (socket) => socket.end(`${OK}\r\n`));
    const outbound = openOutbound(context);
    for (const status of [300, 301, 302, 303, 307, 308]) {
      for (const more of ['', 'refresh: 0; url=x\r\n']) {
        const head = `HTTP/1.1 ${status} Moved\r\nlocation: ${target.url}\r\n${more}content-length: 0\r\n\r\n`;
        const peer = await startPeer(context, (socket) => socket.write(head));
        const response = await outbound.tenant(post(peer.url, { headers: { 'X-Secret': 'word' } }));
        assert.equal(response.status, status);
        assert.equal(response.headers['location'], target.url);
        assert.match(peer.received[0]!, /X-Secret: word\r\n/);
      }
    }
    assert.deepEqual(target.received, []);
  });

  test('a request is sent once, exactly as given, and asks for no compression', async (context) => {
    const peer = await startPeer(context, (socket) =>
      socket.write(`${OK}Set-Cookie: a\r\nset-cookie: b\r\ncontent-length: 2\r\n\r\nok`),
    );
    const outbound = openOutbound(context);
    const request = post(`${peer.url}a%20b?c=d#e`, {
      headers: { 'Accept-Encoding': 'gzip' },
      body: Buffer.from('héllo'),
    });
    const { body, ...rest } = await outbound.tenant(request);
    assert.deepEqual(rest, { status: 200, headers: { 'set-cookie': 'a, b', 'content-length': '2' }, truncated: false });
    assert.equal(body.toString(), 'ok');
    assert.match(peer.received[0]!, /^POST \/a%20b\?c=d HTTP\/1\.1\r\n/);
    assert.match(peer.received[0]!, /accept-encoding: identity\r\n/);
    assert.doesNotMatch(peer.received[0]!, /gzip/);
    assert.ok(peer.received[0]!.endsWith(Buffer.from('héllo').toString('latin1')));
  });

  test('a response is cut at maxBytes, never decompressed, and complete when it has exactly maxBytes (defect 2)', async (context) => {
    const outbound = openOutbound(context);
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const head = `${OK}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`;
    const packed = await startPeer(context, (socket) => socket.write(Buffer.concat([Buffer.from(head), bomb])));
    const response = await outbound.tenant(post(packed.url, { maxBytes: 1000 }));
    assert.deepEqual([response.truncated, response.body], [true, bomb.subarray(0, 1000)]);
    const whole = await outbound.tenant(post(packed.url, { maxBytes: bomb.length }));
    assert.deepEqual([whole.truncated, whole.body.equals(bomb)], [false, true]);
    await waitUntil('the cut connection is closed, the other kept', () => packed.open() === 1);
  });

  test('a response that is endless, slow or broken after its status counts as truncated and not as failed', async (context) => {
    const outbound = openOutbound(context);
    const tails: Record<string, (socket: Socket) => unknown> = {
      endless: (socket) => writeWithoutEnd(socket, 'y'.repeat(65_536)),
      dripping: (socket) => writeSlowly(socket, 'y'),
      silent: () => {},
      reset: (socket) => setTimeout(resetConnection, 20, socket),
      closed: (socket) => socket.end('yy'),
    };
    for (const [name, tail] of Object.entries(tails)) {
      const peer = await startPeer(context, (socket) => {
        socket.write(`${OK}content-length: 1000000000\r\n\r\ny`);
        tail(socket);
      });
      const isEndedByUs = name === 'dripping' || name === 'silent';
      const { status, body, truncated } = await outbound.tenant(
        post(peer.url, isEndedByUs ? { signal: peer.createDeadline() } : {}),
      );
      assert.deepEqual([status, truncated], [200, true], name);
      assert.match(body.toString(), /^y+$/, name);
      if (name === 'endless') assert.equal(body.length, 4096);
      await waitUntil(`${name}: the socket is destroyed`, () => peer.open() === 0);
    }
  });
});

describe('a hostile receiver', () => {
  test('a call to a hostile receiver fails with the right kind by its deadline, is sent once, and leaves no socket open', async (context) => {
    const outbound = openOutbound(context);
    const after: [name: string, answer: (socket: Socket) => unknown, kind: string][] = [
      ['silence', () => {}, 'TIMEOUT'],
      ['dripping headers', (socket) => writeSlowly((socket.write(OK), socket), 'x-a: b\r\n'), 'TIMEOUT'],
      ['dripping status', (socket) => writeSlowly(socket, '\r\n'), 'TIMEOUT'],
      ['reset', resetConnection, 'SOCKET'],
      ['end', (socket) => socket.end(), 'SOCKET'],
      ['reset in the status', (socket) => socket.write('HTTP/1.1 2', () => resetConnection(socket)), 'SOCKET'],
      ['end in the headers', (socket) => socket.end(`${OK}content-le`), 'SOCKET'],
      ['not HTTP', (socket) => socket.write('\x16\x03\x01 hello\r\n\r\n'), 'SOCKET'],
      ['1xx flood', (socket) => writeWithoutEnd(socket, 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(99)), 'SOCKET'],
      ['100 continue', (socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n'), 'SOCKET'],
      ['upgrade', (socket) => socket.write('HTTP/1.1 101 Up\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'), 'SOCKET'],
      [
        'one huge header',
        (socket) => writeWithoutEnd((socket.write(`${OK}x: `), socket), 'h'.repeat(65_536)),
        'SOCKET',
      ],
      ['endless headers', (socket) => writeWithoutEnd((socket.write(OK), socket), 'x: y\r\n'.repeat(9999)), 'SOCKET'],
    ];
    for (const [name, answer, kind] of after) {
      const peer = await startPeer(context, answer);
      const request = post(peer.url, kind === 'TIMEOUT' ? { signal: peer.createDeadline() } : {});
      assert.deepEqual(await expectOutboundError(outbound.tenant(request)), { kind, sent: true }, name);
      assert.equal(peer.received.join('').match(/POST/g)?.length, 1, name);
      await waitUntil(name, () => peer.open() === 0);
    }
  });

  test('a receiver that breaks or answers nonsense on connecting is called at most once (defect 3)', async (context) => {
    const outbound = openOutbound(context);
    for (const answer of [
      resetConnection,
      (socket: Socket) => socket.end(),
      (socket: Socket) => socket.end('junk\r\n\r\n'),
    ]) {
      const peer = await startPeer(context, answer, false);
      const { kind, sent } = await expectOutboundError(outbound.tenant(post(peer.url)));
      // The reset may arrive before connect() has ended; then nothing was sent.
      assert.equal(kind, sent ? 'SOCKET' : 'CONNECT');
      assert.equal(peer.received.length, 1);
    }
  });

  test("a call fails without sending the request when the receiver's TLS handshake fails or hangs, and its socket is closed", async (context) => {
    const outbound = openOutbound(context);
    const answers: [answer: (socket: Socket) => unknown, kind: string][] = [
      [(socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'), 'TLS'],
      [(socket) => writeWithoutEnd(socket, '\x16\x03\x03\xff\xff'.repeat(999)), 'TLS'],
      [resetConnection, 'TLS'],
      [(socket) => socket.end(), 'TLS'],
      [() => {}, 'TIMEOUT'],
    ];
    for (const [answer, kind] of answers) {
      const peer = await startPeer(context, answer);
      const request = post(peer.url.replace('http:', 'https:'), kind === 'TIMEOUT' ? { signal: createDeadline() } : {});
      assert.deepEqual(await expectOutboundError(outbound.tenant(request)), { kind, sent: false });
      await waitUntil(kind, () => peer.open() === 0);
    }
  });

  test('a hundred calls to hostile receivers at once all end by their deadline', async (context) => {
    const outbound = openOutbound(context, { connections: 100 });
    const silent = await startPeer(context, () => {});
    const endless = await startPeer(context, (socket) =>
      writeWithoutEnd((socket.write(`${OK}\r\n`), socket), 'z'.repeat(9999)),
    );
    const calls = Array.from({ length: 50 }, () => [
      expectOutboundError(outbound.tenant(post(silent.url, { signal: createDeadline() }))),
      outbound.tenant(post(endless.url)).then(({ truncated }) => assert.ok(truncated)),
    ]);
    await Promise.all(calls.flat());
    await waitUntil('every socket is closed', () => silent.open() + endless.open() === 0);
  });
});

describe('a request that cannot be made', () => {
  test('a call that was not sent reports whether the name, the connection, the signal or the request was the reason', async (context) => {
    const outbound = openOutbound(context);
    const gone = createServer().listen(0, '127.0.0.1');
    await once(gone, 'listening');
    const { port } = gone.address() as AddressInfo;
    await new Promise((closed) => gone.close(closed));
    const peer = await startPeer(context, () => {});
    const refused = expectOutboundError(outbound.tenant(post(`http://127.0.0.1:${port}/`)));
    assert.deepEqual(await refused, { kind: 'CONNECT', sent: false });
    const aborted = post(peer.url, { signal: AbortSignal.abort() });
    assert.deepEqual(await expectOutboundError(outbound.tenant(aborted)), { kind: 'TIMEOUT', sent: false });
    assert.deepEqual(await expectOutboundError(outbound.tenant(post('http://name.invalid/'))), {
      kind: 'DNS',
      sent: false,
    });
    for (const headers of [{ Host: 'x' }, { 'proxy-authorization': 'x' }, { a: 'b\r\nc: d' }, { 'a b': 'c' }]) {
      assert.deepEqual(await expectOutboundError(outbound.tenant(post(peer.url, { headers }))), {
        kind: 'BLOCKED',
        sent: false,
      });
    }
    assert.deepEqual(peer.received, []);
  });

  test('a call waits for a free connection only until its deadline, and is then not sent', async (context) => {
    const outbound = openOutbound(context, { connections: 1 });
    const peer = await startPeer(context, () => {});
    const giveUp = new AbortController();
    const first = expectOutboundError(outbound.tenant(post(peer.url, { signal: giveUp.signal })));
    await waitUntil('the first request', () => peer.received.join('').includes('POST'));
    const second = outbound.tenant(post(peer.url, { signal: createDeadline() }));
    assert.deepEqual(await expectOutboundError(second), { kind: 'TIMEOUT', sent: false });
    giveUp.abort();
    assert.deepEqual(await first, { kind: 'TIMEOUT', sent: true });
    assert.equal(peer.received.join('').match(/POST/g)?.length, 1);
  });
});

describe('the address guard for host names', () => {
  test('the address guard checks the address that is connected to, so changing or mixed DNS answers reach no blocked address (defect 6)', async (context) => {
    const peer = await startPeer(context, (socket) => socket.end(`${OK}\r\n`));
    const port = new URL(peer.url).port;
    const server = await startNameServer(context);
    const outbound = openOutbound(context, { allow: ['127.0.0.1'], nameServers: [server.address] });
    let strangers = 0;
    // Failure policy: on a system without 127.0.0.2 no server can listen there; the error kinds are still checked.
    const canary = createServer(() => (strangers += 1)).on('error', () => {});
    canary.listen(Number(port), '127.0.0.2');
    context.after(() => canary.close());
    server.names.set('rebind.test', ['127.0.0.1']);
    assert.equal((await outbound.tenant(post(`http://rebind.test:${port}/`))).status, 200);
    for (const addresses of [['127.0.0.2'], ['::1'], ['127.0.0.2', '127.0.0.3']]) {
      server.names.set('rebind.test', addresses);
      const call = outbound.tenant(post(`https://rebind.test:${port}/`));
      assert.deepEqual(await expectOutboundError(call), { kind: 'BLOCKED', sent: false });
    }
    server.names.set('rebind.test', ['127.0.0.2', '127.0.0.1']);
    assert.equal((await outbound.tenant(post(`http://rebind.test:${port}/`))).status, 200);
    assert.deepEqual([peer.received.length, strangers], [2, 0]);
  });

  test('of a trusted server only URLs below the trusted one may be called, whatever name of the machine a URL uses', async (context) => {
    const peer = await startPeer(context, (socket) => socket.end(`${OK}\r\n`));
    const { origin, port } = new URL(peer.url);
    const outbound = openOutbound(context, { allow: ['127.0.0.0/8', '::1'], trusted: [`${origin}/receiver`] });
    for (const path of ['/receiver', '/receiver/', '/receiver/a/b?c=1']) {
      assert.equal((await outbound.tenant(post(origin + path))).status, 200);
      assert.equal(await outbound.refuse(origin + path), null);
    }
    const paths = ['/', '/sandbox/reset', '/receivers', '/receiver/../sandbox/reset', '/receiver/%2e%2e/sandbox/reset'];
    const names = ['127.0.0.1', '127.1', '0x7f000001', 'localhost', 'LOCALHOST.', 'a.localhost', '0.0.0.0', '[::1]'];
    const byName = [...names, '[::ffff:127.0.0.1]'].map((name) => `http://${name}:${port}/sandbox/reset`);
    for (const url of [...paths.map((path) => origin + path), ...byName]) {
      assert.deepEqual(await expectOutboundError(outbound.tenant(post(url))), { kind: 'BLOCKED', sent: false }, url);
      assert.match((await outbound.refuse(url)) ?? '', /only \/receiver/, url);
    }
    assert.equal(peer.received.length, 3);
  });

  test("calls to a trusted origin and to the operator's URLs are not guarded, but calls to another port of the same host are", async (context) => {
    const trusted = await startPeer(context, (socket) => socket.end(`${OK}\r\n`));
    const other = await startPeer(context, (socket) => socket.end(`${OK}\r\n`));
    const outbound = openOutbound(context, { allow: [], trusted: [new URL(trusted.url).origin] });
    assert.equal((await outbound.tenant(post(trusted.url))).status, 200);
    assert.equal((await outbound.operator(post(other.url))).status, 200);
    assert.deepEqual(await expectOutboundError(outbound.tenant(post(other.url))), { kind: 'BLOCKED', sent: false });
    assert.equal(other.received.length, 1);
  });
});
