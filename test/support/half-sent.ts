/** Opens connections that announce a body and send all of it except the last byte. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface HalfSentBodies {
  /** The bytes that each connection has received so far. */
  answers(): string[];
  /** The number of connections that are still open. */
  open(): number;
  close(): void;
}

export interface HalfSentRequest {
  path: string;
  headers?: Record<string, string>;
  body: Buffer;
}

/** Opens `count` connections; resolves when all of them are open and their bytes are sent. */
export async function sendHalfBodies(url: string, count: number, request: HalfSentRequest): Promise<HalfSentBodies> {
  const { hostname, port } = new URL(url);
  const said = new Map<Socket, string>();
  const head = [
    `POST ${request.path} HTTP/1.1`,
    'host: x',
    `content-length: ${request.body.length}`,
    ...Object.entries(request.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
  ];
  const openConnection = async (): Promise<void> => {
    const socket = connect(Number(port), hostname);
    said.set(socket, '');
    // Failure policy: a refused connection may be cut while it still writes; only the answer before that counts.
    socket.on('error', () => undefined);
    socket.setEncoding('utf8').on('data', (text: string) => said.set(socket, said.get(socket) + text));
    await once(socket, 'connect');
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    socket.write(request.body.subarray(0, -1));
  };
  await Promise.all(Array.from({ length: count }, openConnection));
  return {
    answers: () => [...said.values()],
    open: () => [...said.keys()].filter((socket) => !socket.closed).length,
    close: () => {
      for (const socket of said.keys()) socket.destroy();
    },
  };
}
