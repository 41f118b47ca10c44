/** Puts a process together, in order: secrets, database, sandbox, doors, API, worker; and takes it apart in the reverse one. */
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { buildApi } from '../api.ts';
import { createChannels } from '../channels/registry.ts';
import { dataPath, type Config } from '../config.ts';
import type { Kit } from '../kit.ts';
import { followNewcomers } from '../platform/connections.ts';
import { openJobs, type Jobs } from '../platform/jobs.ts';
import { agreeOnKey, agreeOnTokenSecret } from '../platform/installation.ts';
import { createMailer, type Mailer } from '../platform/mail.ts';
import { createOutbound } from '../platform/outbound.ts';
import { createReaders, type SheetReaders } from '../platform/sheets/readers.ts';
import { createSecrets } from '../platform/secrets.ts';
import type { Health } from '../platform/service.ts';
import { createStorageGate, type StorageGate } from '../platform/storage.ts';
import { watchStorage } from '../platform/storage-watch.ts';
import { createMetrics, type Log } from '../platform/telemetry.ts';
import { keepStatistics } from '../platform/statistics.ts';
import { openDatabase, type Database } from '../platform/tenant.ts';
import { startWorker } from '../worker.ts';
import { openAccess } from './access.ts';
import { prepareStore } from './database.ts';
import { followSandbox, prepareFirstStart, warnOfCredentials } from './first-start.ts';
import type { Sandbox } from './sandbox.ts';
import type { InstallationSecrets } from './secrets-file.ts';
import { openSurroundings, type Purpose, type Surroundings } from './surroundings.ts';

const PUBLIC_GRAPH = 'https://graph.facebook.com/v26.0';
// The door stays open this long after the signal: a connection that waits to be let in when it closes would be cut, and its
// request with it. Many turns of the event loop, and a hundredth of what an orderly end may take.
const LINGER_MS = 100;
// And for a connection that was let in before and has not brought its request yet, as long as a network on the other side of the world needs.
const NEWCOMERS_MS = 1_000;

export interface Running {
  /** Where it listens; null in a process that only works. */
  url: string | null;
  kit: Kit;
  stop(): Promise<void>;
  /** Resolves with a sentence when it can not go on. */
  failed: Promise<string>;
}

export interface StartOptions {
  log: Log;
  /** Sends reads through row-level security, too; for tests. */
  readsUnderRls?: boolean;
  /** Begun before this code was loaded; else they are opened here. */
  surroundings?: Promise<Surroundings>;
}

/** Throws one sentence, with nothing left running. */
export async function start(config: Config, purpose: Purpose, options: StartOptions): Promise<Running> {
  // Taken apart from the last to the first, whether by a stop or by a start that fails half-way.
  const undo: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  try {
    return { ...(await assemble(config, purpose, options, undo)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Undo = (() => Promise<void>)[];

async function assemble(config: Config, purpose: Purpose, options: StartOptions, undo: Undo) {
  const { log } = options;
  const surroundings = await (options.surroundings ?? openSurroundings(config, purpose));
  undo.push(surroundings.stop);
  const { secrets, embedded, sandbox } = surroundings;
  surroundings.follow((line) => log.warn({ postgres: line }, 'database'));
  const storeUrl = await prepareStore(config, embedded, purpose === 'all', log);
  const { kit, jobs, gate } = await openKit({ config, secrets, sandbox, url: storeUrl, purpose, options, undo });
  const health: Health = { phase: 'starting', ping: () => kit.database.ping(), hasRoom: () => gate.hasRoom };
  const app = purpose === 'worker' ? null : await buildApi(kit, health);
  // Closing twice is closing once.
  if (app) undo.push(() => app.close());
  // Putting the API together holds the event loop; nobody may wait for the database meanwhile.
  await app?.ready();
  await jobs.start();
  const api = app && (await listen(app, kit));
  const url = api?.url ?? null;
  if (sandbox && api) await pointSandbox(kit, sandbox, api.local);
  if (purpose !== 'worker') {
    const first = await prepareFirstStart(kit, {
      jwtSecret: secrets.jwtSecret,
      baseUrl: url ?? config.PUBLIC_URL,
      sandboxUrl: sandbox?.url ?? null,
    });
    if (!first) await warnOfCredentials(kit);
    if (sandbox) await followSandbox(kit, sandbox.url);
  }
  // Only now: what a start itself has to write is little, and without it nobody could read either.
  if (embedded) {
    const { folders, keepBallast } = embedded;
    const watch = { folders, reserveBytes: config.STORAGE_RESERVE, onPlenty: keepBallast };
    undo.push(await watchStorage({ gate, log, metrics: kit.metrics }, watch));
  }
  if (purpose !== 'api') {
    const stopWorker = await startWorker(kit, jobs, embedded !== null);
    // Together: a request and a delivery last ten seconds each, and whoever waits for the end waits for the longer one only.
    undo.push(async () => void (await Promise.all([stopWorker(), app?.close()])));
  }
  undo.push(async () => {
    // First of all when stopping: say so to whoever balances the load.
    health.phase = 'stopping';
    await api?.linger();
  });
  health.phase = 'serving';
  return { url, kit, failed: embedded?.died ?? new Promise<string>(() => undefined) };
}

interface Parts {
  config: Config;
  secrets: InstallationSecrets;
  sandbox: Sandbox | null;
  url: string;
  purpose: Purpose;
  options: StartOptions;
  undo: Undo;
}

/** Throws where the database knows another encryption key or token secret than this process. */
async function agreeOnSecrets(
  database: Database,
  { encryptionKey }: InstallationSecrets,
  tokenSecrets: Parameters<typeof agreeOnTokenSecret>[1],
): Promise<void> {
  await agreeOnKey(database.system('upkeep'), encryptionKey);
  await database.systemTx('upkeep', (tx) => agreeOnTokenSecret(tx, tokenSecrets));
}

async function openKit({
  config,
  secrets,
  sandbox,
  url,
  purpose,
  options,
  undo,
}: Parts): Promise<{ kit: Kit; jobs: Jobs; gate: StorageGate }> {
  const { log, readsUnderRls = false } = options;
  const metrics = createMetrics();
  const gate = createStorageGate(log, metrics);
  const { DATABASE_POOL: poolSize, COMPANY_QUOTA: quota } = config;
  const database = openDatabase({ url, poolSize, storage: gate, quota, readsUnderRls });
  undo.push(database.close, keepStatistics(database.system('upkeep'), log));
  const tokenSecrets = { current: secrets.jwtSecret, previous: config.JWT_SECRET_PREVIOUS };
  await agreeOnSecrets(database, secrets, tokenSecrets);
  const outbound = createOutbound({
    allow: config.OUTBOUND_ALLOW,
    trusted: sandbox ? [`${sandbox.url}/receiver`] : [],
  });
  undo.push(outbound.close);
  const jobs = openJobs({ url, worker: purpose !== 'api', log, storage: gate });
  undo.push(jobs.stop);
  const access = openAccess(config, tokenSecrets, database);
  undo.push(access.limits.close);
  const mailer = openMailer(config);
  undo.push(async () => mailer.close());
  const channels = createChannels({
    graphUrl: config.WAP_GRAPH_URL ?? sandbox?.url ?? PUBLIC_GRAPH,
    appSecret: config.WAP_APP_SECRET ?? (sandbox ? secrets.appSecret : null),
    outbound,
  });
  const kit: Kit = {
    config: sandbox ? { ...config, WAP_VERIFY_TOKEN: secrets.verifyToken } : config,
    database,
    storage: gate,
    access,
    secrets: createSecrets(secrets.encryptionKey),
    tokenSecret: secrets.jwtSecret,
    mailer,
    outbound,
    channels,
    enqueue: jobs.enqueue,
    sheets: openReaders(config, undo),
    metrics,
    log,
  };
  return { kit, jobs, gate };
}

function openReaders(config: Config, undo: Undo): SheetReaders {
  const readers = createReaders(new URL('../sheet-reader.ts', import.meta.url), config.READER_NICE);
  undo.push(async () => readers.close());
  return readers;
}

function openMailer(config: Config): Mailer {
  return createMailer({
    smtpUrl: config.SMTP_URL,
    folder: dataPath(config, 'mail'),
    from: config.MAIL_FROM ?? `Parley <no-reply@${new URL(config.PUBLIC_URL).hostname}>`,
  });
}

interface Listening {
  url: string;
  /** The same, from this machine. */
  local: string;
  /** Before it is closed: whoever has come is let in and heard. */
  linger(): Promise<void>;
}

async function listen(app: FastifyInstance, kit: Kit): Promise<Listening> {
  const awaitNewcomers = followNewcomers(app.server);
  await app.listen({ host: kit.config.HOST, port: kit.config.PORT });
  const { port } = app.server.address() as AddressInfo;
  const url = kit.config.PORT === 0 ? kit.config.PUBLIC_URL.replace(/:0$/, `:${port}`) : kit.config.PUBLIC_URL;
  // Links lead to where it listens, also on a port that was free.
  kit.config = Object.freeze({ ...kit.config, PUBLIC_URL: url });
  const linger = async (): Promise<void> => {
    await sleep(LINGER_MS);
    await awaitNewcomers(NEWCOMERS_MS);
  };
  return { url, local: `http://127.0.0.1:${port}`, linger };
}

/** The sandbox learns where its notifications go once the platform has an address. */
async function pointSandbox(kit: Kit, sandbox: Sandbox, url: string): Promise<void> {
  const answer = await kit.outbound.operator({
    method: 'PUT',
    url: `${sandbox.url}/sandbox/settings`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ callback_url: `${url}/hooks/wap` }),
    signal: AbortSignal.timeout(5_000),
    maxBytes: 65_536,
  });
  if (answer.status !== 200) throw new Error(`the sandbox does not take ${url} as the platform's address`);
}
