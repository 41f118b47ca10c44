/** Real processes of the platform, to be killed and started again. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { reportProgress } from '../../support/progress.ts';

const MAIN = join(import.meta.dirname, '../../../src/main.ts');
// Loaded into every process that is started here: it ends with its parent, however that one ends.
const END_WITH_PARENT = `data:text/javascript,process.stdin.on('end',()=>process.exit(137)).resume();process.stdin.unref?.()`;
// A start takes 0.7 s on two idle cores; a busy machine needs many times that.
const START_MS = 60_000;
// What a failed start is explained with.
const KEPT_LINES = 40;

export type Purpose = 'api' | 'worker' | 'all';

export interface PlatformProcess {
  /** Where it listens, the same after each restart; empty for a worker. */
  readonly url: string;
  readonly pid: number;
  /** True until it ended, in whatever way. */
  readonly alive: boolean;
  /** kill -9; resolves when it is gone. */
  kill(): Promise<void>;
  /** SIGTERM; its exit code (null: by a signal) and how long it took. */
  terminate(): Promise<{ code: number | null; ms: number }>;
  /** Starts it again after it ended; resolves when it is ready. */
  restart(): Promise<void>;
  /** Its last lines, for a failure's message. */
  lines(): string[];
}

/**
 * Resolves when it is ready; rejects with what it printed when it ends before. `through`: another program and its arguments, which
 * runs this one.
 */
export async function startProcess(
  purpose: Purpose,
  env: Record<string, string>,
  through: string[] = [],
): Promise<PlatformProcess> {
  const fixed = { ...env, PORT: String(await findPort()) };
  let running = await launch(purpose, fixed, through);
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
      running = await launch(purpose, fixed, through);
    },
    lines: () => running.lines,
  };
}

// Below the range from which a system takes the ports of outgoing connections: a process that is down for a second must
// find its port free when it comes back.
const PORTS = { first: 20_000, count: 12_000 };
// Each proof walks from a place of its own and gives no port twice: processes that start at once never meet on one.
const PORTS_APART = 97;
let walked = process.pid * PORTS_APART;

async function findPort(): Promise<number> {
  for (;;) {
    walked += 1;
    const port = PORTS.first + (walked % PORTS.count);
    const probe = createServer();
    // Failure policy: a port that can not be had is one of thousands.
    const free = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    probe.close();
    if (free) return port;
  }
}

interface Launched {
  child: ChildProcess;
  url: string;
  exited: Promise<unknown>;
  lines: string[];
}

async function launch(purpose: Purpose, env: Record<string, string>, through: string[]): Promise<Launched> {
  reportProgress(`a process starts (${purpose})`);
  const [file, ...args] = [...through, process.execPath, '--import', END_WITH_PARENT, MAIN, purpose];
  const child = spawn(file as string, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...env, LOG_LEVEL: 'info' },
  });
  const exited = once(child, 'exit');
  const lines: string[] = [];
  const ready = new Promise<string>((resolve, reject) => {
    const read = (line: string): void => {
      // Requests are logged at the same level as the one line that matters.
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
