import { mkdirSync } from 'node:fs';
import { readFile, statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BALLAST_BYTES, createBallast, type Ballast } from './embedded-postgres/ballast.ts';
import { findPostgresBinaries, type PostgresBinaries } from './embedded-postgres/binaries.ts';
import { openCluster, type Cluster } from './embedded-postgres/cluster.ts';
import { lockFolder } from './embedded-postgres/lock.ts';
import { isPostmasterOf, readPostmaster, signalProcess } from './embedded-postgres/postmaster.ts';
import { adoptServer, CONNECTION, isOutOfSpace, launchServer, type Server } from './embedded-postgres/server.ts';

export interface EmbeddedPostgres {
  /** Connection of the superuser `postgres`. */
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
  /** Resolves when the server has ended; may be called again. */
  stop(): Promise<void>;
  /** Resolves when the server has ended without being asked. One that ended for lack of space is started again instead. */
  died: Promise<string>;
  /** Where it writes, by name. */
  folders: Record<string, string>;
  /** Sets space aside for a recovery on a full disk; for a moment when there is plenty. */
  keepBallast(): Promise<void>;
}

interface State {
  cluster: Cluster;
  binaries: PostgresBinaries;
  ballast: Ballast;
  log: (line: string) => void;
  /** Of PostgreSQL, instead of the usual ones. */
  settings: Record<string, string | number>;
  server: Server;
  /** Aborted by the first call of stop(). */
  asked: AbortController;
  stopping: Promise<void> | undefined;
}

/** How long each way of stopping is given. The data is safe in all three; after the first the next start is fastest. */
const STOP_STEPS = [
  { signal: 'SIGINT', timeoutMs: 10_000 },
  // PostgreSQL itself kills what ignores this one for 5 s.
  { signal: 'SIGQUIT', timeoutMs: 6_000 },
  { signal: 'SIGKILL', timeoutMs: 2_000 },
] as const;

/**
 * Starts PostgreSQL on a folder (made when missing), or adopts the server that a killed Parley left running on it. Throws an Error whose
 * message is one clear sentence. `settings`: of PostgreSQL, instead of the usual ones.
 */
export async function startEmbeddedPostgres(
  folder: string,
  log: (line: string) => void,
  settings: Record<string, string> = {},
): Promise<EmbeddedPostgres> {
  const path = resolve(folder);
  let unlock = () => {};
  const asked = new AbortController();
  // A server that was asked to stop has nothing more to say.
  const logRunning = (line: string) => {
    if (!asked.signal.aborted) log(line);
  };
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    unlock = lockFolder(path, process.pid);
    const ballast = createBallast(path);
    const binaries = await findPostgresBinaries(path);
    const cluster = await openCluster(path, binaries);
    const shared = { cluster, binaries, ballast, log: logRunning, settings, asked, stopping: undefined };
    const server = (await adoptServer(cluster)) ?? (await launch(shared));
    return supervise({ ...shared, server }, unlock);
  } catch (error) {
    unlock();
    throw new Error(explainFailure(path, (error as Error).message), { cause: error });
  }
}

/** Where there is no space to recover in, the ballast makes some. */
async function launch({ cluster, binaries, ballast, log, settings }: Omit<State, 'server'>): Promise<Server> {
  try {
    return await launchServer(cluster, binaries, log, settings);
  } catch (error) {
    if (!isOutOfSpace((error as Error).message)) throw error;
    await ballast.drop();
    return launchServer(cluster, binaries, log, settings);
  }
}

/** The superuser's connection to a server that another process keeps running on this folder; null when none does. */
export async function findRunningPostgres(folder: string): Promise<string | null> {
  const home = join(resolve(folder), 'cluster');
  const postmaster = await readPostmaster(join(home, 'data'));
  if (postmaster?.status !== 'ready' || !(await isPostmasterOf(postmaster.pid, join(home, 'data')))) return null;
  const password = encodeURIComponent(await readFile(join(home, 'password'), 'utf8'));
  return `postgres://${CONNECTION.user}:${password}@${CONNECTION.host}:${postmaster.port}/${CONNECTION.database}`;
}

function supervise(state: State, unlock: () => void): EmbeddedPostgres {
  // A process that ends without stop() takes its server along; only kill -9 leaves one behind.
  const stopAtExit = () => signalProcess(state.server.pid, 'SIGINT');
  process.once('exit', stopAtExit);
  const watching = watch(state).finally(() => {
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
    ...CONNECTION,
    port: state.server.port,
    password: state.cluster.password,
    stop,
    died,
    folders: { database: data, log: join(data, 'pg_wal') },
    keepBallast: state.ballast.keep,
  };
}

/** Why the server has ended for good; null when it was asked to. */
async function watch(state: State): Promise<string | null> {
  for (;;) {
    const reason = await state.server.ended;
    if (state.asked.signal.aborted) return null;
    if (!(await lacksSpace(state, reason))) return reason;
    state.log(`PostgreSQL ended for lack of space and is started again: ${reason}`);
    const revived = await revive(state);
    if (typeof revived === 'string') return revived;
    if (revived === null) return null;
    state.server = revived;
    state.log('PostgreSQL is back');
    // Asked to stop between its start and now: whoever asked waits for this server, too.
    if (state.asked.signal.aborted) await stopServer(revived);
  }
}

async function lacksSpace({ cluster }: State, reason: string): Promise<boolean> {
  if (isOutOfSpace(reason)) return true;
  const { bavail, bsize } = await statfs(cluster.data);
  return bavail * bsize < BALLAST_BYTES;
}

// Somebody has to make room, and may do so at any moment; a try costs a tenth of a second.
const REVIVE_MS = 1_000;

/** On the same port, which the pools know. Null when it was asked to stop meanwhile, a sentence when space is not what it lacks. */
async function revive(state: State): Promise<Server | string | null> {
  const { signal } = state.asked;
  await state.ballast.drop();
  while (!signal.aborted) {
    try {
      return await launch({ ...state, settings: { ...state.settings, port: state.server.port } });
    } catch (error) {
      const { message } = error as Error;
      // Failure policy: without space it is tried again until there is some; every other failure ends the process.
      if (!isOutOfSpace(message)) return explainFailure(state.cluster.folder, message);
    }
    // Failure policy: aborted, and the loop ends.
    await sleep(REVIVE_MS, undefined, { signal }).catch(() => undefined);
  }
  return null;
}

async function stopServer({ pid, ended }: Server): Promise<void> {
  for (const { signal, timeoutMs } of STOP_STEPS) {
    // A server that has ended is not signalled: its pid may be another process by now.
    if (await endsWithin(ended, 0)) return;
    signalProcess(pid, signal);
    if (await endsWithin(ended, timeoutMs)) return;
  }
}

async function endsWithin(ended: Promise<string>, timeoutMs: number): Promise<boolean> {
  const timer = new AbortController();
  // Failure policy: the only failure of this timer is that it was aborted, when nobody awaits it any more.
  const timeout = sleep(timeoutMs, false, { signal: timer.signal }).catch(() => false);
  const result = await Promise.race([ended.then(() => true), timeout]);
  timer.abort();
  return result;
}

/** One sentence for whoever reads the terminal, out of an error or of all that a failed server printed. */
function explainFailure(folder: string, message: string): string {
  if (message.startsWith('another Parley')) return message;
  const lines = message.trim().split('\n');
  // The first failure is the cause of those after it.
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
  return `the embedded PostgreSQL does not start on ${folder}: ${reason}; ${choice}`;
}
