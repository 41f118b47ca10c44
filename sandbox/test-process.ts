import assert from 'node:assert/strict';
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { after, before, beforeEach } from 'node:test';

const MAIN = new URL('./main.ts', import.meta.url).pathname;

export const PHONE = '100000000000001';
export const WABA = '200000000000001';
export const TOKEN = 'sandbox-token';
export const SECRET = 'secret-of-the-test';
export const TEXT = {
  messaging_product: 'whatsapp',
  to: '5511988887777',
  type: 'text',
  text: { body: 'Olá / *Maria*' },
};

/** A sandbox in a process of its own. It ends by `stop`, and when this process dies. */
type RunningSandbox = { url: string; child: ChildProcess; stop: () => Promise<void> };

/** Starts the sandbox's real program and waits until it has printed its address. */
export async function startSandbox(
  env: Record<string, string> = {},
  hold: 'pipe' | 'ipc' = 'pipe',
): Promise<RunningSandbox> {
  const stdio: StdioOptions = hold === 'pipe' ? ['pipe', 'pipe', 'inherit'] : ['ignore', 'pipe', 'inherit', 'ipc'];
  const child = spawn(process.execPath, [MAIN], { env, stdio });
  const line = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`The sandbox ended with ${code}.`)));
    createInterface({ input: child.stdout ?? Readable.from([]) }).once('line', resolve);
  });
  const { ready, url } = JSON.parse(line) as { ready: boolean; url: string };
  assert.equal(ready, true);
  return { url, child, stop: () => waitForExit(child, () => child.kill('SIGTERM')).then(() => undefined) };
}

/** Runs `act`, which makes the process end, and returns the exit code of the process. */
export function waitForExit(child: ChildProcess, act: () => void): Promise<number | null> {
  if (child.exitCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => {
    child.once('exit', (code) => resolve(code));
    act();
  });
}

export type Reply<T> = { status: number; body: T; headers: Headers };
type Options = { method?: string; token?: string; body?: object; headers?: Record<string, string> };

/** Makes one call with JSON in both directions; a call with a body is a POST. The caller gives the type of the answer. */
export async function call<T>(url: string, { method, token, body, headers }: Options = {}): Promise<Reply<T>> {
  const response = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  const answered: unknown = isJson ? await response.json() : await response.text();
  return { status: response.status, headers: response.headers, body: answered as T };
}

/** Repeats `look` until the condition holds, and fails after twenty seconds with the last result. */
export async function waitUntil<T>(look: () => Promise<T>, holds: (seen: T) => boolean): Promise<T> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const seen = await look();
    if (holds(seen)) return seen;
    if (Date.now() > deadline)
      assert.fail(`Still not so after twenty seconds: ${JSON.stringify(seen).slice(0, 2_000)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

type GraphError = {
  code: number;
  error_subcode?: number;
  type: string;
  error_data?: { messaging_product: string; details: string };
  fbtrace_id: string;
};

/** Every answer of the Graph API in these tests; a missing part is undefined and fails the assertion. */
export type GraphBody = {
  error?: GraphError;
  contacts?: object[];
  messages?: { id: string; message_status?: string }[];
  data?: { name: string; language: string }[];
  paging?: { next?: string };
  success?: boolean;
  status?: string;
  url?: string;
  sha256?: string;
  file_size?: number;
};

export type Delivery = {
  seq: number;
  event: string | null;
  duplicate: boolean;
  headers: Record<string, string>;
  body: string;
};

type Status = {
  id: string;
  status: string;
  biz_opaque_callback_data?: string;
  errors?: { code: number; title: string }[];
};

export type Value = {
  metadata: { phone_number_id: string };
  contacts?: { profile: { name: string } }[];
  messages?: { id: string; text?: { body: string }; image?: { id: string; caption: string; sha256: string } }[];
  statuses?: Status[];
};

/** Returns the `value` of each change in a notification. */
export function readValues({ body }: Delivery): Value[] {
  const { entry } = JSON.parse(body) as { entry: { changes: { value: Value }[] }[] };
  return entry.flatMap(({ changes }) => changes.map(({ value }) => value));
}

/** Starts one sandbox for the file and resets it before each test; its own receiver gets the notifications. */
export function useSandbox() {
  let running: RunningSandbox | undefined;
  before(async () => {
    running = await startSandbox({ SANDBOX_APP_SECRET: SECRET });
  });
  after(() => running?.stop());
  beforeEach(async () => {
    await control('reset', {});
    await set({ callback_url: null });
  });

  const url = (): string => running?.url ?? '';
  const graph = (path: string, options: Options = {}): Promise<Reply<GraphBody>> =>
    call(`${url()}/v26.0/${path}`, { token: TOKEN, ...options });
  const send = (body: object): Promise<Reply<GraphBody>> => graph(`${PHONE}/messages`, { body });

  async function control<T>(path: string, body?: object, method?: string): Promise<T> {
    const options = { ...(body === undefined ? {} : { body }), ...(method === undefined ? {} : { method }) };
    const reply = await call<T>(`${url()}/sandbox/${path}`, options);
    assert.ok(reply.status < 300, JSON.stringify(reply.body));
    return reply.body;
  }

  const set = (settings: object): Promise<object> => control('settings', settings, 'PUT');
  const listen = (settings: object = {}): Promise<object> =>
    set({ callback_url: `${url()}/receiver/wap`, ...settings });
  const deliveries = async (): Promise<Delivery[]> =>
    (await control<{ deliveries: Delivery[] }>('deliveries?path=/receiver/wap')).deliveries;
  const statuses = async (): Promise<Status[]> =>
    (await deliveries()).flatMap(readValues).flatMap((value) => value.statuses ?? []);
  const stats = (): Promise<Record<string, number>> => control('stats');

  async function refusedWith(body: object, code: number): Promise<GraphError> {
    const reply = await send(body);
    assert.equal(reply.body.error?.code, code, JSON.stringify(reply.body));
    return reply.body.error;
  }
  return { url, graph, send, control, set, listen, deliveries, statuses, stats, refusedWith };
}
