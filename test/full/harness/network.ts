/** The network's side of the callbacks: it builds elements, batches and signatures, and repeats posts until the answer is 200. */
import { createHmac } from 'node:crypto';
import { Agent, request } from 'undici';
import { waitUntil } from '../../support/wait.ts';

export interface Element {
  phoneId: string;
  kind: 'messages' | 'statuses';
  item: Record<string, unknown>;
  /** The person who wrote a message. */
  contact?: { profile: { name: string }; wa_id: string };
}

const nowSeconds = (): string => String(Math.floor(Date.now() / 1_000));

export function buildTextElement(phoneId: string, from: string, id: string, body: string): Element {
  return {
    phoneId,
    kind: 'messages',
    item: { from, id, timestamp: nowSeconds(), type: 'text', text: { body } },
    contact: { profile: { name: `Person ${from.slice(-4)}` }, wa_id: from },
  };
}

export function buildStatusElement(phoneId: string, id: string, status: string, timestamp = nowSeconds()): Element {
  const errors = [{ code: 131026, title: 'Message undeliverable', message: 'Message undeliverable' }];
  return {
    phoneId,
    kind: 'statuses',
    item: { id, status, timestamp, recipient_id: '5511900000000', ...(status === 'failed' ? { errors } : {}) },
  };
}

/** Builds one notification with all of these elements, grouped as the network does. */
export function buildNotification(elements: Element[]): string {
  const changes = elements.map(({ phoneId, kind, item, contact }) => ({
    field: 'messages',
    value: {
      messaging_product: 'whatsapp',
      metadata: { display_phone_number: '5511900000000', phone_number_id: phoneId },
      ...(contact ? { contacts: [contact] } : {}),
      [kind]: [item],
    },
  }));
  return JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: '2', time: Date.now(), changes }] });
}

/** A request of a network. */
export interface Post {
  path: string;
  headers: Record<string, string>;
  body: string;
}

export interface SimulatedNetwork {
  /** Makes a request once; returns the status, or null when no answer came. */
  send(url: string, post: Post): Promise<number | null>;
  /** Posts once; returns the status, or null when no answer came. */
  post(url: string, body: string): Promise<number | null>;
  /** Posts until the answer is 200, as the network does. */
  postUntilHeard(url: string, body: string): Promise<void>;
  close(): Promise<void>;
}

// The time limit of a post, longer than the platform may take to answer, so that a missing answer is noticed.
const POST_MS = 30_000;
const HEARD_MS = 60_000;

export function createNetwork(appSecret: string): SimulatedNetwork {
  const agent = new Agent({ connections: 64, keepAliveTimeout: 4_000 });
  const send: SimulatedNetwork['send'] = async (url, { path, headers, body }) => {
    try {
      const answer = await request(`${url}${path}`, {
        method: 'POST',
        dispatcher: agent,
        headersTimeout: POST_MS,
        headers: { 'content-type': 'application/json', ...headers },
        body,
      });
      await answer.body.dump();
      return answer.statusCode;
    } catch {
      // Failure policy: a missing answer counts as not accepted; the caller decides whether to post again.
      return null;
    }
  };
  const post: SimulatedNetwork['post'] = (url, body) => {
    const signature = createHmac('sha256', appSecret).update(body).digest('hex');
    return send(url, { path: '/hooks/wap', headers: { 'x-hub-signature-256': `sha256=${signature}` }, body });
  };
  return {
    send,
    post,
    postUntilHeard: async (url, body) => {
      await waitUntil('a callback to be stored', async () => (await post(url, body)) === 200, HEARD_MS);
    },
    close: () => agent.destroy(),
  };
}

/** Runs the work for all items, `lanes` of them concurrently; the first failure rejects. */
export async function runConcurrently<T>(
  lanes: number,
  items: Iterable<T>,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  const lane = async (): Promise<void> => {
    for (let next = queue.next(); !next.done; next = queue.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
