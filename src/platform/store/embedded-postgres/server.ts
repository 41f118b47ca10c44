import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir, rm } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { newClient } from '../db.ts';
import { toSpawnUser, type PostgresBinaries } from './binaries.ts';
import { changeClusterOwner, type Cluster } from './cluster.ts';
import {
  isPostmasterOf,
  killOrphanedBackends,
  readPostmaster,
  removePidFile,
  waitForPostmasterEnd,
} from './postmaster.ts';

/** A running server, started by this process or taken over from a killed Parley. */
export interface PostgresServer {
  pid: number;
  /** The folder of the server's Unix socket, or the address of the loopback interface. */
  host: string;
  port: number;
  /** Resolves with the reason when the server has ended; never rejects. */
  ended: Promise<string>;
}

export const OWNER = { user: 'postgres', database: 'postgres' };
export const LOOPBACK = '127.0.0.1';

/** The time limit of a start: recovery after a crash replays at most about max_wal_size, which takes a slow disk a minute. */
const READY_TIMEOUT_MS = 120_000;
const POLL_MS = 5;
/** How long to wait until the processes of a killed server have ended. Until then PostgreSQL refuses to start on the folder. */
const LEFTOVER_TIMEOUT_MS = 10_000;
const LEFTOVER_POLL_MS = 50;
/**
 * How long to wait for the last output of a server. It arrives in microseconds, unless a surviving process of the server keeps the pipe
 * open.
 */
const DRAIN_TIMEOUT_MS = 200;
const CONNECT_TIMEOUT_MS = 5_000;

const SETTINGS = {
  listen_addresses: LOOPBACK,
  // The number of connections is enough for the pools of one process, the databases of tests and the psql of an operator. Unused
  // connections cost almost nothing.
  max_connections: 120,
  shared_buffers: '128MB',
  // The server has no replicas, so it can write less to its log.
  wal_level: 'minimal',
  max_wal_senders: 0,
  max_wal_size: '1GB',
  fsync: 'on',
  synchronous_commit: 'on',
  password_encryption: 'scram-sha-256',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Rows of the delivery queue are inserted and deleted all day, so dead rows are removed every 15 s. Checking an unchanged table costs
  // nothing.
  autovacuum_naptime: '15s',
  // Compiling a plan (JIT) takes longer than it saves for short statements.
  jit: 'off',
  log_min_messages: 'warning',
  log_checkpoints: 'off',
  log_line_prefix: '',
  // Statements and error details are not logged, because they contain customers' data.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

/** Takes over the running server that a killed Parley left on this folder; undefined when there is none. */
export async function adoptRunningServer({ data, password }: Cluster): Promise<PostgresServer | undefined> {
  for (const deadline = Date.now() + READY_TIMEOUT_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    const postmaster = await readPostmaster(data);
    if (postmaster === undefined) return undefined;
    const { pid, port, socketFolder, status } = postmaster;
    if (!(await isPostmasterOf(pid, data))) {
      await removePidFile(data);
      return undefined;
    }
    // The loop waits for a server that is still starting or stopping.
    if (status !== 'ready') continue;
    const host = socketFolder || LOOPBACK;
    await checkConnection({ host, port }, password);
    return { pid, host, port, ended: waitForPostmasterEnd(pid, data) };
  }
  throw new Error(`the server left by another Parley was not ready within ${READY_TIMEOUT_MS / 1000} s`);
}

/** Starts a server, on a free port unless `settings` contain one. The message of an error contains the server's output. */
export async function launchServer(
  cluster: Cluster,
  binaries: PostgresBinaries,
  log: (line: string) => void,
  settings: Record<string, string | number> = {},
): Promise<PostgresServer> {
  await changeClusterOwner(cluster, binaries.launcher);
  await removeOldSockets(cluster);
  const deadline = Date.now() + LEFTOVER_TIMEOUT_MS;
  for (;;) {
    try {
      return await startServerProcess(cluster, binaries, log, { port: await findFreePort(), ...settings });
    } catch (error) {
      // Failure policy: a port that was taken meanwhile and leftovers of a killed server are retried; any other failure is thrown.
      const passes = /could not bind|is still in use|lock file .* already exists/.test((error as Error).message);
      if (!passes || Date.now() > deadline) throw error;
    }
    await killOrphanedBackends(cluster.data);
    await sleep(LEFTOVER_POLL_MS);
  }
}

async function startServerProcess(
  cluster: Cluster,
  { launcher, postgres, env }: PostgresBinaries,
  log: (line: string) => void,
  given: { port: number } & Record<string, string | number>,
): Promise<PostgresServer> {
  const { port } = given;
  const socketFolder = findSocketFolder(cluster);
  const unix = { unix_socket_directories: socketFolder && JSON.stringify(socketFolder) };
  const settings = Object.entries({ ...SETTINGS, ...unix, ...given }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const [file = postgres, ...args] = [...launcher.prefix, postgres, '-D', cluster.data, ...settings];
  // The server is detached, so that Ctrl-C in a terminal reaches only Parley, which stops its server last.
  const options = { detached: true, windowsHide: true, cwd: cluster.data, env, ...toSpawnUser(launcher) };
  const host = socketFolder || LOOPBACK;
  const child = spawn(file, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = waitForChildEnd(child);
  const printed: string[] = [];
  let print = (line: string): unknown => printed.push(line);
  // The output of the start is shown only when the start fails. After the start each ERROR reaches the caller as an exception.
  const lines = createInterface({ input: child.stderr });
  const closed = once(lines, 'close');
  lines.on('line', (line) => print(line));
  try {
    await waitUntilReady(child, cluster.data, ended);
    await checkConnection({ host, port }, cluster.password);
  } catch (error) {
    child.kill('SIGQUIT');
    await ended;
    // The last output of the server may still be in the pipe.
    await Promise.race([closed, sleep(DRAIN_TIMEOUT_MS)]);
    throw new Error([(error as Error).message, ...printed].join('\n'), { cause: error });
  }
  let cause = '';
  print = (line) => {
    if (/^(FATAL|PANIC):/.test(line) && (line.startsWith('PANIC') || isOutOfSpace(line))) cause = `: ${line}`;
    return /^(WARNING|LOG|FATAL|PANIC):/.test(line) && log(line);
  };
  // The child process must not keep this process alive.
  child.unref();
  (child.stderr as Socket).unref();
  const explained = ended.then(async (reason) => {
    await Promise.race([closed, sleep(DRAIN_TIMEOUT_MS)]);
    return `${reason}${cause}`;
  });
  return { pid: child.pid ?? 0, host, port, ended: explained };
}

/** Returns true for an error message about a full disk. */
export const isOutOfSpace = (message: string): boolean =>
  /ENOSPC|No space left on device|free disk space|disk is full/.test(message);

async function waitForChildEnd(child: ChildProcess): Promise<string> {
  try {
    // This waits for the event `exit` instead of `close`, because a surviving process of the server keeps the output open.
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    return signal === null ? `exit code ${code}` : `signal ${signal}`;
  } catch (error) {
    // Failure policy: a server that could not be started counts as ended, for this reason.
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

/** Checks that the server answers and accepts the password. */
async function checkConnection(address: { host: string; port: number }, password: string): Promise<void> {
  const client = newClient({
    ...OWNER,
    ...address,
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

// The most bytes in the path of a socket are 103 on macOS and 107 on Linux; PostgreSQL appends /.s.PGSQL.65535 to the folder.
const MAX_SOCKET_FOLDER_BYTES = 103 - 15;
const SOCKET_NAME = /^\.s\.PGSQL\./;

/**
 * Returns the folder for the server's Unix socket, through which a statement takes a quarter less CPU time than through TCP. Empty where the
 * folder's path is too long for a socket, and on Windows.
 */
function findSocketFolder({ data }: Cluster): string {
  const folder = dirname(data);
  return process.platform === 'win32' || Buffer.byteLength(folder) > MAX_SOCKET_FOLDER_BYTES ? '' : folder;
}

/** Removes the sockets that killed servers have left. Must not be called while a server runs on the cluster. */
async function removeOldSockets({ data }: Cluster): Promise<void> {
  const folder = dirname(data);
  for (const name of await readdir(folder)) if (SOCKET_NAME.test(name)) await rm(join(folder, name), { force: true });
}

async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, LOOPBACK);
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
