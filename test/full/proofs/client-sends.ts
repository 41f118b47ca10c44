/** Sends over a connection that is cut: a proxy between the client and the platform drops answers after the platform has given them. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createClient, type Message } from '../../../sdk/src/index.ts';
import { makePoolSetting, openPlatform, type Json, type Platform } from '../../support/platform.ts';
import { silenceNetwork, writeAsContact } from '../../support/traffic.ts';
import { createChance, type Chance } from '../harness/chance.ts';

export interface ClientSendsSize {
  sends: number;
  seed: number;
}

export interface ClientSendsResult {
  sends: number;
  cuts: number;
}

const CALLERS = 16;
/** Of so many repeated requests one has its answer cut again. */
const CUT_AGAIN = 5;

/** Checks that each send made one message and one message in the network, and that the client returned it. */
export async function proveClientSends({ sends, seed }: ClientSendsSize): Promise<ClientSendsResult> {
  const { platform, close } = await openPlatform({ env: makePoolSetting(CALLERS) });
  const cutKeys = new Map<string, number>();
  const proxy = await startCuttingProxy({ target: platform.url, chance: createChance(seed), cutKeys });
  try {
    // Statuses of the network and their events are not what this is about.
    await silenceNetwork(platform);
    const { port } = proxy.address() as AddressInfo;
    const answers = await sendAll(platform, `http://127.0.0.1:${port}`, sends);
    assert.equal(cutKeys.size, sends);
    const stored = await platform.database.sql<{ _id: string; content: string }>(
      `select _id, content from messages where content like 'Order %'`,
    );
    assert.equal(stored.length, sends);
    for (const { _id, content } of stored) assert.equal(answers.get(content)?._id, _id);
    // The network got each message once.
    const { messages }: Json = await platform.sandbox('GET', '/sandbox/messages');
    const ids = new Set(stored.map(({ _id }) => _id));
    const sent = (messages as Json[]).filter((message) => ids.has(message.biz_opaque_callback_data as string));
    assert.equal(sent.length, sends);
    return { sends, cuts: [...cutKeys.values()].reduce((sum, count) => sum + count, 0) };
  } finally {
    proxy.close();
    await close();
  }
}

/** Sends messages with different texts, and returns what the client answered for each text. */
async function sendAll(platform: Platform, url: string, sends: number): Promise<Map<string, Message>> {
  const { conversation } = await writeAsContact(platform);
  const parley = createClient({ url, token: platform.demo.key });
  const waiting = Array.from({ length: sends }, (_, index) => `Order ${index}`);
  const answers = new Map<string, Message>();
  const send = async (): Promise<void> => {
    for (let content = waiting.pop(); content; content = waiting.pop()) {
      const message = { content, contentType: 'TEXT' as const };
      answers.set(content, await parley.messages.sendText({ conversationId: conversation._id, message }));
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, send));
  return answers;
}

interface Line {
  target: string;
  chance: Chance;
  /** How often the answer of each Idempotency-Key was cut. */
  cutKeys: Map<string, number>;
}

async function startCuttingProxy(line: Line): Promise<Server> {
  const proxy = createServer((request, response) => void forward(line, request, response));
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return proxy;
}

/** Forwards a request, and always waits for the platform's whole answer, so that what the request stores is committed. */
async function forward(
  { target, chance, cutKeys }: Line,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { 'idempotency-key': key = '', authorization = '', 'content-type': type = '' } = request.headers;
  const answer = await fetch(target + request.url, {
    method: request.method ?? 'GET',
    headers: { authorization, 'content-type': type, 'idempotency-key': String(key) },
    body: new Uint8Array(await buffer(request)),
  });
  const body = Buffer.from(await answer.arrayBuffer());
  const headers = { 'content-type': answer.headers.get('content-type') ?? '', 'content-length': body.length };
  const cuts = cutKeys.get(String(key)) ?? 0;
  if (cuts > 0 && chance.int(CUT_AGAIN) > 0) {
    response.writeHead(answer.status, headers).end(body);
    return;
  }
  cutKeys.set(String(key), cuts + 1);
  // The connection is cut before the answer, or somewhere in its body.
  if (chance.int(2) === 0) response.destroy();
  else {
    response.writeHead(answer.status, headers);
    response.write(body.subarray(0, chance.int(body.length - 1)), () => response.destroy());
  }
}
