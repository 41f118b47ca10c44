import { existsSync } from 'node:fs';
import { readFile, statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BALLAST_BYTES, createBallast, type Ballast } from './embedded-postgres/ballast.ts';
import { findPostgresBinaries, type PostgresBinaries } from './embedded-postgres/binaries.ts';
import { openCluster, type Cluster } from './embedded-postgres/cluster.ts';
import { lockFolder } from './embedded-postgres/lock.ts';
import { isPostmasterOf, readPostmaster, signalProcess } from './embedded-postgres/postmaster.ts';
import { makeFolder } from './make-folder.ts';
import {
  adoptRunningServer,
  isOutOfSpace,
  launchServer,
  LOOPBACK,
  OWNER,
  type PostgresServer,
} from './embedded-postgres/server.ts';

export interface EmbeddedPostgres {
  /** The folder of the server's Unix socket, or an address. */
  host: string;
  port: number;
  /** The superuser, its password and its database. */
  user: string;
  password: string;
  database: string;
  /** Stops the server and resolves when it has ended. May be called more than once. */
  stop(): Promise<void>;
  /** Resolves with the reason when the server has ended by itself. A server that ended for lack of disk space is started again instead. */
  died: Promise<string>;
  /** The folders that the server writes to, by name. */
  folders: Record<string, string>;
  /** Reserves disk space for a later recovery on a full disk. Called while plenty of space is free. */
  keepBallast(): Promise<void>;
}

interface SupervisorState {
  cluster: Cluster;
  binaries: PostgresBinaries;
  ballast: Ballast;
  log: (line: string) => void;
  /** PostgreSQL settings that replace the usual ones. */
  settings: Record<string, string | number>;
  server: PostgresServer;
  /** Aborted by the first call of stop(). */
  asked: AbortController;
  stopping: Promise<void> | undefined;
}

/**
 * The signals that stop the server, one after the other, and how long each may take. No signal loses data; after the first one the next
 * start is fastest.
 */
const STOP_STEPS = [
  { signal: 'SIGINT', timeoutMs: 10_000 },
  // PostgreSQL itself kills those of its processes that ignore this signal for 5 s.
  { signal: 'SIGQUIT', timeoutMs: 6_000 },
  { signal: 'SIGKILL', timeoutMs: 2_000 },
] as const;

/**
 * Starts PostgreSQL on a folder, which is created when missing, or takes over the server that a killed Parley left running on it. Throws
 * an Error whose message is one clear sentence. `settings` are PostgreSQL settings that replace the usual ones.
 */
export async function startEmbeddedPostgres(
  folder: string,
  log: (line: string) => void,
  settings: Record<string, string> = {},
): Promise<EmbeddedPostgres> {
  const path = resolve(folder);
  let unlock = () => {};
  const asked = new AbortController();
  // The output of the server is not logged any more once the server was told to stop.
  const logRunning = (line: string) => {
    if (!asked.signal.aborted) log(line);
  };
  try {
    await makeFolder(path, 0o700);
    unlock = lockFolder(path, process.pid);
    const ballast = createBallast(path);
    const binaries = await findPostgresBinaries(path);
    const cluster = await openCluster(path, binaries);
    const shared = { cluster, binaries, ballast, log: logRunning, settings, asked, stopping: undefined };
    const server = (await adoptRunningServer(cluster)) ?? (await launchWithBallast(shared));
    return superviseServer({ ...shared, server }, unlock);
  } catch (error) {
    unlock();
    throw new Error(explainFailure(path, (error as Error).message), { cause: error });
  }
}

/**
 * Starts the server. When the disk is too full for the recovery of the server, the ballast file is removed to free space, and the start is
 * tried once more.
 */
async function launchWithBallast({
  cluster,
  binaries,
  ballast,
  log,
  settings,
}: Omit<SupervisorState, 'server'>): Promise<PostgresServer> {
  try {
    return await launchServer(cluster, binaries, log, settings);
  } catch (error) {
    if (!isOutOfSpace((error as Error).message)) throw error;
    await ballast.drop();
    return launchServer(cluster, binaries, log, settings);
  }
}

/** Throws one sentence when another process runs a server on this folder. */
export function refuseIfRunning(folder: string): void {
  const path = resolve(folder);
  if (existsSync(path)) lockFolder(path, process.pid)();
}

/** Returns the connection URL of the superuser to a server that another process runs on this folder; null when there is no such server. */
export async function findRunningPostgres(folder: string): Promise<string | null> {
  const home = join(resolve(folder), 'cluster');
  const postmaster = await readPostmaster(join(home, 'data'));
  if (postmaster?.status !== 'ready' || !(await isPostmasterOf(postmaster.pid, join(home, 'data')))) return null;
  const { port, socketFolder } = postmaster;
  const password = await readFile(join(home, 'password'), 'utf8');
  return connectionUrl({ ...OWNER, host: socketFolder || LOOPBACK, port, password });
}

/** Returns the URL of a database; the folder of a Unix socket takes the place of the host in it, as PostgreSQL's own programs read it. */
export function connectionUrl({
  host,
  port,
  user,
  password,
  database,
}: Pick<EmbeddedPostgres, 'host' | 'port' | 'user' | 'password' | 'database'>): string {
  return `postgres://${user}:${encodeURIComponent(password)}@${encodeURIComponent(host)}:${port}/${database}`;
}

function superviseServer(state: SupervisorState, unlock: () => void): EmbeddedPostgres {
  // A process that exits without calling stop() also stops its server. Only kill -9 leaves a server running.
  const stopAtExit = () => signalProcess(state.server.pid, 'SIGINT');
  process.once('exit', stopAtExit);
  const watching = watchServer(state).finally(() => {
    process.off('exit', stopAtExit);
    unlock();
  });
  const died = new Promise<string>((settle) => {
    void watching.then((reason) => {
      if (reason !== null) settle(`the embedded PostgreSQL (pid ${state.server.pid}) ended by itself: ${reason}`);
    });
  });
  const stop = async (): Promise<void> => {
    state.asked.abort();
    await (state.stopping ??= stopServer(state.server));
    await watching;
  };
  const { data } = state.cluster;
  return {
    ...OWNER,
    host: state.server.host,
    port: state.server.port,
    password: state.cluster.password,
    stop,
    died,
    folders: { database: data, log: join(data, 'pg_wal') },
    keepBallast: state.ballast.keep,
  };
}

/** Watches the server and restarts it after a full disk. Resolves with the reason when it has ended by itself, or null after stop(). */
async function watchServer(state: SupervisorState): Promise<string | null> {
  for (;;) {
    const reason = await state.server.ended;
    if (state.asked.signal.aborted) return null;
    if (!(await hasEndedForLackOfSpace(state, reason))) return reason;
    state.log(`PostgreSQL ended for lack of space and is started again: ${reason}`);
    const revived = await restartServer(state);
    if (typeof revived === 'string') return revived;
    if (revived === null) return null;
    state.server = revived;
    state.log('PostgreSQL is back');
    // stop() may have been called while this server started; then this server has to be stopped as well.
    if (state.asked.signal.aborted) await stopServer(revived);
  }
}

async function hasEndedForLackOfSpace({ cluster }: SupervisorState, reason: string): Promise<boolean> {
  if (isOutOfSpace(reason)) return true;
  const { bavail, bsize } = await statfs(cluster.data);
  return bavail * bsize < BALLAST_BYTES;
}

// The pause between two attempts to start. An operator may free disk space at any moment, and an attempt takes only a tenth of a second.
const REVIVE_MS = 1_000;

/**
 * Starts the server again on the same port, which the connection pools use. Returns null when stop() was
 * called meanwhile, or one sentence when the start failed for another reason than a lack of disk space.
 */
async function restartServer(state: SupervisorState): Promise<PostgresServer | string | null> {
  const { signal } = state.asked;
  await state.ballast.drop();
  while (!signal.aborted) {
    try {
      return await launchWithBallast({ ...state, settings: { ...state.settings, port: state.server.port } });
    } catch (error) {
      const { message } = error as Error;
      // Failure policy: for lack of disk space the start is tried again until it succeeds; any other failure is returned and ends the
      // process.
      if (!isOutOfSpace(message)) return explainFailure(state.cluster.folder, message);
    }
    // Failure policy: the pause rejects only when stop() aborts it; then the loop ends.
    await sleep(REVIVE_MS, undefined, { signal }).catch(() => undefined);
  }
  return null;
}

async function stopServer({ pid, ended }: PostgresServer): Promise<void> {
  for (const { signal, timeoutMs } of STOP_STEPS) {
    // A server that has ended is not signalled, because its pid may belong to another process by now.
    if (await endsWithinTime(ended, 0)) return;
    signalProcess(pid, signal);
    if (await endsWithinTime(ended, timeoutMs)) return;
  }
}

async function endsWithinTime(ended: Promise<string>, timeoutMs: number): Promise<boolean> {
  const timer = new AbortController();
  // Failure policy: the timer rejects only when it is aborted below, and then nobody awaits it any more.
  const timeout = sleep(timeoutMs, false, { signal: timer.signal }).catch(() => false);
  const result = await Promise.race([ended.then(() => true), timeout]);
  timer.abort();
  return result;
}

/** Turns an error, or the output of a failed server, into one sentence for the operator. */
function explainFailure(folder: string, message: string): string {
  if (message.startsWith('another Parley')) return message;
  const lines = message.trim().split('\n');
  // The first failure in the output is the cause of the later ones.
  const failure = lines
    .map((line) => /(?:FATAL|PANIC|error): +(.*)/.exec(line)?.[1])
    .find((text) => text !== undefined);
  const reason = failure ?? lines.at(-1) ?? '';
  const choice = 'set DATABASE_URL to use a PostgreSQL server of your own';
  if (isOutOfSpace(message)) {
    return `the disk that holds ${folder} is full (${reason})`;
  }
  if (/EACCES|EPERM|EROFS|Permission denied|unable to open database file/.test(message)) {
    return `the embedded PostgreSQL has no permission to use ${folder} (${reason}); ${choice}`;
  }
  if (/invalid permissions/.test(reason))
    return `the embedded PostgreSQL does not start on ${folder}: ${reason}; run chmod -R go-rwx on it`;
  return `the embedded PostgreSQL does not start on ${folder}: ${reason}; ${choice}`;
}
