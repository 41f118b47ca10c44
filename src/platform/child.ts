/**
 * Runs work on foreign data in a process of its own, at low priority and with limits on memory and CPU time: whatever a file does
 * to its reader, this process goes on serving. The child has neither settings nor connections; what it needs, it asks its parent for.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { compiledCodeEnv } from './compiled-code.ts';
import { AppError, type ErrorCode, type FieldError } from './errors.ts';

/** What a child works with: the module that it runs, the largest heap that it may have, and its priority, 19 being the lowest. */
export interface ChildKind {
  module: URL;
  heapMb: number;
  nice: number;
}

export interface Child {
  /**
   * Asks for one piece of work. Throws what the work threw if that is an AppError, ChildEnded when the child did not live to
   * answer, and what `supply` threw when that failed. A child that failed otherwise than by an AppError is ended.
   */
  ask<A>(request: object, cpuMs: number): Promise<A>;
  /** False once it has ended, for whatever reason. */
  isAlive(): boolean;
  /** Kills it; whatever was asked of it fails. */
  end(): void;
}

/** LATE: it used more CPU time than it was given, or made no progress at all. DIED: memory, a signal, a defect. */
export class ChildEnded extends Error {
  readonly why: 'LATE' | 'DIED';

  constructor(why: 'LATE' | 'DIED') {
    super(`a child process ended: ${why}`);
    this.why = why;
  }
}

/** Answers what the child asks for. */
export type Supply = (question: object) => Promise<unknown>;

export type FromChild =
  | { answer: number; value: unknown }
  | { fault: number; error: { code: ErrorCode; detail: string; errors: FieldError[] } }
  | { defect: number; error: string }
  | { want: number; question: object };
export type ToChild = { ask: number; request: object } | { give: number; value: unknown };

// The objects that a reader makes are garbage a moment later, so more space for young objects would only cost memory.
const NURSERY_MB = 8;
// The system ends a child in an endless loop whose parent was killed and can no longer end it.
const LIFE_CPU_SECONDS = 900;
const LOOK_MS = 250;
// On a machine that is busy a child of low priority gets a small part of a core: time by the clock may be so many times its CPU time.
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
  const give = async (want: number, question: object): Promise<void> => {
    try {
      const value = await supply(question);
      if (process_.connected) process_.send({ give: want, value } satisfies ToChild);
    } catch (error) {
      // Failure policy: the child can not go on without it; whoever asked learns why there was nothing to give.
      fail(error);
    }
  };
  process_.on('message', (message) => {
    const said = message as FromChild;
    if ('want' in said) return void give(said.want, said.question);
    if ('defect' in said) return fail(new Error(`in a child process: ${said.error}`));
    const number = 'answer' in said ? said.answer : said.fault;
    const one = asked.get(number);
    asked.delete(number);
    if ('answer' in said) one?.resolve(said.value);
    else one?.reject(new AppError(said.error.code, said.error.detail, said.error.errors));
  });
  process_.on('error', () => fail(new ChildEnded('DIED')));
  process_.on('exit', () => fail(new ChildEnded('DIED')));
  return {
    ask: async <A>(request: object, cpuMs: number) => {
      if (failure) throw failure;
      const number = (count += 1);
      const answer = new Promise<unknown>((resolve, reject) => asked.set(number, { resolve, reject }));
      process_.send({ ask: number, request } satisfies ToChild, (error) => error && fail(new ChildEnded('DIED')));
      const unwatch = watch(process_.pid ?? 0, cpuMs, () => fail(new ChildEnded('LATE')));
      return (await answer.finally(unwatch)) as A;
    },
    isAlive: () => failure === undefined,
    end: () => fail(new ChildEnded('DIED')),
  };
}

function startProcess({ module, heapMb, nice }: ChildKind): ChildProcess {
  const node = [`--max-old-space-size=${heapMb}`, `--max-semi-space-size=${NURSERY_MB}`, fileURLToPath(module)];
  // Its own shell is what can limit it before it begins.
  const limits = `ulimit -t ${LIFE_CPU_SECONDS}; { echo ${nice} > /proc/self/autogroup; } 2> /dev/null`;
  const child = spawn('/bin/sh', ['-c', `${limits}; exec "$0" "$@"`, process.execPath, ...node], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
    env: compiledCodeEnv(),
    // Linux shares the processor among sessions first, each connection of PostgreSQL being one of them, and among the processes of a
    // session by their priority only then. So it has a session of its own, with a low priority beside all others.
    detached: true,
  });
  try {
    if (child.pid !== undefined) setPriority(child.pid, nice);
  } catch {
    // Failure policy: a child that has ended already says so by its exit; one that can not be made slower is used as it is.
  }
  // Whoever stops this process waits for no child: it ends with its channel.
  child.unref();
  child.channel?.unref();
  return child;
}

/** Calls `onLate` once the process has used so much CPU time from now on. Returns the way to stop. */
function watch(pid: number, cpuMs: number, onLate: () => void): () => void {
  const startedMs = performance.now();
  let before: number | null = null;
  let isOver = false;
  void cpuOf(pid).then((used) => (before = used));
  const look = async (): Promise<void> => {
    const elapsedMs = performance.now() - startedMs;
    if (elapsedMs < cpuMs) return;
    const now = await cpuOf(pid);
    // Where the system does not tell, only the clock counts.
    const used = now === null || before === null ? elapsedMs : now - before;
    if (!isOver && (used > cpuMs || elapsedMs > PATIENCE * cpuMs)) onLate();
  };
  const timer = setInterval(() => void look(), LOOK_MS);
  return () => {
    isOver = true;
    clearInterval(timer);
  };
}

// USER_HZ, which Linux has fixed for /proc.
const TICK_MS = 10;

/** CPU time that a process has used; null where the system has no /proc. */
async function cpuOf(pid: number): Promise<number | null> {
  // Failure policy: no /proc, or no such process any more; the clock or its exit counts then.
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  return fields.length > 12 ? (user + system) * TICK_MS : null;
}
