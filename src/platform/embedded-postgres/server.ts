import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { newClient } from '../db.ts';
import { asUser, type PostgresBinaries } from './binaries.ts';
import { giveCluster, type Cluster } from './cluster.ts';
import { isPostmasterOf, killLeftovers, readPostmaster, removePidFile, watchPostmaster } from './postmaster.ts';

/** A running server, started here or adopted. */
export interface Server {
  pid: number;
  port: number;
  /** Resolves with how it ended; never rejects. */
  ended: Promise<string>;
}

export const CONNECTION = { host: '127.0.0.1', user: 'postgres', database: 'postgres' };

/** Recovery after a crash replays at most about max_wal_size, which takes a slow disk a minute. */
const READY_TIMEOUT_MS = 120_000;
const POLL_MS = 5;
/** While a process of a killed server lives, PostgreSQL refuses the folder; PID 1 may also be late to reap it. */
const LEFTOVER_TIMEOUT_MS = 10_000;
const LEFTOVER_POLL_MS = 50;
/** A pipe is emptied in microseconds, unless a backend that outlived its server keeps it open. */
const DRAIN_TIMEOUT_MS = 200;
const CONNECT_TIMEOUT_MS = 5_000;

const SETTINGS = {
  listen_addresses: CONNECTION.host,
  // The path of a socket has room for 107 bytes; a data folder may be deeper.
  unix_socket_directories: '',
  // The pools of one process, the tests' databases and an operator's psql; an unused one costs next to nothing.
  max_connections: 120,
  shared_buffers: '128MB',
  // Nothing replicates from this server, so it writes less.
  wal_level: 'minimal',
  max_wal_senders: 0,
  max_wal_size: '1GB',
  fsync: 'on',
  synchronous_commit: 'on',
  password_encryption: 'scram-sha-256',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // The delivery queue dies and is born all day: what it leaves is cleared four times a minute, a look at a quiet table is free.
  autovacuum_naptime: '15s',
  // Compiling costs short statements more than it saves.
  jit: 'off',
  log_min_messages: 'warning',
  log_checkpoints: 'off',
  log_line_prefix: '',
  // The statement and the details of an error hold customers' data.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

/** The live server that a killed Parley left on this folder; undefined when there is none. */
export async function adoptServer({ data, password }: Cluster): Promise<Server | undefined> {
  for (const deadline = Date.now() + READY_TIMEOUT_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    const postmaster = await readPostmaster(data);
    if (postmaster === undefined) return undefined;
    const { pid, port, status } = postmaster;
    if (!(await isPostmasterOf(pid, data))) {
      await removePidFile(data);
      return undefined;
    }
    // One that is still starting or, its Parley having been killed while it stopped, stopping, is waited for.
    if (status !== 'ready') continue;
    await checkConnection(port, password);
    return { pid, port, ended: watchPostmaster(pid, data) };
  }
  throw new Error(`the server left by another Parley was not ready within ${READY_TIMEOUT_MS / 1000} s`);
}

/** Starts a server, on a free port where `settings` name none. The error's message is what the server printed. */
export async function launchServer(
  cluster: Cluster,
  binaries: PostgresBinaries,
  log: (line: string) => void,
  settings: Record<string, string | number> = {},
): Promise<Server> {
  await giveCluster(cluster, binaries.launcher);
  const deadline = Date.now() + LEFTOVER_TIMEOUT_MS;
  for (;;) {
    try {
      return await launchOnce(cluster, binaries, log, { port: await findFreePort(), ...settings });
    } catch (error) {
      // Failure policy: a port taken meanwhile and what a killed server left behind both pass; the rest does not.
      const passes = /could not bind|is still in use|lock file .* already exists/.test((error as Error).message);
      if (!passes || Date.now() > deadline) throw error;
    }
    await killLeftovers(cluster.data);
    await sleep(LEFTOVER_POLL_MS);
  }
}

async function launchOnce(
  cluster: Cluster,
  { launcher, postgres, env }: PostgresBinaries,
  log: (line: string) => void,
  given: { port: number } & Record<string, string | number>,
): Promise<Server> {
  const { port } = given;
  const settings = Object.entries({ ...SETTINGS, ...given }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [file = postgres, ...args] = [...launcher.prefix, postgres, '-D', cluster.data, ...settings];
  // Detached: the terminal's Ctrl-C is for Parley alone, which stops its server last.
  const options = { detached: true, windowsHide: true, cwd: cluster.data, env, ...asUser(launcher) };
  const child = spawn(file, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = watchChild(child);
  const printed: string[] = [];
  let print = (line: string): unknown => printed.push(line);
  // What starting and stopping print is of interest only when it fails; each ERROR reaches the caller as an exception.
  const lines = createInterface({ input: child.stderr });
  const closed = once(lines, 'close');
  lines.on('line', (line) => print(line));
  try {
    await waitUntilReady(child, cluster.data, ended);
    await checkConnection(port, cluster.password);
  } catch (error) {
    child.kill('SIGQUIT');
    await ended;
    // What it printed last may still be in the pipe.
    await Promise.race([closed, sleep(DRAIN_TIMEOUT_MS)]);
    throw new Error([(error as Error).message, ...printed].join('\n'), { cause: error });
  }
  let cause = '';
  print = (line) => {
    if (/^(FATAL|PANIC):/.test(line) && (line.startsWith('PANIC') || isOutOfSpace(line))) cause = `: ${line}`;
    return /^(WARNING|LOG|FATAL|PANIC):/.test(line) && log(line);
  };
  // A server alone does not keep Parley running.
  child.unref();
  (child.stderr as Socket).unref();
  const explained = ended.then(async (reason) => {
    await Promise.race([closed, sleep(DRAIN_TIMEOUT_MS)]);
    return `${reason}${cause}`;
  });
  return { pid: child.pid ?? 0, port, ended: explained };
}

/** Whether this is the message of somebody who could not write for lack of space. */
export const isOutOfSpace = (message: string): boolean =>
  /ENOSPC|No space left on device|free disk space|disk is full/.test(message);

async function watchChild(child: ChildProcess): Promise<string> {
  try {
    // `exit`, not `close`: a backend that outlives its server keeps the output open.
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    return signal === null ? `exit code ${code}` : `signal ${signal}`;
  } catch (error) {
    // Failure policy: it could not be started at all, which is one way to have ended.
    return (error as Error).message;
  }
}

async function waitUntilReady(child: ChildProcess, data: string, ended: Promise<string>): Promise<void> {
  let end: string | undefined;
  void ended.then((reason) => (end = reason));
  for (const deadline = Date.now() + READY_TIMEOUT_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    if (end !== undefined) throw new Error(`PostgreSQL ended at its start (${end})`);
    const postmaster = await readPostmaster(data);
    if (postmaster?.pid === child.pid && postmaster?.status === 'ready') return;
  }
  throw new Error(`PostgreSQL was not ready within ${READY_TIMEOUT_MS / 1000} s`);
}

/** Proves that the server answers and that the password is its own. */
async function checkConnection(port: number, password: string): Promise<void> {
  const client = newClient({
    ...CONNECTION,
    port,
    password,
    ssl: false,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
  });
  try {
    await client.connect();
    await client.query('select 1');
  } finally {
    await client.end();
  }
}

async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, CONNECTION.host);
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
