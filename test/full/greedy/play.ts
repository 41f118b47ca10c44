/** The tools of a greedy company: its keys, used no faster than its limits allow, and counts of the answers. */
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request, type Dispatcher } from 'undici';

/** The orders that the proof sends to the greedy company's process. */
export interface GreedyOrders {
  name: string;
  url: string;
  company: string;
  keys: string[];
  phone: string;
  appSecret: string;
  /** The share of its limits that the company uses: 1 means all of each limit; a small proof uses less. */
  scale: number;
}

/** The results that the greedy company's process reports when it has ended. */
export interface GreedyResults {
  /** The number of answers for each status; `none` counts requests without an answer. */
  statuses: Record<string, number>;
  slowestMs: number;
}

export interface GreedyRequest {
  method?: 'GET' | 'POST' | 'PATCH';
  body?: unknown;
  form?: EncodedForm;
}

/** A multipart form that is encoded once and sent any number of times. */
export interface EncodedForm {
  type: string;
  bytes: Buffer;
}

export async function encodeSheetForm(name: string, data: Buffer | string): Promise<EncodedForm> {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(Buffer.from(data))]), name);
  const response = new Response(form);
  return { type: response.headers.get('content-type') ?? '', bytes: Buffer.from(await response.arrayBuffer()) };
}

export interface GreedyRun extends GreedyOrders {
  isOver(): boolean;
  /** Sends a request of the company with the next of its keys. Returns null when no answer came. */
  ask(path: string, asked?: GreedyRequest): Promise<{ status: number; text: string } | null>;
  /** Posts a callback as the network would, with its signature. */
  callBack(body: string): Promise<void>;
  /** Sends a request without a token. */
  visit(path: string): Promise<void>;
  /** Repeats the work in this many lanes until the time is over. */
  inLanes(lanes: number, work: (lane: number) => Promise<void>): Promise<void>;
  /** Scales a count down to the share of the limits that the company uses. */
  scaled(count: number): number;
  spoils: GreedyResults;
  end(): Promise<void>;
}

export interface GreedyBehaviour {
  /** The number of contacts that are written directly into the database, without planner statistics. */
  people?: number;
  /** Creates the records that `act` needs, before anything is measured. */
  prepare?(play: GreedyRun): Promise<void>;
  /** Sends requests until the time is over. */
  act(play: GreedyRun): Promise<void>;
}

// The other companies call from another address, so that limits by address do not affect them.
export const ADDRESS = '127.0.0.2';

// The pause between requests: by default a company may send 200 requests a second, and six keys that share 190 stay below 50 each.
const PAUSE_MS = 1_000 / 190;
const REFUSED_PAUSE_MS = 100;

export function startGreedyRun(orders: GreedyOrders): GreedyRun {
  const agent = new Agent({
    connections: null,
    connect: { localAddress: ADDRESS },
    headersTimeout: 120_000,
    bodyTimeout: 120_000,
  });
  const spoils: GreedyResults = { statuses: {}, slowestMs: 0 };
  const state = { over: false };
  let turn = 0;
  let nextMs = 0;
  const countAnswer = (status: string, startedMs: number): void => {
    if (state.over) return;
    spoils.statuses[status] = (spoils.statuses[status] ?? 0) + 1;
    spoils.slowestMs = Math.max(spoils.slowestMs, Math.round(performance.now() - startedMs));
  };
  const sendRequest = async (path: string, options: Pick<Dispatcher.RequestOptions, 'method' | 'headers' | 'body'>) => {
    const startedMs = performance.now();
    try {
      const answer = await request(`${orders.url}${path}`, { ...options, dispatcher: agent });
      const text = await answer.body.text();
      countAnswer(String(answer.statusCode), startedMs);
      if ([429, 503].includes(answer.statusCode)) await sleep(REFUSED_PAUSE_MS);
      return { status: answer.statusCode, text };
    } catch {
      // Failure policy: a request whose connection was cut by either side is counted, and the company continues.
      countAnswer('none', startedMs);
      await sleep(REFUSED_PAUSE_MS);
      return null;
    }
  };
  const waitForNextKey = async (): Promise<string> => {
    const now = performance.now();
    nextMs = Math.max(now, nextMs + PAUSE_MS);
    if (nextMs > now) await sleep(nextMs - now);
    turn += 1;
    return orders.keys[turn % orders.keys.length] ?? '';
  };
  return {
    ...orders,
    spoils,
    isOver: () => state.over,
    ask: async (path, { method, body, form } = {}) => {
      const json = body === undefined ? null : JSON.stringify(body);
      const type = form?.type ?? (json === null ? null : 'application/json');
      const headers = { authorization: `Bearer ${await waitForNextKey()}`, ...(type ? { 'content-type': type } : {}) };
      return sendRequest(path, { method: method ?? (type ? 'POST' : 'GET'), headers, body: form?.bytes ?? json });
    },
    callBack: async (body) => {
      const signature = createHmac('sha256', orders.appSecret).update(body).digest('hex');
      const headers = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` };
      await sendRequest('/hooks/wap', { method: 'POST', headers, body });
    },
    visit: async (path) => void (await sendRequest(path, { method: 'GET' })),
    inLanes: async (lanes, work) => {
      const lane = async (_: unknown, number: number): Promise<void> => {
        while (!state.over) await work(number);
      };
      await Promise.all(Array.from({ length: lanes }, lane));
    },
    scaled: (count) => Math.max(1, Math.round(count * orders.scale)),
    end: async () => {
      state.over = true;
      await agent.destroy();
    },
  };
}
