import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findPostgresBinaries } from './embedded-postgres/binaries.ts';
import { openCluster } from './embedded-postgres/cluster.ts';
import { lockFolder } from './embedded-postgres/lock.ts';
import { isPostmasterOf, readPostmaster, signalProcess } from './embedded-postgres/postmaster.ts';
import { adoptServer, CONNECTION, launchServer, type Server } from './embedded-postgres/server.ts';

export interface EmbeddedPostgres {
  /** Connection of the superuser `postgres`. */
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
  /** Resolves when the server has ended; may be called again. */
  stop(): Promise<void>;
  /** Resolves when the server has ended without being asked. */
  died: Promise<string>;
}

interface State {
  /** Set by the first call of stop(). */
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
 * Starts PostgreSQL on a folder (made when missing), or adopts the server that a killed Parley left running on it.
 * Throws an Error whose message is one clear sentence.
 */
export async function startEmbeddedPostgres(folder: string, log: (line: string) => void): Promise<EmbeddedPostgres> {
  const path = resolve(folder);
  let unlock = () => {};
  const state: State = { stopping: undefined };
  // A server that was asked to stop has nothing more to say.
  const logRunning = (line: string) => {
    if (state.stopping === undefined) log(line);
  };
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    unlock = lockFolder(path, process.pid);
    const binaries = await findPostgresBinaries(path);
    const cluster = await openCluster(path, binaries);
    const server = (await adoptServer(cluster)) ?? (await launchServer(cluster, binaries, logRunning));
    const ended = server.ended.finally(unlock);
    return supervise({ ...server, ended }, cluster.password, state);
  } catch (error) {
    unlock();
    throw new Error(explainFailure(path, (error as Error).message), { cause: error });
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

function supervise(server: Server, password: string, state: State): EmbeddedPostgres {
  // A process that ends without stop() takes its server along; only kill -9 leaves one behind.
  const stopAtExit = () => signalProcess(server.pid, 'SIGINT');
  process.once('exit', stopAtExit);
  const died = new Promise<string>((settle) => {
    void server.ended.then((reason) => {
      process.off('exit', stopAtExit);
      if (state.stopping === undefined)
        settle(`the embedded PostgreSQL (pid ${server.pid}) ended by itself: ${reason}`);
    });
  });
  const stop = () => (state.stopping ??= stopServer(server));
  return { ...CONNECTION, port: server.port, password, stop, died };
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
  if (/ENOSPC|No space left on device|free disk space|disk is full/.test(message)) {
    return `the disk that holds ${folder} is full (${reason})`;
  }
  if (/EACCES|EPERM|EROFS|Permission denied|unable to open database file/.test(message)) {
    return `the embedded PostgreSQL has no permission to use ${folder} (${reason}); ${choice}`;
  }
  return `the embedded PostgreSQL does not start on ${folder}: ${reason}; ${choice}`;
}
