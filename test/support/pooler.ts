/**
 * A pooler between a client and PostgreSQL, as small as it can be: it gives each connection a server process of its own (`session`), or a free
 * one for each transaction (`transaction`), and refuses start-up options, as PgBouncer does.
 */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import pg from 'pg';

interface Backend {
  stream: Socket;
  /** Gets the messages of the server. */
  receive: (message: Buffer) => void;
}

const START_UP = 196_608;
const REFUSED = 'SFATAL\0C08P01\0Munsupported startup parameter: options\0\0';

export async function startPooler(
  scope: { after(end: () => unknown): void },
  url: string,
  mode: 'session' | 'transaction',
): Promise<string> {
  const free: Backend[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client.on('error', () => undefined));
    let backend: Promise<Backend> | null = null;
    let unanswered = 0;
    const take = async (): Promise<Backend> => {
      const taken = (mode === 'transaction' && free.pop()) || (await openBackend(url, sockets));
      taken.receive = (message) => {
        client.write(message);
        if (message.toString('latin1', 0, 1) !== 'Z') return;
        unanswered -= 1;
        if (mode === 'session' || unanswered > 0 || message.toString('latin1', 5) !== 'I') return;
        backend = null;
        free.push(taken);
      };
      return taken;
    };
    const greet = splitter(0, (message) => {
      if (message.readInt32BE(4) !== START_UP) return void client.write('N');
      if (message.includes('\0options\0')) return void client.end(frame('E', Buffer.from(REFUSED)));
      client.write(
        Buffer.concat([
          frame('R', Buffer.alloc(4)),
          // The number of a process that does not exist.
          frame('K', Buffer.from([0, 127, 0, 0, 0, 0, 0, 1])),
          frame('Z', Buffer.from('I')),
        ]),
      );
      client.off('data', greet).on('data', pass);
    });
    const pass = splitter(1, (message) => {
      const kind = message.toString('latin1', 0, 1);
      if (kind === 'X') return void client.end();
      if (kind === 'Q' || kind === 'S') unanswered += 1;
      void (backend ??= take()).then(({ stream }) => stream.write(message));
    });
    client.on('data', greet);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  scope.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const pooled = new URL(url);
  pooled.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return pooled.href;
}

async function openBackend(connectionString: string, sockets: Set<Socket>): Promise<Backend> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  const { stream } = client.connection as unknown as { stream: Socket };
  sockets.add(stream);
  const backend: Backend = { stream, receive: () => undefined };
  stream.removeAllListeners('data').on(
    'data',
    splitter(1, (message) => backend.receive(message)),
  );
  return backend;
}

const frame = (kind: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.write(kind);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};

/** Calls `receive` with each message, whose length follows after this many bytes. */
function splitter(before: number, receive: (message: Buffer) => void): (bytes: Buffer) => void {
  let held = Buffer.alloc(0);
  return (bytes) => {
    held = Buffer.concat([held, bytes]);
    while (held.length >= before + 4) {
      const end = before + held.readInt32BE(before);
      if (held.length < end) return;
      const message = held.subarray(0, end);
      held = held.subarray(end);
      receive(message);
    }
  };
}
