/** What a greedy company has in hand: its keys, used no faster than its limits allow, and a count of what it was answered. */
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request, type Dispatcher } from 'undici';

/** What its process is told. */
export interface Orders {
  name: string;
  url: string;
  company: string;
  keys: string[];
  phone: string;
  appSecret: string;
  /** 1 is what the limits allow; a small proof asks for a part of it. */
  scale: number;
}

/** What its process tells when it has ended. */
export interface Spoils {
  /** How many answers of each status; `none` where there was none. */
  statuses: Record<string, number>;
  slowestMs: number;
}

export interface Asked {
  method?: 'GET' | 'POST' | 'PATCH';
  body?: unknown;
  form?: Packed;
}

/** A form with its frame, written once however often it is sent. */
export interface Packed {
  type: string;
  bytes: Buffer;
}

export async function packSheet(name: string, data: Buffer | string): Promise<Packed> {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(Buffer.from(data))]), name);
  const response = new Response(form);
  return { type: response.headers.get('content-type') ?? '', bytes: Buffer.from(await response.arrayBuffer()) };
}

export interface Play extends Orders {
  isOver(): boolean;
  /** Asks as the company, with the next of its keys. Null when no answer came. */
  ask(path: string, asked?: Asked): Promise<{ status: number; text: string } | null>;
  /** As the network, signed. */
  callBack(body: string): Promise<void>;
  /** Without a token. */
  visit(path: string): Promise<void>;
  /** Repeats the work in so many lanes until it is over. */
  inLanes(lanes: number, work: (lane: number) => Promise<void>): Promise<void>;
  /** So many of what the limits allow. */
  scaled(count: number): number;
  spoils: Spoils;
  end(): Promise<void>;
}

export interface Greed {
  /** Contacts that it has, straight into the database, whose statistics know nothing of them. */
  people?: number;
  /** What it makes before anything is measured. */
  prepare?(play: Play): Promise<void>;
  /** Asks until it is over. */
  act(play: Play): Promise<void>;
}

// What is counted by address is counted for it alone: the others come from another one.
export const ADDRESS = '127.0.0.2';

// 200 a second is what a company may ask by default, and each of six keys then stays below its 50.
const PAUSE_MS = 1_000 / 190;
const REFUSED_PAUSE_MS = 100;

export function openPlay(orders: Orders): Play {
  const agent = new Agent({
    connections: null,
    connect: { localAddress: ADDRESS },
    headersTimeout: 120_000,
    bodyTimeout: 120_000,
  });
  const spoils: Spoils = { statuses: {}, slowestMs: 0 };
  const state = { over: false };
  let turn = 0;
  let nextMs = 0;
  const note = (status: string, startedMs: number): void => {
    if (state.over) return;
    spoils.statuses[status] = (spoils.statuses[status] ?? 0) + 1;
    spoils.slowestMs = Math.max(spoils.slowestMs, Math.round(performance.now() - startedMs));
  };
  const send = async (path: string, options: Pick<Dispatcher.RequestOptions, 'method' | 'headers' | 'body'>) => {
    const startedMs = performance.now();
    try {
      const answer = await request(`${orders.url}${path}`, { ...options, dispatcher: agent });
      const text = await answer.body.text();
      note(String(answer.statusCode), startedMs);
      if ([429, 503].includes(answer.statusCode)) await sleep(REFUSED_PAUSE_MS);
      return { status: answer.statusCode, text };
    } catch {
      // Failure policy: a connection that was cut, by either side, is counted; the company goes on.
      note('none', startedMs);
      await sleep(REFUSED_PAUSE_MS);
      return null;
    }
  };
  const keepPace = async (): Promise<string> => {
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
      const headers = { authorization: `Bearer ${await keepPace()}`, ...(type ? { 'content-type': type } : {}) };
      return send(path, { method: method ?? (type ? 'POST' : 'GET'), headers, body: form?.bytes ?? json });
    },
    callBack: async (body) => {
      const signature = createHmac('sha256', orders.appSecret).update(body).digest('hex');
      const headers = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` };
      await send('/hooks/wap', { method: 'POST', headers, body });
    },
    visit: async (path) => void (await send(path, { method: 'GET' })),
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
