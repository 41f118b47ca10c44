/**
 * Starts a whole platform for a test file: the parts of the real process on a cloned database, with the sandbox as its network. The sandbox
 * runs in the same process; src/boot/process.test.ts starts both as an operator does.
 */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { start, type Running } from '../../src/boot/start.ts';
import { loadConfig } from '../../src/config.ts';
import { createKey } from '../../src/features/api-keys/api-keys.ts';
import { createCompany } from '../../src/features/companies/companies.ts';
import { createUser } from '../../src/features/users/users.ts';
import { signToken } from '../../src/platform/http/tokens.ts';
import type { UserRole } from '../../src/platform/values/scopes.ts';
import { createLog, type Log } from '../../src/platform/work/telemetry.ts';
import { fetchUntilAccepted } from './until-accepted.ts';
import { readAnswerText } from './answer-text.ts';
import { openTestDatabase, type TestDatabase } from './database.ts';
import { renew, type PlatformParts } from './renewal.ts';
import { startTestSandbox } from './sandbox.ts';
import { borrow } from './lending.ts';
import { waitUntil } from './wait.ts';

// Any JSON value, so that a test can read every field and assert its value.
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

export interface Answer {
  status: number;
  headers: Headers;
  body: Json;
}

export interface CallOptions {
  body?: unknown;
  /** The API key of the call, by default the demo company's; null sends none. */
  key?: string | null;
  headers?: Record<string, string>;
  /** A body that is sent unchanged, instead of `body`. */
  raw?: string | Buffer;
}

export interface Company {
  _id: string;
  key: string;
  keyId: string;
}

export interface Platform {
  url: string;
  running: Running;
  database: TestDatabase;
  dataDir: string;
  /** The demo company of the first start, with a connected inbox and a webhook to the sandbox's receiver. */
  demo: Company & { inbox: string; webhook: string };
  globalKey: string;
  /** Calls the API, again while the answer is 503 and another status is expected, and asserts the status. */
  call(status: number, method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Calls the sandbox's control API and returns its JSON. */
  sandbox(method: string, path: string, body?: unknown): Promise<Json>;
  sandboxUrl: string;
  createCompany(name?: string): Promise<Company>;
  createKey(company: string | null, scopes: string[]): Promise<{ _id: string; token: string }>;
  createUser(company: string, role: UserRole, name?: string): Promise<{ _id: string; token: string }>;
  /** Makes a contact send a message through the network; resolves once the message is stored. */
  receive(message: { text?: string; from?: string; name?: string } & Record<string, unknown>): Promise<{ id: string }>;
  /** Waits until the receiver of the sandbox has got `count` matching deliveries, and returns them. */
  deliveries(match: (delivery: Json) => boolean, count?: number): Promise<Json[]>;
}

interface OpenParts extends PlatformParts {
  close(): Promise<void>;
}

export interface PlatformOptions {
  /** A platform of the file's own, for tests that background work of the files before would disturb. */
  isOwn?: boolean;
  env?: Record<string, string>;
  readsUnderRls?: boolean;
  /** Gives the demo company its agent and its other inboxes, which `npm start` does; without it nobody answers in a test. */
  hasWholeDemo?: boolean;
  /** A log for tests that read the log; the default log is silent. */
  log?: Log;
}

/**
 * Settings without rate limits, because tests send requests as fast as they can, and with patience for a connection, because a slow machine
 * is no fault of what they test. Tests of these limits set their own.
 */
export const UNLIMITED = {
  RATE_LIMIT_PER_KEY: '1000000',
  RATE_LIMIT_PER_COMPANY: '1000000',
  RATE_LIMIT_LOGIN: '1000000',
  RATE_LIMIT_PAGES: '1000000',
  RATE_LIMIT_ANSWERS: '1000000',
  DATABASE_WAIT: '30s',
};

/** What many test files need, so that they can share a platform. */
export const ROOMY = {
  // Thirty callers of one company, which may use half of the connections.
  DATABASE_POOL: '60',
  NUMBER_THROUGHPUT: '1000',
  // Tests play receivers, gateways and model servers on this machine.
  OUTBOUND_ALLOW: '127.0.0.0/8',
};

/** How often a request is repeated that was answered 503, as any client would: on a busy machine the database may not answer in time. */
const MOST_REPEATS = 20;

/** In tests that give no settings, agents answer only where the test makes their turn due. */
const PATIENT: PlatformOptions = { env: { AGENT_WAIT: '1h' } };

/**
 * A setting that gives the process which reads sheets normal priority, because tests share few cores, where a process of low priority gets
 * hardly any time.
 */
export const HURRIED = { READER_NICE: '0' };

/**
 * Returns the setting of the connection pool for this many concurrent callers of one company, which
 * may use half of the connections. With fewer connections a caller on a busy machine might get 503.
 */
export const makePoolSetting = (callers: number): Record<string, string> => ({ DATABASE_POOL: String(2 * callers) });

/**
 * Starts a platform that stops after the file's last test. In a process that runs several test files, those that need no other settings
 * share one platform, and each of them finds it in the state of a first start.
 */
export async function startPlatform(options: PlatformOptions = {}): Promise<Platform> {
  const shared = { open: () => openParts(PATIENT), renew, close: ({ close }: OpenParts) => close() };
  const parts = await borrow('platform', options, shared);
  if (parts) return describe(parts);
  const { platform, close } = await openPlatform({ ...PATIENT, ...options });
  after(close);
  return platform;
}

/** Starts a platform that the caller closes; programs that are not tests use it, too. */
export async function openPlatform(
  options: PlatformOptions = {},
): Promise<{ platform: Platform; close(): Promise<void> }> {
  const parts = await openParts(options);
  return { platform: await describe(parts), close: parts.close };
}

async function openParts(options: PlatformOptions): Promise<OpenParts> {
  const database = await openTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-data-'));
  const config = loadConfig({
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    PORT: '0',
    SANDBOX: 'on',
    LOG_LEVEL: 'silent',
    ...UNLIMITED,
    ...ROOMY,
    ...HURRIED,
    ...options.env,
  });
  const running = await start(config, 'all', {
    log: options.log ?? createLog(config.LOG_LEVEL),
    readsUnderRls: options.readsUnderRls ?? false,
    hasWholeDemo: options.hasWholeDemo ?? false,
    early: startTestSandbox(config),
  });
  const close = async (): Promise<void> => {
    await running.stop();
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { running, database, dataDir, close };
}

async function describe({ running, database, dataDir }: PlatformParts): Promise<Platform> {
  const credentials = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8')) as Json;
  const { tokenSecret: jwt } = running.kit;
  const sandboxUrl = running.kit.sandboxUrl ?? '';
  const url = running.url ?? '';
  const demo = {
    ...(await findDemoRecords(database)),
    _id: credentials.company_id,
    key: credentials.company_key,
    keyId: '',
  };

  const call: Platform['call'] = async (status, method, path, { body, key = demo.key, headers = {}, raw } = {}) => {
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const request: RequestInit = {
      method,
      headers: {
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key ? { authorization: `Bearer ${key}` } : {}),
        ...headers,
      },
      ...(payload === undefined ? {} : { body: payload }),
    };
    const response = await fetchUntilAccepted(url + path, () => request, {
      most: status === 503 ? 0 : MOST_REPEATS,
      onRefusal: (text) => void process.stderr.write(`${method} ${path} is repeated after 503: ${text}\n`),
    });
    const text = await readAnswerText(response.headers.get('content-type'), response.body);
    const parsed: Json = /json/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : text;
    assert.equal(response.status, status, `${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`);
    return { status: response.status, headers: response.headers, body: parsed };
  };
  const sandbox: Platform['sandbox'] = async (method, path, body) => {
    const response = await fetch(sandboxUrl + path, {
      method,
      ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    return response.json();
  };
  const system = running.kit.database;
  const platform: Platform = {
    url,
    running,
    database,
    dataDir,
    demo,
    globalKey: credentials.global_key,
    call,
    sandbox,
    sandboxUrl,
    createKey: (company, scopes) =>
      system.systemTx('upkeep', (tx) =>
        createKey(tx, jwt, {
          company,
          name: 'test',
          scopes,
        }),
      ),
    createCompany: (name = 'Other') =>
      system.systemTx('upkeep', async (tx) => {
        const company = await createCompany(tx, { name });
        const key = await createKey(tx, jwt, {
          company: company._id,
          name: 'test',
          scopes: ['*'],
        });
        return {
          _id: company._id,
          key: key.token,
          keyId: key._id,
        };
      }),
    createUser: (company, role, name = 'Olga Operator') =>
      system.systemTx('upkeep', async (tx) => {
        const email = `${Math.random().toString(36).slice(2)}@example.test`;
        const user = await createUser(tx, {
          company,
          name,
          email,
          role,
          password: 'correct horse battery',
        });
        const exp = Math.floor(Date.now() / 1e3) + 3600;
        return {
          _id: user._id,
          token: await signToken(jwt, user._id, {
            type: 'user',
            company,
            role,
            sv: 0,
            jti: user._id,
            exp,
          }),
        };
      }),
    receive: async (message) => {
      const sent = await sandbox('POST', '/sandbox/inbound', message);
      assert.equal(sent.status, 200, `the platform answered the network with ${sent.status}`);
      return sent;
    },
    deliveries: (match, count = 1) =>
      waitUntil(`${count} deliveries`, async () => {
        const { deliveries } = await sandbox('GET', '/sandbox/deliveries');
        const matching = (deliveries as Json[])
          .map((item) => ({
            ...item,
            body: JSON.parse(item.body),
          }))
          .filter(match);
        return matching.length >= count ? matching : null;
      }),
  };
  return platform;
}

async function findDemoRecords(database: TestDatabase): Promise<{ inbox: string; webhook: string }> {
  const [row] = await database.sql<{ inbox: string; webhook: string }>(
    `select i._id as inbox, w._id as webhook from inboxes i, webhooks w where i.channel = 'WAP_AUTO_CLOSER'`,
  );
  assert.ok(row, 'the first start made no demo');
  return row;
}
