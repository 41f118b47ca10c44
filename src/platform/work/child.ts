/**
 * Runs work on untrusted data in a child process, with limits on memory and CPU time, and at low priority when the work is long, so that
 * nothing in a file, and nothing that a foreign server says, can stop this process from serving. The child has neither settings nor connections
 * of its own; its parent hands over what the work needs.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { compiledCodeEnv } from './compiled-code.ts';
import { AppError, type ErrorCode, type FieldError } from '../values/errors.ts';
import { declareLimit } from '../values/limits.ts';

/** The module that a child runs, the largest heap that it may have, and the priority of long work; 19 is the lowest. */
export interface ChildKind {
  module: URL;
  heapMb: number;
  nice: number;
}

export interface Child {
  /**
   * Requests one piece of work. Throws the work's AppError, ChildEnded when the child ended before it answered, or the error of
   * `supply`. After any failure other than an AppError the child is killed. `socket` is handed over to the child, and is of no use to the caller
   * afterwards.
   */
  ask<A>(request: object, cpuMs: number, socket?: Socket): Promise<A>;
  /** False after the child has ended for any reason. */
  isAlive(): boolean;
  /** Gives the child the priority of long work, which it keeps: only the system's administrator could raise it again. */
  lower(): void;
  isLowered(): boolean;
  /** Reads the CPU time that the child has used; null on systems without /proc, and once it has ended. */
  readCpuMs(): Promise<number | null>;
  /** Reads how much memory the child has in use; null on systems without /proc, and once it has ended. */
  readMemoryMb(): number | null;
  /** Kills the child; its open requests fail. */
  end(): void;
}

/**
 * LATE: the child used more CPU time than allowed, or made no progress. FULL: it used more memory than allowed. DIED: its heap was full, it got a
 * signal, or it has a defect.
 */
type EndCause = 'LATE' | 'FULL' | 'DIED';

/** The error of a child that ended. */
export class ChildEnded extends Error {
  readonly why: EndCause;

  constructor(why: EndCause) {
    super(`a child process ended: ${why}`);
    this.why = why;
  }
}

/** Returns the data that a child process requests from its parent. */
export type Supply = (question: object) => Promise<unknown>;

export type FromChild =
  | { answer: number; value: unknown }
  | { fault: number; error: { code: ErrorCode; detail: string; errors: FieldError[] } }
  | { defect: number; error: string }
  | { want: number; question: object };
export type ToChild = { ask: number; request: object; cpuMs: number } | { give: number; value: unknown };

// The space of the heap for young objects. The objects of a reader become garbage at once, so more space would only cost memory.
const YOUNG_HEAP_MB = 8;
// The operating system ends a child after this CPU time. Usually its parent ends it earlier, or the thread in the child that watches the
// time (child-work.ts).
const LIFE_CPU_SECONDS = 900;
/** The memory that a child may use, with what is outside of its heap. It begins with some 130 MB, and the largest picture takes 220 MB more. */
const MEMORY_MB = declareLimit(512, {
  topic: 'Operation',
  what: 'Memory of a child process that reads files or mail (Linux)',
  unit: 'megabytes',
  beyond: 'the process ends and the file is refused',
});
// The operating system gives a child no more than this, even between two looks of its parent. Node.js itself reserves some 1,100 MB of it for two
// threads, which it does not use.
const RESERVED_KB = 2 * 1024 * 1024;
const LOOK_MS = 250;
const LOOK_AT_MEMORY_MS = 100;
// On a busy machine a child of low priority gets a small part of a core, so its work may take this many times its CPU time.
const PATIENCE = 30;

interface Asked {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Starts a child. */
export function openChild(kind: ChildKind, supply: Supply): Child {
  const process_ = startProcess(kind);
  const asked = new Map<number, Asked>();
  let count = 0;
  let failure: Error | undefined;
  const fail = (error: unknown): void => {
    failure ??= error instanceof Error ? error : new Error(typeof error);
    process_.kill('SIGKILL');
    for (const { reject } of asked.values()) reject(failure);
    asked.clear();
  };
  const end = (why: EndCause): void => fail(new ChildEnded(why));
  const give = async (want: number, question: object): Promise<void> => {
    try {
      const value = await supply(question);
      if (process_.connected) process_.send({ give: want, value } satisfies ToChild);
    } catch (error) {
      // Failure policy: the child cannot continue without the data, so its open requests fail with this error.
      fail(error);
    }
  };
  process_.on('message', (message) => {
    const incoming = message as FromChild;
    if ('want' in incoming) return void give(incoming.want, incoming.question);
    if ('defect' in incoming) return fail(new Error(`in a child process: ${incoming.error}`));
    const number = 'answer' in incoming ? incoming.answer : incoming.fault;
    const one = asked.get(number);
    asked.delete(number);
    if ('answer' in incoming) one?.resolve(incoming.value);
    else one?.reject(new AppError(incoming.error.code, incoming.error.detail, incoming.error.errors));
  });
  process_.on('error', () => end('DIED'));
  process_.on('exit', () => end('DIED'));
  watchMemory(process_, () => end('FULL'));
  return {
    ask: async <A>(request: object, cpuMs: number, socket?: Socket) => {
      if (failure) throw failure;
      const number = (count += 1);
      const answer = new Promise<unknown>((resolve, reject) => asked.set(number, { resolve, reject }));
      const message: ToChild = { ask: number, request, cpuMs };
      process_.send(message, socket, (error) => error && end('DIED'));
      const unwatch = watch(process_.pid ?? 0, cpuMs, () => end('LATE'));
      return (await answer.finally(unwatch)) as A;
    },
    isAlive: () => failure === undefined,
    ...createPriority(process_, kind.nice),
    readCpuMs: () => readCpuMs(process_.pid ?? 0),
    readMemoryMb: () => readMemoryMb(process_.pid ?? 0),
    end: () => end('DIED'),
  };
}

function startProcess({ module, heapMb }: ChildKind): ChildProcess {
  const node = [`--max-old-space-size=${heapMb}`, `--max-semi-space-size=${YOUNG_HEAP_MB}`, fileURLToPath(module)];
  // A shell starts the child, because only a shell can set the limits before the program begins.
  const limits = `ulimit -t ${LIFE_CPU_SECONDS}; ulimit -d ${RESERVED_KB}`;
  const child = spawn('/bin/sh', ['-c', `${limits}; exec "$0" "$@"`, process.execPath, ...node], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
    env: compiledCodeEnv(),
    // Linux divides the processor first among sessions and then, by priority, among the processes of each
    // session. The child gets its own session, so that a low priority also counts against all other processes.
    detached: true,
  });
  // A child does not keep this process alive; it ends when the channel closes.
  child.unref();
  child.channel?.unref();
  return child;
}

function createPriority(child: ChildProcess, nice: number): Pick<Child, 'lower' | 'isLowered'> {
  let isLowered = false;
  const lower = (): void => {
    const isRunning = child.pid !== undefined && child.exitCode === null && child.signalCode === null;
    if (!isLowered && isRunning && nice > 0) lowerPriority(child.pid, nice);
    isLowered = true;
  };
  return { lower, isLowered: () => isLowered };
}

/** Linux keeps a priority for each thread and one for the session; other systems keep one for the process. */
function lowerPriority(pid: number, nice: number): void {
  // Failure policy of each step: a child that has ended is noticed by its exit event, and one whose priority cannot be changed is used as it
  // is.
  const attempt = (step: () => void): void => {
    try {
      step();
    } catch {
      // See above.
    }
  };
  attempt(() => setPriority(pid, nice));
  attempt(() => {
    for (const thread of readdirSync(`/proc/${pid}/task`)) attempt(() => setPriority(Number(thread), nice));
  });
  attempt(() => writeFileSync(`/proc/${pid}/autogroup`, String(nice)));
}

/** Calls `onLate` once the process has used this much more CPU time. Returns a function that ends the watch. */
function watch(pid: number, cpuMs: number, onLate: () => void): () => void {
  if (cpuMs === Number.POSITIVE_INFINITY) return () => undefined;
  const startedMs = performance.now();
  let before: number | null = null;
  let isOver = false;
  void readCpuMs(pid).then((used) => (before = used));
  const look = async (): Promise<void> => {
    const elapsedMs = performance.now() - startedMs;
    if (elapsedMs < cpuMs) return;
    const now = await readCpuMs(pid);
    // On systems without /proc the time by the clock is used instead of CPU time.
    const used = now === null || before === null ? elapsedMs : now - before;
    if (!isOver && (used > cpuMs || elapsedMs > PATIENCE * cpuMs)) onLate();
  };
  const timer = setInterval(() => void look(), LOOK_MS);
  return () => {
    isOver = true;
    clearInterval(timer);
  };
}

// /proc counts CPU time in units of 10 ms (USER_HZ).
const TICK_MS = 10;

/** Reads the CPU time that a process has used; null on systems without /proc. */
async function readCpuMs(pid: number): Promise<number | null> {
  // Failure policy: without /proc the elapsed time is used instead, and a process that has ended is noticed by its exit event.
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  return fields.length > 12 ? (user + system) * TICK_MS : null;
}

/** Calls `onFull` when the child has more memory in use than it may, until it has ended. */
function watchMemory(child: ChildProcess, onFull: () => void): void {
  const look = (): void => {
    if ((readMemoryMb(child.pid ?? 0) ?? 0) > MEMORY_MB) onFull();
  };
  const timer = setInterval(look, LOOK_AT_MEMORY_MS).unref();
  child.once('exit', () => clearInterval(timer)).once('error', () => clearInterval(timer));
}

/** Reads how much memory a process has in use; null on systems without /proc, where only the heap of a child is limited. */
function readMemoryMb(pid: number): number | null {
  try {
    // The system makes this text when it is read, so there is no disk to wait for.
    const [, kilobytes] = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kilobytes === undefined ? null : Number(kilobytes) / 1024;
  } catch {
    // Failure policy: a process that has ended is noticed by its exit event.
    return null;
  }
}
