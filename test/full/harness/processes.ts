/** Real processes of the platform, which proofs kill and start again. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findPort } from '../../support/ports.ts';
import { NODE_FLAGS } from '../../support/program.ts';
import { reportProgress } from '../../support/progress.ts';

const MAIN = join(import.meta.dirname, '../../../src/launch.js');
// A module that every process started here loads, so that it ends when its parent process ends or dies.
const END_WITH_PARENT = `data:text/javascript,process.stdin.on('end',()=>process.exit(137)).resume();process.stdin.unref?.()`;
// A start takes 0.7 s on two idle cores; a busy machine needs many times that.
const START_MS = 240_000;
// The number of log lines that the error of a failed start shows.
const KEPT_LINES = 40;

export type Purpose = 'api' | 'worker' | 'all';

export interface PlatformProcess {
  /** The address of the process, the same after each restart; empty for a worker. */
  readonly url: string;
  readonly pid: number;
  /** True until the process has ended, for any reason. */
  readonly alive: boolean;
  /** Kills the process with kill -9; resolves when it is gone. */
  kill(): Promise<void>;
  /** Sends SIGTERM; returns the exit code (null when a signal ended the process) and the milliseconds until the end. */
  terminate(): Promise<{ code: number | null; ms: number }>;
  /** Starts the process again after it ended; resolves when it is ready. */
  restart(): Promise<void>;
  /** The last log lines of the process, for the message of a failure. */
  lines(): string[];
}

/**
 * Starts a process of the platform and resolves when it is ready; rejects with its output when
 * it ends before. `through` is another program with its arguments, which runs the platform.
 */
export async function startProcess(
  purpose: Purpose,
  env: Record<string, string>,
  through: string[] = [],
): Promise<PlatformProcess> {
  const fixed = { ...env, PORT: String(await findPort()) };
  let running = await launchProcess(purpose, fixed, through);
  const alive = (): boolean => running.child.exitCode === null && running.child.signalCode === null;
  return {
    get url() {
      return running.url;
    },
    get pid() {
      return running.child.pid ?? 0;
    },
    get alive() {
      return alive();
    },
    kill: async () => {
      if (!alive()) return;
      reportProgress(`kill -9 of a process (${purpose})`);
      running.child.kill('SIGKILL');
      await running.exited;
    },
    terminate: async () => {
      const started = performance.now();
      reportProgress(`SIGTERM to a process (${purpose})`);
      running.child.kill('SIGTERM');
      await running.exited;
      return { code: running.child.exitCode, ms: performance.now() - started };
    },
    restart: async () => {
      running = await launchProcess(purpose, fixed, through);
    },
    lines: () => running.lines,
  };
}

interface LaunchedProcess {
  child: ChildProcess;
  url: string;
  exited: Promise<unknown>;
  lines: string[];
}

async function launchProcess(
  purpose: Purpose,
  env: Record<string, string>,
  through: string[],
): Promise<LaunchedProcess> {
  reportProgress(`a process starts (${purpose})`);
  const [file, ...args] = [...through, process.execPath, ...NODE_FLAGS, '--import', END_WITH_PARENT, MAIN, purpose];
  const child = spawn(file as string, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...env, LOG_LEVEL: 'info' },
  });
  const exited = once(child, 'exit');
  const lines: string[] = [];
  const ready = new Promise<string>((resolve, reject) => {
    const read = (line: string): void => {
      // Lines about requests are skipped: they have the same log level as the line which reports that the process is ready.
      if (line.includes('"msg":"request"')) return;
      lines.push(line);
      if (lines.length > KEPT_LINES) lines.shift();
      const [, url] = /^Parley is ready on (\S+)/.exec(line) ?? [];
      if (url) resolve(url);
      else if (purpose === 'worker' && line.includes('"msg":"ready"')) resolve('');
    };
    createInterface({ input: child.stdout }).on('line', read);
    createInterface({ input: child.stderr }).on('line', read);
    const fail = (what: string): void => reject(new Error(`${purpose} ${what}:\n${lines.join('\n')}`));
    void exited.then(() => fail('ended before it was ready'));
    setTimeout(() => fail(`was not ready within ${START_MS} ms`), START_MS).unref();
  });
  try {
    return { child, url: await ready, exited, lines };
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}
