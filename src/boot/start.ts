/** Starts the parts of a process in order (secrets, database, sandbox, services, API, worker) and stops them in the reverse order. */
import type { AddressInfo } from 'node:net';
import { setImmediate as waitForNextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { buildApi } from '../api.ts';
import { createChannels } from '../channels/registry.ts';
import { dataPath, type Config, type StartConfig } from '../config.ts';
import type { Kit } from '../kit.ts';
import { createChangeFeed } from '../platform/store/changes/feed.ts';
import { connectOtherProcesses } from '../platform/store/changes/neighbours.ts';
import { createCallers } from '../platform/work/callers.ts';
import { createReaders, type ChildReaders } from '../platform/work/child-readers.ts';
import { createNewcomerWait } from '../platform/http/connections.ts';
import { createExportAdmission } from '../platform/http/download.ts';
import { createDownloads } from '../platform/store/files/downloads.ts';
import { createFiles, type Files } from '../platform/store/files/files.ts';
import { createFolderStore } from '../platform/store/files/folder.ts';
import { createS3Store } from '../platform/store/files/s3.ts';
import { openJobs, type Jobs } from '../platform/work/jobs.ts';
import { agreeOnEncryptionKey, agreeOnTokenSecret } from '../platform/store/installation.ts';
import { createMailer, type Mailer } from '../platform/outside/mail.ts';
import type { Outbound } from '../platform/outside/outbound.ts';
import { createSecrets } from '../platform/store/secrets.ts';
import type { Health } from '../platform/http/service.ts';
import { createPrecedence } from '../platform/work/precedence.ts';
import { createStorageGate, type Storage, type StorageGate } from '../platform/store/storage.ts';
import { watchStorage } from '../platform/store/storage-watch.ts';
import { createMetrics, type Log } from '../platform/work/telemetry.ts';
import { watchReplication } from '../platform/store/replication.ts';
import { keepStatisticsFresh } from '../platform/store/statistics.ts';
import { openDatabase } from '../platform/store/open-database.ts';
import { startWorker } from '../worker.ts';
import { isWildcard } from '../platform/outside/own-address.ts';
import { createKeyring } from '../platform/http/tokens.ts';
import { createNearestVectors, type NearestVectors } from '../platform/store/vectors/nearest.ts';
import { openAccess } from './access.ts';
import { prepareDatabase } from './database.ts';
import { beginDemoNetworks, moveDemoNetworks } from './demo-networks.ts';
import { openOutbound } from './outbound.ts';
import { describeDemoChat, moveSandboxWebhooks, prepareFirstStart, warnAboutCredentials } from './first-start.ts';
import { trustSandbox, type Sandbox } from './sandbox.ts';
import { configureSandbox, restorePhones } from './sandbox-settings.ts';
import type { InstallationSecrets } from './secrets-file.ts';
import { startDatabaseAndSandbox, type Purpose, type EarlyStart } from './early-start.ts';

// The time for which the server goes on accepting connections after the signal to stop. A connection that
// the system has established but Node has not yet accepted would otherwise be reset, and its request lost.
const LINGER_MS = 100;
// How long a stop waits for the first request on connections that are already open: as long as a slow, distant network needs to bring it.
const NEWCOMERS_MS = 1_000;

export interface Running {
  /** The address that the API listens on; null in a process that runs only the worker. */
  url: string | null;
  kit: Kit;
  stop(): Promise<void>;
  /** Resolves with one sentence when the process cannot go on, for example because its database has died. */
  failed: Promise<string>;
}

export interface StartOptions {
  log: Log;
  /** Runs reads under row-level security as well; for tests. */
  readsUnderRls?: boolean;
  /** Gives the demo of a first start an agent, and an inbox at each network that the sandbox plays. */
  hasWholeDemo?: boolean;
  /** The database server and the sandbox, when they were started before this code was loaded; otherwise start() opens them. */
  early?: Promise<EarlyStart>;
}

/**
 * Starts a process of the platform. When the start fails, all parts that were started are stopped and an error with one sentence is thrown.
 */
export async function start(config: StartConfig, purpose: Purpose, options: StartOptions): Promise<Running> {
  // The steps that undo the start. A stop and a failed start run them in reverse order.
  const undo: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  try {
    return { ...(await startParts(config, purpose, options, undo)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type UndoSteps = (() => Promise<void>)[];

async function startParts(config: StartConfig, purpose: Purpose, options: StartOptions, undo: UndoSteps) {
  const { log } = options;
  const early = await (options.early ?? startDatabaseAndSandbox(config, purpose));
  undo.push(early.stop);
  const { secrets, embedded, sandbox } = early;
  early.follow((line) => log.warn({ postgres: line }, 'database'));
  // A wrong setting of a channel ends the start before the database is changed.
  const network = openNetworks(config, sandbox, undo);
  const database = await prepareDatabase(config, embedded, purpose === 'all', log);
  const shared = { isShared: embedded === null, purpose, options, undo };
  const { kit, jobs, gate } = await openKit({ config, secrets, sandbox, network, url: database, ...shared });
  const health: Health = { phase: 'starting', ping: () => kit.database.ping(), hasRoom: () => gate.hasRoom };
  const app = purpose === 'worker' ? null : await buildApi(kit, health);
  // Fastify allows a second close(), which does nothing.
  if (app) undo.push(() => app.close());
  // Compiling the routes blocks the event loop. It happens before the job queue starts, because a query of the queue that waited meanwhile
  // would time out.
  await app?.ready();
  await jobs.start();
  const api = app && (await listenForRequests(app, kit));
  const url = api?.url ?? null;
  // Callbacks go to the address on which the platform listens, which is known only now.
  if (sandbox && api) await configureSandbox(kit, sandbox, { callback_url: `${api.local}/hooks/wap` });
  if (purpose !== 'worker') {
    const first = await prepareFirstStart(kit, {
      jwtSecret: secrets.jwtSecret,
      baseUrl: url ?? config.PUBLIC_URL,
      sandboxUrl: sandbox?.url ?? null,
      wholeDemo: options.hasWholeDemo ? sandbox : null,
    });
    if (!first) await warnAboutCredentials(kit);
    if (sandbox) await moveSandboxWebhooks(kit, sandbox.url);
    if (sandbox && options.hasWholeDemo) await moveDemoNetworks(kit, sandbox);
    if (sandbox && !first) await restorePhones(kit, sandbox, log);
    if (sandbox && api) await configureSandbox(kit, sandbox, await describeDemoChat(kit, sandbox.url, api.local));
  }
  // The watch of the disk space begins after the first start has written its records, because they are small, and without them no one could
  // use the platform at all.
  if (embedded) {
    const { folders, keepBallast } = embedded;
    const watch = { folders, reserveBytes: config.STORAGE_RESERVE, onPlenty: keepBallast };
    undo.push(await watchStorage({ gate, log, metrics: kit.metrics }, watch));
  }
  if (purpose !== 'api') {
    const stopWorker = await startWorker(kit, jobs, embedded !== null);
    // The worker and the API are stopped at the same time, because a request and a delivery may
    // take ten seconds each: one after the other they would exceed the time limit of a stop.
    undo.push(async () => void (await Promise.all([stopWorker(), app?.close()])));
  }
  undo.push(async () => {
    // The first step of a stop: /health/ready begins to fail, so that load balancers send no more requests.
    health.phase = 'stopping';
    await api?.linger();
    // Streams of changes would otherwise keep the server open.
    kit.changes.endFollowers();
  });
  health.phase = 'serving';
  if (sandbox && options.hasWholeDemo) undo.push(beginDemoNetworks(kit, sandbox));
  return { url, kit, failed: embedded?.died ?? new Promise<string>(() => undefined) };
}

interface StartedParts {
  config: StartConfig;
  secrets: InstallationSecrets;
  sandbox: Sandbox | null;
  network: ReturnType<typeof openNetworks>;
  url: string;
  /** Whether other processes may use the same database. */
  isShared: boolean;
  purpose: Purpose;
  options: StartOptions;
  undo: UndoSteps;
}

/** Throws when the processes that used this database before had another encryption key or another token secret. */
async function checkSecrets(
  database: Kit['database'],
  { encryptionKey }: InstallationSecrets,
  tokenSecrets: Parameters<typeof agreeOnTokenSecret>[1],
): Promise<void> {
  await agreeOnEncryptionKey(database.system('upkeep'), encryptionKey);
  await database.systemTx('upkeep', (tx) => agreeOnTokenSecret(tx, tokenSecrets));
}

/** Opens the database and the feed of what changes in it. */
function connectToDatabase({ config, url, isShared, options, undo }: StartedParts, storage: Storage) {
  const { log, readsUnderRls = false } = options;
  const { DATABASE_POOL: poolSize, DATABASE_WAIT: waitMs, COMPANY_QUOTA: quota } = config;
  const changes = createChangeFeed();
  const database = openDatabase({ url, poolSize, waitMs, storage, quota, publish: changes.publish, readsUnderRls });
  undo.push(database.close, keepStatisticsFresh(database.system('upkeep'), log));
  // With the embedded database there is no other process that could follow.
  if (isShared)
    changes.connect((feed) => connectOtherProcesses({ url, system: database.system('changes'), log }, feed));
  undo.push(changes.close);
  return { database, changes };
}

async function openKit(parts: StartedParts): Promise<{ kit: Kit; jobs: Jobs; gate: StorageGate }> {
  const { secrets, sandbox, network, url, purpose, undo } = parts;
  // The rooms do not see what the operator has set for a channel.
  const { variables: _variables, ...config } = parts.config;
  const { log } = parts.options;
  const metrics = createMetrics();
  const gate = createStorageGate(log, metrics);
  const { database, changes } = connectToDatabase(parts, gate);
  if (parts.isShared) undo.push(watchReplication({ system: database.system('upkeep'), log, metrics }));
  const tokenSecrets = { current: secrets.jwtSecret, previous: config.JWT_SECRET_PREVIOUS };
  await checkSecrets(database, secrets, tokenSecrets);
  if (sandbox) undo.push(trustSandbox(sandbox));
  const jobs = openJobs({ url, worker: purpose !== 'api', log, storage: gate, waitMs: config.DATABASE_WAIT });
  const access = openAccess(config, tokenSecrets, database);
  undo.push(jobs.stop, access.limits.close);
  const kit: Kit = {
    config: Object.freeze(config),
    database,
    changes,
    storage: gate,
    access,
    secrets: createSecrets(secrets.encryptionKey),
    tokenSecret: secrets.jwtSecret,
    tokenKeyring: createKeyring(tokenSecrets),
    mailer: openMailer(config, undo),
    ...network,
    files: openFiles(config, network.outbound, gate, { log, encryptionKey: secrets.encryptionKey }),
    sandboxUrl: sandbox?.url ?? null,
    enqueue: jobs.enqueue,
    readers: openReaders(config, undo),
    vectors: openVectors(undo),
    admitExport: createExportAdmission(),
    precedence: createPrecedence(),
    downloads: createDownloads(config.RATE_LIMIT_FILES),
    metrics,
    log,
  };
  return { kit, jobs, gate };
}

/** Opens the clients for outgoing calls, and the channels. */
function openNetworks(config: StartConfig, sandbox: Sandbox | null, undo: UndoSteps) {
  const { close, ...clients } = openOutbound(config, sandbox);
  undo.push(close);
  const { variables } = config;
  const callers = createCallers(new URL('../mail-caller.ts', import.meta.url), config.READER_NICE);
  undo.push(async () => callers.close());
  const { outbound } = clients;
  const channels = createChannels({ variables, sandbox: sandbox?.variables ?? {}, outbound, callers });
  return { ...clients, channels };
}

function openFiles(
  config: Config,
  outbound: Outbound,
  gate: StorageGate,
  { log, encryptionKey }: { log: Log; encryptionKey: string },
): Files {
  const store = config.s3
    ? createS3Store(outbound, config.s3, log)
    : createFolderStore(dataPath(config, 'files'), gate);
  return createFiles(store, createSecrets(encryptionKey));
}

function openReaders(config: Config, undo: UndoSteps): ChildReaders {
  const readers = createReaders(new URL('../file-reader.ts', import.meta.url), config.READER_NICE);
  undo.push(async () => readers.close());
  return readers;
}

function openVectors(undo: UndoSteps): NearestVectors {
  const vectors = createNearestVectors();
  undo.push(() => vectors.close());
  return vectors;
}

function openMailer(config: Config, undo: UndoSteps): Mailer {
  const mailer = createMailer({
    smtpUrl: config.SMTP_URL,
    folder: dataPath(config, 'mail'),
    from: config.MAIL_FROM ?? `Parley <no-reply@${new URL(config.PUBLIC_URL).hostname}>`,
  });
  undo.push(async () => mailer.close());
  return mailer;
}

interface ListeningServer {
  url: string;
  /** The same address for callers on this machine. */
  local: string;
  /**
   * Waits until connections that are already established have been accepted and have sent their first request. Called before the server is
   * closed.
   */
  linger(): Promise<void>;
}

async function listenForRequests(app: FastifyInstance, kit: Kit): Promise<ListeningServer> {
  const awaitNewcomers = createNewcomerWait(app.server);
  await app.listen({ host: kit.config.HOST, port: kit.config.PORT });
  const { address, family, port } = app.server.address() as AddressInfo;
  const url = kit.config.PORT === 0 ? kit.config.PUBLIC_URL.replace(/:0$/, `:${port}`) : kit.config.PUBLIC_URL;
  // With PORT=0 the real port is known only now, and links have to contain it.
  kit.config = Object.freeze({ ...kit.config, PUBLIC_URL: url });
  const linger = async (): Promise<void> => {
    await sleep(LINGER_MS);
    // On a busy machine the timer fires late. The event loop first reads the requests that have arrived on open connections meanwhile.
    await waitForNextTurn();
    await awaitNewcomers(NEWCOMERS_MS);
  };
  const near = isWildcard(address) ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address;
  return { url, local: `http://${near}:${port}`, linger };
}
