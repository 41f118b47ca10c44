/** Benchmark (web-chat): how long a message takes to each of a thousand open chats of one process, and how much memory an open chat needs. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { randomUUID } from 'node:crypto';
import { median, percentile, type Figure } from './measure.ts';
import { measureHeldKb, openInspector } from './inspector.ts';
import { spawnProgram, type BenchStage } from './stage.ts';

const CHATS = 1_000;
const OPENED_AT_ONCE = 25;
const SENT_AT_ONCE = 8;
const LATE_MS = 250;
const MOST_KB = 30;

interface Chat {
  conversation: string;
  /** When a text that contains this one has arrived. */
  waitFor(text: string): Promise<number>;
  close(): void;
}

export async function benchWebChat(stage: BenchStage): Promise<Figure[]> {
  const port = await findFreePort();
  // Behind a proxy there is no limit of connections for each address.
  const env = { TRUSTED_PROXIES: '127.0.0.1', CONNECTIONS: '8000', RATE_LIMIT_WEB_CHAT: '1000000' };
  const widgets = await spawnProgram('src/launch.js', ['api'], {
    ...stage.env,
    ...env,
    NODE_OPTIONS: `--inspect=127.0.0.1:${port}`,
  });
  const inspector = await openInspector(port);
  const senders = await spawnProgram('src/launch.js', ['api'], stage.env);
  try {
    const inbox = await createSite(stage, widgets.url);
    // The first chat loads what all others share.
    const first = await openChat(stage, widgets.url, inbox);
    const beforeKb = await measureHeldKb(inspector);
    const chats = await inTurns(CHATS, OPENED_AT_ONCE, () => openChat(stage, widgets.url, inbox));
    const heldKb = ((await measureHeldKb(inspector)) - beforeKb) / CHATS;
    const times = await inTurns(CHATS, SENT_AT_ONCE, async (index) => measureMessage(stage, senders.url, chats[index]));
    for (const chat of [first, ...chats]) chat.close();
    const late = percentile(times, 99);
    return [
      {
        name: `(web-chat) a message to each of ${CHATS} open chats`,
        value: `p50 ${median(times).toFixed(0)} ms, p99 ${late.toFixed(0)} ms`,
        goal: `p99 <= ${LATE_MS} ms`,
        met: late <= LATE_MS,
      },
      {
        name: '(web-chat) memory of an open chat, at rest',
        value: `${heldKb.toFixed(1)} kB`,
        goal: `<= ${MOST_KB} kB`,
        met: heldKb <= MOST_KB,
      },
    ];
  } finally {
    inspector.close();
    await widgets.stop();
    await senders.stop();
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** Runs the work so many times, a few at once, and returns its results. */
async function inTurns<T>(times: number, atOnce: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const loop = async (): Promise<void> => {
    while (next < times) {
      const index = next;
      next += 1;
      results[index] = await work(index);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, loop));
  return results;
}

async function post<T>(url: string, token: string | null, body: object): Promise<T> {
  const headers = {
    'content-type': 'application/json',
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
  };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url} was answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

export async function createSite({ key }: BenchStage, url: string): Promise<string> {
  const { _id } = await post<{ _id: string }>(`${url}/v1/inboxes`, key, { channel: 'WEB_V2', name: 'Bench' });
  return _id;
}

async function openChat({ key }: BenchStage, url: string, inbox: string): Promise<Chat> {
  const base = `${url}/web/v1/inboxes/${inbox}`;
  const { token } = await post<{ token: string }>(`${base}/session`, null, {});
  const written = await post<{ _id: string }>(`${base}/messages`, token, { client_id: randomUUID(), content: 'Hello' });
  const read = await fetch(`${url}/v1/messages/${written._id}`, { headers: { authorization: `Bearer ${key}` } });
  const { conversation } = (await read.json()) as { conversation: string };
  const call: ClientRequest = request(`${base}/live`, { agent: false, headers: { authorization: `Bearer ${token}` } });
  const [answer] = (await once(call.end(), 'response')) as [IncomingMessage];
  let wanted = '';
  let found = (_atMs: number): void => undefined;
  // Closing the connection ends the answer with an error.
  answer.on('error', () => undefined);
  call.on('error', () => undefined);
  answer.setEncoding('utf8').on('data', (text: string) => {
    if (wanted !== '' && text.includes(wanted)) found(performance.now());
  });
  const waitFor = (text: string): Promise<number> => {
    wanted = text;
    return new Promise((resolve) => (found = resolve));
  };
  await waitFor('event: ready');
  return { conversation, waitFor, close: () => void call.destroy() };
}

/** Returns the milliseconds from the answer to a send in another process until the open chat has received it. */
async function measureMessage({ key }: BenchStage, url: string, chat: Chat | undefined): Promise<number> {
  if (!chat) throw new Error('a chat is missing');
  const content = randomUUID();
  const arrived = chat.waitFor(content);
  await post(`${url}/v1/messages/send-text`, key, { conversationId: chat.conversation, message: { content } });
  const sentMs = performance.now();
  return Math.max(0, (await arrived) - sentMs);
}
