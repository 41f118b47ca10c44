import { execFile } from 'node:child_process';
import { readdir, readFile, readlink, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** The facts that a PostgreSQL server writes about itself into `postmaster.pid`. */
export interface Postmaster {
  pid: number;
  port: number;
  /** The folder of its Unix socket; empty when it has none. */
  socketFolder: string;
  /** `starting`, `ready` or `stopping`; empty before the server has written a status. */
  status: string;
}

/** Reads lines 1 (pid), 4 (port), 5 (folder of the socket) and 8 (status) of the server's pid file; undefined when there is no such file. */
export async function readPostmaster(data: string): Promise<Postmaster | undefined> {
  const text = await readFile(pidFilePath(data), 'utf8').catch((error: unknown) => {
    // Failure policy: a missing file means that there is no server; any other error is fatal.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  });
  if (text === undefined) return undefined;
  const lines = text.split('\n');
  return {
    pid: Number(lines[0]),
    port: Number(lines[3]),
    socketFolder: lines[4] ?? '',
    status: lines[7]?.trim() ?? '',
  };
}

export async function removePidFile(data: string): Promise<void> {
  await rm(pidFilePath(data), { force: true });
}

/** True when the process is alive and is the server of this folder. The pid alone does not prove that, because pids are reused. */
export async function isPostmasterOf(pid: number, data: string): Promise<boolean> {
  if (!isProcessAlive(pid)) return false;
  if (process.platform === 'win32') return true;
  if (process.platform === 'linux') return isPostgresProcessOf(String(pid), await realpath(data));
  return promisify(execFile)('/bin/ps', ['-o', 'command=', '-p', String(pid)]).then(
    ({ stdout }) => stdout.includes(data),
    // Failure policy: ps fails when there is no such process.
    () => false,
  );
}

/**
 * Kills the backend processes that a killed server left behind: a backend notices the death of its server only when its statement
 * is done, which may take hours. Only for a folder whose server is dead. On systems other than Linux the backends are waited for.
 */
export async function killOrphanedBackends(data: string): Promise<void> {
  if (process.platform !== 'linux') return;
  const path = await realpath(data);
  for (const pid of await readdir('/proc')) {
    if (/^\d+$/.test(pid) && (await isPostgresProcessOf(pid, path))) signalProcess(Number(pid), 'SIGKILL');
  }
}

/**
 * True for a process of PostgreSQL whose working directory is the data folder. The shell of an operator may have the same working
 * directory, but has another name.
 */
async function isPostgresProcessOf(pid: string, path: string): Promise<boolean> {
  try {
    if ((await readlink(`/proc/${pid}/cwd`)) !== path) return false;
    return (await readFile(`/proc/${pid}/comm`, 'utf8')).trim() === 'postgres';
  } catch {
    // Failure policy: the process has ended or belongs to another user. If it is the server after all, PostgreSQL's own lock on shared
    // memory prevents a second server.
    return false;
  }
}

/** Waits until the process is no longer the server of the folder. The wait does not keep this process alive. */
export async function waitForPostmasterEnd(pid: number, data: string): Promise<string> {
  // The death of a server is noticed within this time. Each check costs two system calls.
  const pollMs = 200;
  while (await isPostmasterOf(pid, data)) await sleep(pollMs, undefined, { ref: false });
  return 'its process is gone';
}

/** Sends a signal to a server. On Windows every signal ends the server at once, and it recovers at its next start. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Failure policy: an error means that the process has ended already, which was the purpose of the signal.
  }
}

function isProcessAlive(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    // Failure policy: a process that may not be signalled is alive.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function pidFilePath(data: string): string {
  return join(data, 'postmaster.pid');
}
