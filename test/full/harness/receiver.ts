/** A webhook receiver of a company that counts the deliveries which arrive, for each record. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  path: string;
  event: string;
  /** The record that the event is about. */
  resource: string;
  /** The network's id of the message that the event is about; null for other events. */
  externalId: string | null;
  atMs: number;
}

export interface Receiver {
  url: string;
  receipts: ReceivedRequest[];
  /** The number of receipts for each record. */
  counts: Map<string, number>;
  /** The number of requests that broke off before their body was complete. */
  broken: number;
  /** The number of requests that wait for an answer now, and the most that ever waited at the same time, by path. */
  open: Map<string, number>;
  mostOpen: Map<string, number>;
  /** Cuts the requests that wait for an answer at this path. */
  hangUp(path: string): void;
  close(): Promise<void>;
}

/** How the receiver answers a receipt: a status after some milliseconds, or null for no answer. */
export type ChooseAnswer = (receipt: ReceivedRequest) => { status: number; afterMs: number } | null;

export async function startReceiver(answering: ChooseAnswer): Promise<Receiver> {
  const server = createServer((request, response) => void receive(request, response));
  // Real receivers keep idle connections about ten seconds; the platform reuses a connection for a shorter time.
  server.keepAliveTimeout = 10_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const waiting = new Map<ServerResponse, string>();
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    receipts: [],
    counts: new Map(),
    broken: 0,
    open: new Map(),
    mostOpen: new Map(),
    hangUp: (path) => {
      for (const [response, at] of waiting) if (at === path) response.destroy();
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    countOpen(path, 1);
    waiting.set(response, path);
    response.on('close', () => {
      waiting.delete(response);
      countOpen(path, -1);
    });
    const text = await readText(request);
    if (text === null) return void (receiver.broken += 1);
    const { event, data } = JSON.parse(text) as { event: string; data: { _id: string; external_id?: string } };
    const receipt = { path, event, resource: data._id, externalId: data.external_id ?? null, atMs: Date.now() };
    receiver.receipts.push(receipt);
    receiver.counts.set(receipt.resource, (receiver.counts.get(receipt.resource) ?? 0) + 1);
    const answer = answering(receipt);
    if (answer) setTimeout(() => response.writeHead(answer.status).end(), answer.afterMs);
  }

  function countOpen(path: string, change: 1 | -1): void {
    const open = (receiver.open.get(path) ?? 0) + change;
    receiver.open.set(path, open);
    receiver.mostOpen.set(path, Math.max(open, receiver.mostOpen.get(path) ?? 0));
  }
  return receiver;
}

async function readText(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString('utf8');
  } catch {
    // Failure policy: the sender died in the middle, so nothing was delivered completely.
    return null;
  }
}
