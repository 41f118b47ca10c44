/** Connections for protocols other than HTTP, to real TCP and TLS servers. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { makeCertificate } from '../../../sandbox/mail/certificate.ts';
import {
  expectOutboundError,
  openOutbound,
  PATIENCE_MS,
  createDeadline,
  startPeer,
} from '../../../test/support/peers.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const patient = (tls: boolean) => ({ tls, signal: AbortSignal.timeout(PATIENCE_MS) });

/** Starts a TLS server that greets like a mail server. Returns its port and its certificate. */
async function startTlsServer(context: TestContext): Promise<{ port: number; cert: string }> {
  const { key, cert } = makeCertificate();
  const server = createTlsServer({ key, cert, ALPNProtocols: ['imap'] }, (socket) => {
    socket.on('error', () => undefined).write('* OK ready\r\n');
  });
  server.on('tlsClientError', () => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => server.close());
  return { port: (server.address() as AddressInfo).port, cert };
}

test('a connection carries bytes both ways, and belongs to its caller', async (context) => {
  const peer = await startPeer(context, (socket) => socket.write('220 ready\r\n'), false);
  const socket = await openOutbound(context).connect('127.0.0.1', peer.port, patient(false));
  assert.equal(String((await once(socket, 'data'))[0]), '220 ready\r\n');
  socket.write('EHLO parley\r\n');
  await waitUntil('the greeting arrives', () => peer.received[0] === 'EHLO parley\r\n');
  socket.destroy();
  await waitUntil('the socket is closed', () => peer.open() === 0);
});

test('a TLS connection is established only with a certificate that is valid for the host', async (context) => {
  const { port, cert } = await startTlsServer(context);
  const outbound = openOutbound(context);
  assert.deepEqual(await expectOutboundError(outbound.connect('127.0.0.1', port, patient(true))), {
    kind: 'TLS',
    sent: false,
  });
  const usual = getCACertificates('default');
  setDefaultCACertificates([...usual, cert]);
  context.after(() => setDefaultCACertificates(usual));
  for (const host of ['127.0.0.1', 'localhost']) {
    const socket = await outbound.connect(host, port, patient(true));
    assert.equal(String((await once(socket, 'data'))[0]), '* OK ready\r\n', host);
    socket.destroy();
  }
});

test('a host that is not public is refused in every spelling, and gets no connection', async (context) => {
  const peer = await startPeer(context, () => undefined, false);
  const outbound = openOutbound(context, { allow: [] });
  const hosts = ['127.0.0.1', '0x7f.1', '2130706433', 'localhost', '::1', '::ffff:127.0.0.1', '0.0.0.0'];
  const invalid = [
    '',
    ' ',
    'a b',
    'user@host',
    'host/path',
    'host:25',
    '[::1]',
    'host?',
    'a'.repeat(254),
    'fe80::1%lo',
  ];
  for (const tls of [false, true]) {
    for (const host of [...hosts, ...invalid]) {
      const refused = expectOutboundError(outbound.connect(host, peer.port, patient(tls)));
      assert.deepEqual(await refused, { kind: 'BLOCKED', sent: false }, host);
    }
  }
  assert.deepEqual(peer.received, []);
});

test('the only ports below 1024 that a tenant may connect to are those of mail, unless the address is allowed', async (context) => {
  const outbound = openOutbound(context, { allow: [] });
  for (const port of [22, 80, 110, 443, 1023, 0, -1, 65_536, 25.5, Number.NaN]) {
    const refused = expectOutboundError(outbound.connect('198.41.0.4', port, patient(false)));
    assert.deepEqual(await refused, { kind: 'BLOCKED', sent: false }, String(port));
  }
  // These ports are allowed, and the address is what the guard refuses.
  for (const port of [25, 143, 465, 587, 993, 1024, 65_535]) {
    await assert.rejects(outbound.connect('10.0.0.1', port, patient(false)), /not a public Internet address/);
  }
  const allowed = openOutbound(context, { allow: ['127.0.0.0/8'] });
  assert.deepEqual(await expectOutboundError(allowed.connect('127.0.0.1', 1, patient(false))), {
    kind: 'CONNECT',
    sent: false,
  });
});

test('a server that is trusted for URLs cannot be reached by a plain connection, under any name of its machine', async (context) => {
  const peer = await startPeer(context, () => undefined, false);
  const outbound = openOutbound(context, { trusted: [`${peer.url}receiver`] });
  for (const host of ['127.0.0.1', 'localhost', '127.5.6.7', '0.0.0.0']) {
    const refused = expectOutboundError(outbound.connect(host, peer.port, patient(false)));
    assert.deepEqual(await refused, { kind: 'BLOCKED', sent: false }, host);
  }
  assert.deepEqual(peer.received, []);
});

test('a connection that is not established in time is given up', async (context) => {
  const silent = await startPeer(context, () => undefined, false);
  const outbound = openOutbound(context);
  const late = expectOutboundError(outbound.connect('127.0.0.1', silent.port, { tls: true, signal: createDeadline() }));
  assert.deepEqual(await late, { kind: 'TIMEOUT', sent: false });
  const aborted = expectOutboundError(
    outbound.connect('127.0.0.1', silent.port, { tls: true, signal: AbortSignal.abort() }),
  );
  assert.deepEqual(await aborted, { kind: 'TIMEOUT', sent: false });
  await waitUntil('the socket is closed', () => silent.open() === 0);
});

test('at a stop every connection is closed, also one that is still being established', async (context) => {
  const peer = await startPeer(context, () => undefined, false);
  const outbound = openOutbound(context);
  await outbound.connect('127.0.0.1', peer.port, patient(false));
  const establishing = expectOutboundError(outbound.connect('127.0.0.1', peer.port, patient(true)));
  await waitUntil('both have connected', () => peer.open() === 2);
  await outbound.close();
  assert.deepEqual(await establishing, { kind: 'TIMEOUT', sent: false });
  await waitUntil('both sockets are closed', () => peer.open() === 0);
  assert.deepEqual(await expectOutboundError(outbound.connect('127.0.0.1', peer.port, patient(false))), {
    kind: 'TIMEOUT',
    sent: false,
  });
});
