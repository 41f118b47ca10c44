/** A real name server on loopback (RFC 1035, over UDP), which answers as a test tells it. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIP } from 'node:net';

export interface NameServer {
  /** The address of the server, as resolvers take it. */
  address: string;
  /** The addresses of each name. A name that is not here does not exist, and one with null gets no answer. */
  names: Map<string, string[] | null>;
  /** The names that were asked for, one entry for each question about IPv4. */
  asked: string[];
}

const TYPES = { 1: 4, 28: 6 } as Record<number, number>;
const NO_SUCH_NAME = 0x8183;
const ANSWERED = 0x8180;
/** Names the question's name, class IN, and a time to live of 0. */
const RECORD_HEAD = (type: number, length: number): number[] => [0xc0, 0x0c, 0, type, 0, 1, 0, 0, 0, 0, 0, length];

export async function startNameServer(scope: { after(end: () => unknown): void }): Promise<NameServer> {
  const socket = createSocket('udp4');
  const server: NameServer = { address: '', names: new Map(), asked: [] };
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = readQuestion(query);
    if (type === 1) server.asked.push(name);
    const known = server.names.get(name);
    if (known === null) return;
    const found = (known ?? []).filter((each) => isIP(each) === TYPES[type]).map(toBytes);
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    head.writeUInt16BE(known ? ANSWERED : NO_SUCH_NAME, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(found.length, 6);
    const records = found.map((bytes) => Buffer.from([...RECORD_HEAD(type, bytes.length), ...bytes]));
    socket.send(Buffer.concat([head, query.subarray(12, end), ...records]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  scope.after(() => socket.close());
  server.address = `127.0.0.1:${socket.address().port}`;
  return server;
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function toBytes(address: string): number[] {
  if (isIP(address) === 4) return address.split('.').map(Number);
  const [before = [], after = []] = address.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const groups = [...before, ...Array.from({ length: 8 - before.length - after.length }, () => '0'), ...after];
  return groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]);
}
