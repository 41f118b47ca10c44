import { execFile } from 'node:child_process';
import { readdir, readFile, readlink, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** What a server says of itself in `postmaster.pid`. */
export interface Postmaster {
  pid: number;
  port: number;
  /** `starting`, `ready`, `stopping`; empty until the first is written. */
  status: string;
}

/** Reads lines 1 (pid), 4 (port) and 8 (status) of the server's pid file; undefined when there is none. */
export async function readPostmaster(data: string): Promise<Postmaster | undefined> {
  const text = await readFile(pidFile(data), 'utf8').catch((error: unknown) => {
    // Failure policy: no file means no server; what else prevents reading is fatal.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  });
  if (text === undefined) return undefined;
  const lines = text.split('\n');
  return { pid: Number(lines[0]), port: Number(lines[3]), status: lines[7]?.trim() ?? '' };
}

export async function removePidFile(data: string): Promise<void> {
  await rm(pidFile(data), { force: true });
}

/** Whether the process lives and is the server of this folder: pids are used again, above all in containers. */
export async function isPostmasterOf(pid: number, data: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (process.platform === 'win32') return true;
  if (process.platform === 'linux') return worksIn(String(pid), await realpath(data));
  return promisify(execFile)('/bin/ps', ['-o', 'command=', '-p', String(pid)]).then(
    ({ stdout }) => stdout.includes(data),
    // Failure policy: ps finds no such process.
    () => false,
  );
}

/**
 * Ends what a killed server left behind: a backend looks for its server only when its statement is done, which may take hours. Only for a
 * folder whose server is dead. Elsewhere than on Linux they are waited for.
 */
export async function killLeftovers(data: string): Promise<void> {
  if (process.platform !== 'linux') return;
  const path = await realpath(data);
  for (const pid of await readdir('/proc')) {
    if (/^\d+$/.test(pid) && (await worksIn(pid, path))) signalProcess(Number(pid), 'SIGKILL');
  }
}

/** All processes of PostgreSQL work in their data folder; so may an operator's shell, which has another name. */
async function worksIn(pid: string, path: string): Promise<boolean> {
  try {
    if ((await readlink(`/proc/${pid}/cwd`)) !== path) return false;
    return (await readFile(`/proc/${pid}/comm`, 'utf8')).trim() === 'postgres';
  } catch {
    // Failure policy: it has ended, is a zombie, or belongs to someone else. Were it the server after all, PostgreSQL's
    // own lock on shared memory refuses a second one.
    return false;
  }
}

/** Resolves when the process is no longer the server of the folder. Does not keep this process alive. */
export async function watchPostmaster(pid: number, data: string): Promise<string> {
  // A server that dies is told within this time; each look costs two system calls.
  const pollMs = 200;
  while (await isPostmasterOf(pid, data)) await sleep(pollMs, undefined, { ref: false });
  return 'its process is gone';
}

/** On Windows every signal ends the server at once; it recovers at its next start. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Failure policy: it has just ended, which is what was wanted.
  }
}

function isAlive(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    // Failure policy: a process that may not be signalled is alive.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function pidFile(data: string): string {
  return join(data, 'postmaster.pid');
}
