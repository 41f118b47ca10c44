/** The environment of a proof: a database, the sandbox as its network, platform processes and companies. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox } from '../../../sandbox/test-process.ts';
import { createKey } from '../../../src/features/api-keys/api-keys.ts';
import { createCompany } from '../../../src/features/companies/companies.ts';
import type { Database, SystemTx } from '../../../src/platform/store/tenant.ts';
import { openDatabase } from '../../../src/platform/store/open-database.ts';
import { fetchUntilAccepted } from '../../support/until-accepted.ts';
import { UNLIMITED, type Json } from '../../support/platform.ts';
import { startProcess, type PlatformProcess, type Purpose } from './processes.ts';
import { openTestStore, type Store } from './store.ts';

const APP_SECRET = 'secret-of-the-proof';

export interface Tenant {
  _id: string;
  key: string;
}

export interface Stage {
  store: Store;
  /** Access to the database as the platform has it, for work that no API operation does alone, such as enqueueing events. */
  database: Database;
  appSecret: string;
  sandboxUrl: string;
  start(purpose: Purpose, env?: Record<string, string>): Promise<PlatformProcess>;
  createTenant(name: string): Promise<Tenant>;
  /** Creates another key of a company, which no process has cached. */
  createToken(tenant: Tenant): Promise<{ token: string }>;
}

export interface StageOptions {
  /** Whether the proof gets its own database server, which `store.crash()` may kill. */
  killable?: boolean;
  /** A store that the caller closes. */
  store?: Store;
}

/** Runs `play` with a new stage and removes everything afterwards: no process and no folder remains. */
export async function withStage<T>(options: StageOptions, play: (stage: Stage) => Promise<T>): Promise<T> {
  const { stage, close } = await openStage(options);
  try {
    return await play(stage);
  } finally {
    await close();
  }
}

/** Builds a stage that the caller closes, for a file whose tests share it. */
export async function openStage(options: StageOptions): Promise<{ stage: Stage; close(): Promise<void> }> {
  const undo: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  try {
    return { stage: await buildStage(options, undo), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function buildStage(options: StageOptions, undo: (() => Promise<unknown>)[]): Promise<Stage> {
  const store = options.store ?? (await openTestStore(options.killable ?? false));
  if (!options.store) undo.push(store.close);
  const folder = await mkdtemp(join(tmpdir(), 'parley-stage-'));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  // In an open sandbox every number and every token is valid.
  const sandbox = await startSandbox({ SANDBOX_APP_SECRET: APP_SECRET, SANDBOX_OPEN: '1' });
  undo.push(sandbox.stop);
  const database = openDatabase({ url: store.url, poolSize: 2 });
  undo.push(database.close);
  const jwtSecret = randomBytes(32).toString('hex');
  const shared = {
    DATABASE_URL: store.url,
    ...UNLIMITED,
    // Three processes and the proof itself share a server of 300 connections.
    DATABASE_POOL: '4',
    HOST: '127.0.0.1',
    SANDBOX: 'off',
    ENCRYPTION_KEY: randomBytes(32).toString('hex'),
    JWT_SECRET: jwtSecret,
    WAP_GRAPH_URL: sandbox.url,
    WAP_APP_SECRET: APP_SECRET,
    WAP_VERIFY_TOKEN: 'verify',
    OUTBOUND_ALLOW: '127.0.0.0/8',
  };
  const createToken = (tx: SystemTx, company: string): Promise<{ token: string }> =>
    createKey(tx, jwtSecret, { company, name: 'proof', scopes: ['*'] });
  let started = 0;
  return {
    store,
    database,
    appSecret: APP_SECRET,
    sandboxUrl: sandbox.url,
    start: async (purpose, env = {}) => {
      started += 1;
      const running = await startProcess(purpose, { ...shared, DATA_DIR: join(folder, String(started)), ...env });
      undo.push(running.kill);
      return running;
    },
    createTenant: (name) =>
      database.systemTx('upkeep', async (tx) => {
        const { _id } = await createCompany(tx, { name });
        const { token } = await createToken(tx, _id);
        return { _id, key: token };
      }),
    createToken: ({ _id }) => database.systemTx('upkeep', (tx) => createToken(tx, _id)),
  };
}

export interface CallOptions {
  key?: string;
  body?: unknown;
  /** The Idempotency-Key. */
  repeat?: string;
}

/** Calls the API or the sandbox's control API once, asserts the status and returns the JSON. */
export async function call(status: number, method: string, url: string, options: CallOptions = {}): Promise<Json> {
  return checkAnswer(status, await sendRequest(method, url, options));
}

/** Like `call`, but repeats the call while the answer is 503. */
export async function callUntilAccepted(
  status: number,
  method: string,
  url: string,
  options: CallOptions = {},
): Promise<Json> {
  const ask = (): RequestInit => makeRequest(method, options);
  return checkAnswer(status, await readAnswer(method, await fetchUntilAccepted(url, ask)));
}

interface Answer {
  asked: string;
  status: number;
  text: string;
}

/** Calls once and returns the answer, whatever its status. */
export const sendRequest = async (method: string, url: string, options: CallOptions): Promise<Answer> =>
  readAnswer(method, await fetch(url, makeRequest(method, options)));

const makeRequest = (method: string, { key, body, repeat }: CallOptions): RequestInit => ({
  method,
  headers: {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(repeat === undefined ? {} : { 'idempotency-key': repeat }),
  },
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
});

const readAnswer = async (method: string, response: Response): Promise<Answer> => ({
  asked: `${method} ${response.url}`,
  status: response.status,
  text: await response.text(),
});

function checkAnswer(status: number, answer: Answer): Json {
  assert.equal(answer.status, status, `${answer.asked} answered ${answer.status}: ${answer.text.slice(0, 500)}`);
  return answer.text === '' ? null : (JSON.parse(answer.text) as Json);
}

/** Creates a webhook of the company with this address. */
export async function createWebhook(
  api: PlatformProcess,
  tenant: Tenant,
  url: string,
  events: string[],
): Promise<Json> {
  return callUntilAccepted(201, 'POST', `${api.url}/v1/webhooks`, { key: tenant.key, body: { url, events } });
}

/** Creates an inbox for this phone number id of the network, which the sandbox accepts. */
export async function createInbox(api: PlatformProcess, tenant: Tenant, phoneId: string): Promise<string> {
  const inbox = await callUntilAccepted(201, 'POST', `${api.url}/v1/inboxes`, {
    key: tenant.key,
    body: {
      channel: 'WAP_AUTO_CLOSER',
      name: `Phone ${phoneId}`,
      number: `+55119${phoneId.slice(-8)}`,
      api_wap_config: {
        phone_number_id: phoneId,
        waba_id: `2${phoneId.slice(1)}`,
        business_id: `3${phoneId.slice(1)}`,
        business_token: 'token',
      },
    },
  });
  assert.equal(inbox.connection.status, 'CONNECTED');
  return inbox._id as string;
}
