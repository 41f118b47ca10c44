/** Starts the real program in its own process, to test its output, its exit code and its end. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { NODE_FLAGS } from './program.ts';
import { waitUntil } from './wait.ts';

const MAIN = join(import.meta.dirname, '../../src/launch.js');

export interface Program {
  child: ChildProcess;
  pid: number;
  /** Everything printed so far. */
  stdout(): string;
  stderr(): string;
  /** The exit code; null when a signal ended the process. */
  ended: Promise<number | null>;
}

export interface SpawnOptions {
  /** The program's command, `all` by default. */
  purpose?: string;
  /** The program's arguments after the command. */
  words?: string[];
  env?: Record<string, string>;
  /** Another program and its arguments, which starts the platform: `['unshare', '--mount', …]`. */
  through?: string[];
  uid?: number;
}

/** Starts `node src/launch.js` with these settings and no others. The process is killed at the end of the test. */
export function spawnProgram(
  t: TestContext,
  { purpose = 'all', words = [], env = {}, through = [], uid }: SpawnOptions = {},
): Program {
  const [file, ...args] = [...through, process.execPath, ...NODE_FLAGS, MAIN];
  const child = spawn(file, [...args, purpose, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // The process that reads sheets gets normal priority: with few busy cores a lower priority gets hardly any time.
    env: {
      PATH: process.env['PATH'] ?? '',
      PORT: '0',
      LOG_LEVEL: 'warn',
      READER_NICE: '0',
      DATABASE_WAIT: '30s',
      STOP_WAIT: '20m',
      ...env,
    },
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const program = { child, pid: child.pid ?? 0, stdout: () => said.stdout, stderr: () => said.stderr, ended };
  t.after(() => killProgram(program));
  return program;
}

/** Returns the address of the program once it is ready; empty for a process without an API. */
export async function readyUrl(program: Program): Promise<string> {
  const line = await waitUntil('the program to be ready', () => {
    assert.equal(program.child.exitCode, null, `it ended: ${program.stderr()}`);
    return /^Parley is ready.*$/m.exec(program.stdout())?.[0];
  });
  return /http\S+/.exec(line)?.[0] ?? '';
}

export interface Installation {
  /** Starts the program and returns it with its address. */
  boot(): Promise<{ program: Program; url: string }>;
  /** Returns the first company's key, which exists after the first start. */
  readKey(): Promise<string>;
}

/** Prepares an installation with a demo on the database of `env`, for a test that kills the program and starts it again. */
export async function prepareInstallation(
  t: TestContext,
  env: Record<string, string> & { DATABASE_URL: string },
): Promise<Installation> {
  const data = await makeDataFolder(t);
  return {
    boot: async () => {
      const program = spawnProgram(t, { env: { ...env, DATA_DIR: data, SANDBOX: 'on' } });
      return { program, url: await readyUrl(program) };
    },
    readKey: async () => {
      const credentials = JSON.parse(await readFile(join(data, 'credentials.json'), 'utf8')) as { company_key: string };
      return credentials.company_key;
    },
  };
}

/** Ends the program at once, as a crash would. */
export async function killProgram({ child, ended }: Program): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}

/** Makes an empty data folder that every user may enter, because the embedded database server may run as another user. */
export async function makeDataFolder(t: { after(remove: () => Promise<void>): void }): Promise<string> {
  const parent = await realpath(await mkdtemp(join(tmpdir(), 'parley-process-')));
  await chmod(parent, 0o711);
  // The hooks of a test run in the order in which they were added, so a program that was started later may still write into the folder.
  t.after(() => rm(parent, { recursive: true, force: true, maxRetries: 20 }));
  return join(parent, 'data');
}

/** Returns the ids of all descendants of a process, from /proc; none on systems without it. */
export function listDescendants(pid: number): number[] {
  const parents = readParents();
  const below = (parent: number): number[] =>
    [...parents].filter(([, of]) => of === parent).flatMap(([child]) => [child, ...below(child)]);
  return below(pid);
}

/** Returns the processes among these that still run; a zombie does not count. */
export function listLiving(pids: number[]): number[] {
  const parents = readParents();
  return pids.filter((pid) => parents.has(pid));
}

/** Reads synchronously, because tests look many times a second, and a read by a promise takes three times the CPU time. */
function readParents(): Map<number, number> {
  const names = existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  const parents = new Map<number, number>();
  for (const name of names) {
    const stat = readStat(name);
    // The format of /proc/<pid>/stat is: pid (name, which may hold any character) state parent …
    const [, state, parent] = /\) (\S) (\d+)/.exec(stat.slice(stat.lastIndexOf(')'))) ?? [];
    if (state && state !== 'Z') parents.set(Number(name), Number(parent));
  }
  return parents;
}

function readStat(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // Failure policy: a process that has ended since the listing is left out.
    return '';
  }
}
