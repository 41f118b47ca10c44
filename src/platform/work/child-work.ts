/** The part of child.ts that runs in the child process: it does the work that the parent process requests. */
import type { Socket } from 'node:net';
import { Worker as Thread } from 'node:worker_threads';
import type { ByteSource } from '../store/byte-source.ts';
import { AppError } from '../values/errors.ts';
import type { FromChild, Supply, ToChild } from './child.ts';

/** Does the work of one request from the parent process. `supply` fetches data from the parent that the work needs; `socket` is what it handed over. */
export type Worker = (request: object, supply: Supply, socket?: Socket) => Promise<unknown>;

// The bytes that one message from the parent carries. What a packed sheet inflates to may be a hundred times larger.
const PIECE_BYTES = 64 * 1024;

/** The file that the parent process reads for this one. `pass` may delay each piece. */
export const suppliedSource = (bytes: number, supply: Supply, pass = async (): Promise<void> => {}): ByteSource => ({
  bytes,
  async *read(start, end) {
    for (let at = start; at < end; at += PIECE_BYTES) {
      await pass();
      yield (await supply({ start: at, end: Math.min(end, at + PIECE_BYTES) })) as Buffer;
    }
  },
});

/** Answers the requests of the parent process with `work`. The child process ends when the parent closes the channel or has died. */
export function serveParent(work: Worker): void {
  const limit = startWatchdog();
  const wanted = new Map<number, (value: unknown) => void>();
  let count = 0;
  const send = (message: FromChild): void => void process.send?.(message);
  const supply: Supply = (question) =>
    new Promise((resolve) => {
      wanted.set((count += 1), resolve);
      send({ want: count, question });
    });
  process.on('disconnect', () => process.exit());
  process.on('message', (message, handle) => {
    const incoming = message as ToChild;
    if ('give' in incoming) {
      wanted.get(incoming.give)?.(incoming.value);
      wanted.delete(incoming.give);
    } else void answer(incoming, handle as Socket | undefined);
  });

  async function answer({ ask, request, cpuMs }: Extract<ToChild, { ask: number }>, socket?: Socket): Promise<void> {
    limit.begin(cpuMs);
    try {
      send({ answer: ask, value: await work(request, supply, socket) });
    } catch (error) {
      // Failure policy: an AppError is sent to the parent unchanged. Any other error is a defect and is reported without its message, which
      // may quote the file.
      if (error instanceof AppError)
        send({ fault: ask, error: { code: error.code, detail: error.message, errors: error.errors } });
      else send({ defect: ask, error: error instanceof Error ? `${error.name} ${stackLines(error)}` : typeof error });
    } finally {
      limit.end();
    }
  }
}

// The parent ends a child that has used its CPU time and says why, so the child ends itself later.
const LATER = 2;

// Ends this process when its parent has died, or when the process has used more CPU time than `limits[0]`.
const WATCH = `const { parent, limits } = require('node:worker_threads').workerData;
setInterval(() => {
  const { user, system } = process.cpuUsage();
  if (process.ppid !== parent || (user + system) / 1_000 > limits[0]) process.kill(process.pid, 'SIGKILL');
}, 1_000);`;

/**
 * Starts a thread that ends this process even while it computes and sees no event: otherwise a hostile file would keep a child busy whose
 * parent was killed. The thread is JavaScript in a text, because a file with types would cost the process 20 MB more.
 */
function startWatchdog(): { begin(cpuMs: number): void; end(): void } {
  const limits = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT)).fill(Infinity);
  const workerData = { parent: process.ppid, limits };
  const resourceLimits = { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 };
  new Thread(WATCH, { eval: true, execArgv: [], env: {}, workerData, resourceLimits }).unref();
  let running = 0;
  return {
    begin: (cpuMs) => {
      running += 1;
      const { user, system } = process.cpuUsage();
      limits[0] = (user + system) / 1_000 + LATER * cpuMs;
    },
    end: () => {
      running -= 1;
      if (running === 0) limits[0] = Infinity;
    },
  };
}

/** Returns the first lines of the stack without the message, which may quote the file. */
const stackLines = (error: Error): string =>
  (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 5)
    .join(' ');
