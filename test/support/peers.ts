/** Raw TCP servers that behave as a test tells them, and calls to them. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { OutboundError } from '../../src/platform/outside/outbound-error.ts';
import { createOutbound, type Outbound } from '../../src/platform/outside/outbound.ts';

/** The deadline of calls that must time out. */
const DEADLINE_MS = 1_000;
/** The deadline of calls that end by themselves, however slow the machine is. */
export const PATIENCE_MS = 600_000;

export const createDeadline = (): AbortSignal => AbortSignal.timeout(DEADLINE_MS);

export interface Peer {
  url: string;
  port: number;
  /** What each connection received, as text. */
  received: string[];
  open(): number;
  /** Returns a deadline that begins when the next request arrives, so that on a slow machine it does not end before. */
  createDeadline(): AbortSignal;
}

/** Starts a raw TCP server on loopback. `answer` runs once per connection; with `waits` (the default) after the request has arrived. */
export async function startPeer(
  context: TestContext,
  answer: (socket: Socket) => unknown,
  waits = true,
): Promise<Peer> {
  const received: string[] = [];
  const sockets = new Set<Socket>();
  const deadlines: AbortController[] = [];
  // What the answer has sent until then arrives before the deadline ends: setImmediate comes after reading.
  const beginDeadlines = () => {
    for (const deadline of deadlines.splice(0)) setTimeout(setImmediate, DEADLINE_MS, () => deadline.abort());
  };
  const server = createServer((socket) => {
    const index = received.push('') - 1;
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      const isFirst = received[index] === '';
      received[index] += chunk.toString('latin1');
      if (isFirst) beginDeadlines();
      if (waits && isFirst) answer(socket);
    });
    if (!waits) answer(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    port,
    received,
    open: () => sockets.size,
    createDeadline: () => {
      const deadline = new AbortController();
      deadlines.push(deadline);
      return deadline.signal;
    },
  };
}

/** Creates an outbound that may call loopback. */
export function openOutbound(
  context: TestContext,
  options: Partial<Parameters<typeof createOutbound>[0]> = {},
): Outbound {
  const outbound = createOutbound({ allow: ['127.0.0.0/8'], trusted: [], ...options });
  context.after(() => outbound.close());
  return outbound;
}

/** Returns the error of a call that fails. */
export async function expectOutboundError(call: Promise<unknown>): Promise<{ kind: string; sent: boolean }> {
  const [{ reason: error }] = (await Promise.allSettled([call])) as [{ reason?: unknown }];
  assert.ok(error instanceof OutboundError, `no OutboundError: ${String(error)}`);
  return { kind: error.kind, sent: error.sent };
}

export function resetConnection(socket: Socket): void {
  socket.resetAndDestroy();
}

/** Writes without end, as fast as the peer reads. */
export function writeWithoutEnd(socket: Socket, chunk: string): void {
  const more = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', more);
  more();
}

export function writeSlowly(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 20);
  socket.on('close', () => clearInterval(timer));
}
