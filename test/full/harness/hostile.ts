/**
 * Hostile webhook receivers: they send false lengths or slow bytes, redirect, never answer or never accept. Each kind is one server on raw
 * sockets.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { waitUntil } from '../../support/wait.ts';

export interface HostileReceiver {
  kind: string;
  url: string;
  /** The errors that a delivery to this receiver may show in the log; null when the delivery must be DELIVERED. */
  errors: string[] | null;
}

export interface HostileReceivers {
  hostiles: HostileReceiver[];
  /** The number of connections to the address that the redirects name. */
  strays(): number;
  /** The most connections that were open at the same time, to all receivers together. */
  mostOpen(): number;
  close(): Promise<void>;
}

interface HostileKind {
  errors: string[] | null;
  scheme?: 'https';
  /** Answers the request. Called once the head of the request has arrived, or as soon as the connection is open when `eager`. */
  behave: (socket: Socket, strayUrl: string) => void;
  eager?: boolean;
}

const OK = 'HTTP/1.1 200 OK\r\n';
const DRIP_MS = 200;

/** Writes the same chunk again and again until the other side closes the connection. */
function writeRepeatedly(socket: Socket, chunk: string | Buffer, everyMs: number): void {
  const timer = setInterval(() => {
    // A full buffer means that the other side does not read: more data would only fill the memory of this process.
    if (!socket.destroyed && socket.writableLength < 1_000_000) socket.write(chunk);
  }, everyMs);
  socket.on('close', () => clearInterval(timer));
}

const KINDS: Record<string, HostileKind> = {
  silent: { errors: ['TIMEOUT'], behave: () => undefined },
  'drips its head': {
    errors: ['TIMEOUT'],
    behave: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX-Slow: ');
      writeRepeatedly(socket, 'a', DRIP_MS);
    },
  },
  'drips its body': {
    errors: null,
    behave: (socket) => {
      socket.write(`${OK}Content-Length: 100000\r\n\r\n`);
      writeRepeatedly(socket, 'a', DRIP_MS);
    },
  },
  'never stops': {
    errors: null,
    behave: (socket) => {
      socket.write(`${OK}Transfer-Encoding: chunked\r\n\r\n`);
      writeRepeatedly(socket, `10000\r\n${'x'.repeat(0x10000)}\r\n`, 1);
    },
  },
  'sends a bomb': {
    errors: null,
    behave: (socket) => {
      const bomb = gzipSync(Buffer.alloc(50_000_000));
      socket.write(`${OK}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`);
      socket.end(bomb);
    },
  },
  'floods with interim answers': {
    errors: ['SOCKET'],
    behave: (socket) => writeRepeatedly(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100), 1),
  },
  'floods with headers': {
    errors: ['SOCKET'],
    behave: (socket) => {
      socket.write(OK);
      writeRepeatedly(socket, `X-Header: ${'h'.repeat(1_000)}\r\n`.repeat(60), 1);
    },
  },
  'does not speak HTTP': {
    errors: ['SOCKET'],
    behave: (socket) => socket.end('220 mail.example ESMTP\r\n'),
  },
  'does not speak TLS': {
    errors: ['TLS'],
    scheme: 'https',
    eager: true,
    behave: (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
  },
  'resets at once': {
    // The reset may be noticed before or after the connection is established, so both errors are possible.
    errors: ['CONNECT', 'SOCKET'],
    eager: true,
    behave: (socket) => socket.resetAndDestroy(),
  },
  'resets instead of answering': { errors: ['SOCKET'], behave: (socket) => socket.resetAndDestroy() },
  'resets in its head': {
    errors: ['SOCKET'],
    behave: (socket) => socket.write('HTTP/1.1 200', () => socket.resetAndDestroy()),
  },
  'promises more than it sends': {
    errors: null,
    behave: (socket) => socket.end(`${OK}Content-Length: 1000\r\n\r\nshort`),
  },
  'redirects elsewhere': {
    errors: ['REDIRECT'],
    behave: (socket, strayUrl) =>
      socket.end(
        `HTTP/1.1 307 Temporary Redirect\r\nLocation: ${strayUrl}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
      ),
  },
};

export async function openHostileReceivers(): Promise<HostileReceivers> {
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  let most = 0;
  let strays = 0;
  const openServer = async (welcome: (socket: Socket) => void): Promise<number> => {
    const server = createServer((socket) => {
      sockets.add(socket);
      most = Math.max(most, sockets.size);
      // Failure policy: the platform closes such connections, so their errors are expected.
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
      welcome(socket);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.push(server);
    return (server.address() as AddressInfo).port;
  };
  const strayUrl = `http://127.0.0.1:${await openServer(() => void (strays += 1))}/`;
  const hostiles: HostileReceiver[] = [];
  for (const [kind, { errors, scheme = 'http', behave, eager }] of Object.entries(KINDS)) {
    const port = await openServer((socket) => {
      if (eager) behave(socket, strayUrl);
      else socket.once('data', () => behave(socket, strayUrl));
      socket.resume();
    });
    hostiles.push({ kind, url: `${scheme}://127.0.0.1:${port}/`, errors });
  }
  const deaf = await startNonAcceptingServer();
  hostiles.push({ kind: 'never accepts', url: deaf.url, errors: ['TIMEOUT'] });
  return {
    hostiles,
    strays: () => strays,
    mostOpen: () => most,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await deaf.close();
      await Promise.all(servers.map((server) => once(server.close(), 'close')));
    },
  };
}

// A server that prints its port and then blocks: the system queues connections for it until the queue is full.
const DEAF = `const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  require('node:fs').writeSync(1, String(server.address().port));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
})`;
const QUEUED = 8;
// A connection that fits into the queue is established within a millisecond.
const FULL_MS = 500;

async function startNonAcceptingServer(): Promise<{ url: string; close(): Promise<void> }> {
  const child = spawn(process.execPath, ['-e', DEAF], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  const place = { port: Number(port), host: '127.0.0.1' };
  // Failure policy: these connections only fill the queue, so their errors do not matter.
  const fillers = Array.from({ length: QUEUED }, () => connect(place).on('error', () => undefined));
  await waitUntil(
    'the queue to be full',
    () => fillers.some(({ connecting }) => !connecting) && isAcceptQueueFull(place),
  );
  return {
    url: `http://127.0.0.1:${place.port}/`,
    close: async () => {
      for (const socket of fillers) socket.destroy();
      child.kill('SIGKILL');
      await once(child, 'close');
    },
  };
}

/** Whether the queue accepts no further connection. */
async function isAcceptQueueFull(place: { port: number; host: string }): Promise<boolean> {
  const socket = connect(place).on('error', () => undefined);
  const isIn = await Promise.race([once(socket, 'connect').then(() => true), sleep(FULL_MS, false)]);
  socket.destroy();
  return !isIn;
}
