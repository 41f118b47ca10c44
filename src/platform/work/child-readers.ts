/**
 * Reads files in child processes and decides how many run at once, whose turn it is, which child reads which file, and at which priority.
 * A file that somebody waits for is read at the priority of this process until it turns out to be long; on a busy machine a child of low
 * priority takes half a minute for the smallest file. Long work, and work that nobody waits for, has low priority and slots of its own. A slot
 * is used for one piece of work at a time, so that other companies get their turn during a long file.
 */
import { availableParallelism } from 'node:os';
import { readBytes, type ByteSource } from '../store/byte-source.ts';
import { openChild, type Child } from './child.ts';
import { AppError } from '../values/errors.ts';
import { createShares, type Shares } from './shares.ts';

/** Reads one file piece by piece. */
export interface ChildReader {
  /** Requests one piece of work from the child, with a limit on CPU time. Throws the errors of `Child.ask`. */
  ask<A>(request: object, cpuMs: number): Promise<A>;
  /** Ends the reading, even in the middle of a piece of work. */
  close(): void;
}

export interface ReaderOptions {
  /** Closes the reader. */
  signal?: AbortSignal | undefined;
  /** False when nobody waits for what is read, as in an import. */
  isAwaited?: boolean;
}

export interface ChildReaders {
  /** Opens a reader. `owner` is the company whose share of the slots is used. */
  open(owner: string, source: ByteSource, options?: ReaderOptions): ChildReader;
  /**
   * Runs work for a caller who waits for the result; only a few such callers are admitted at once. Throws UNAVAILABLE when the caller would
   * wait too long.
   */
  admit<T>(owner: string, work: () => Promise<T>): Promise<T>;
  close(): void;
}

// The number of short pieces of work that run at once, and of long ones: each child may use a whole core, and one core must remain for
// requests. Long ones leave their core to all others.
const CONCURRENT_PIECES = Math.max(1, Math.min(2, availableParallelism() - 1));
// How long a piece of work waits for a slot. A piece takes about a second, or several on a busy machine, so the wait is this long only when
// a child hangs.
const PIECE_WAIT_MS = 300_000;
// How many files are read at once for callers who wait. Imports have their own limit (features/imports/loop.ts).
const ADMITTED = 2;
// A caller who would wait longer than this receives UNAVAILABLE.
const WAIT_MS = 20_000;
// The heap of a child. The texts of a file are kept outside of the heap and have their own limit (texts.ts).
const HEAP_MB = 96;
// The CPU time that a child has for a file before its work counts as long. Starting a child and loading its code takes some tenths of a second,
// and on a slow machine one or two; a sheet of a thousand rows or a picture takes less than that again.
const SHORT_CPU_MS = 2_000;
const LOOK_MS = 250;
// The idle children of either priority that are kept for the next file, because starting a child takes some tenths of a second.
const IDLE_CHILDREN = 2;
const IDLE_MS = 30_000;
// A child that has worked for this long is replaced before the next file, because the system limits its total CPU time.
const WORN_MS = 300_000;

/** The request that makes a child forget its file. */
const FORGET = { forget: true };

interface IdleReader {
  child: Child;
  workedMs: number;
  /** The CPU time that the child had used when it took up its file. */
  beganCpuMs: number;
  /** The file that the child reads now; null for an idle child. */
  source: ByteSource | null;
  expiry: NodeJS.Timeout | null;
}

/** Creates the readers. `module` is the program of the children, and `nice` is the priority of long work. */
export function createReaders(module: URL, nice: number): ChildReaders {
  const places = (): Shares => createShares(1, PIECE_WAIT_MS, { all: CONCURRENT_PIECES, kept: 0 });
  const short = places();
  const long = places();
  const admitted = createShares(1, WAIT_MS, { all: ADMITTED, kept: 0 });
  const pool = createPool(module, nice);
  return {
    open: (owner, source, options) =>
      openReader({ ...pool, within: (isLong, work) => (isLong ? long : short).within(owner, work) }, source, options),
    admit: (owner, work) => admitted.within(owner, work),
    close: pool.close,
  };
}

interface ChildPool {
  /** Returns an idle child of this priority, or a new one. */
  take(isLong: boolean): IdleReader;
  rest(kept: IdleReader): void;
  end(kept: IdleReader): void;
  close(): void;
}

function createPool(module: URL, nice: number): ChildPool {
  const idle: IdleReader[] = [];
  const living = new Set<IdleReader>();
  const begin = (isLong: boolean): IdleReader => {
    const kept: IdleReader = { child: null as never, workedMs: 0, beganCpuMs: 0, source: null, expiry: null };
    kept.child = openChild({ module, heapMb: HEAP_MB, nice }, (question) => readRange(kept.source, question));
    if (isLong) kept.child.lower();
    living.add(kept);
    return kept;
  };
  const listIdle = (isLong: boolean): IdleReader[] => idle.filter(({ child }) => child.isLowered() === isLong);
  const wake = (kept: IdleReader): void => {
    if (kept.expiry) clearTimeout(kept.expiry);
    if (idle.includes(kept)) idle.splice(idle.indexOf(kept), 1);
  };
  const end = (kept: IdleReader): void => {
    wake(kept);
    living.delete(kept);
    kept.child.end();
  };
  const rest = (kept: IdleReader): void => {
    kept.source = null;
    if (kept.workedMs >= WORN_MS || listIdle(kept.child.isLowered()).length >= IDLE_CHILDREN) return end(kept);
    kept.expiry = setTimeout(() => end(kept), IDLE_MS).unref();
    idle.push(kept);
    // Failure policy: a child that fails to forget its file is ended.
    kept.child.ask(FORGET, IDLE_MS).catch(() => end(kept));
  };
  const take = (isLong: boolean): IdleReader => {
    // An idle child may have been killed meanwhile by the system or an operator.
    for (const dead of idle.filter(({ child }) => !child.isAlive())) end(dead);
    const kept = listIdle(isLong).at(-1);
    if (!kept) return begin(isLong);
    wake(kept);
    return kept;
  };
  const close = (): void => {
    for (const kept of living) end(kept);
  };
  return { take, rest, end, close };
}

interface OwnersPool extends ChildPool {
  within<T>(isLong: boolean, work: () => Promise<T>): Promise<T>;
}

function openReader(
  { within, take, rest, end }: OwnersPool,
  source: ByteSource,
  { signal, isAwaited = true }: ReaderOptions = {},
): ChildReader {
  let kept: IdleReader | null = null;
  let running = 0;
  let isClosed = false;
  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    signal?.removeEventListener('abort', close);
    if (!kept) return;
    // A child in the middle of its work is killed, because its answer would belong to a file that is closed already.
    if (running > 0 || !kept.child.isAlive()) end(kept);
    else rest(kept);
  };
  signal?.addEventListener('abort', close);
  if (signal?.aborted) close();
  const isLong = (): boolean => kept?.child.isLowered() ?? !isAwaited;
  const begin = async <A>(request: object, cpuMs: number): Promise<{ answer: Promise<A> }> => {
    if (isClosed) throw new AppError('UNAVAILABLE', 'The file took too long to read', [], { 'retry-after': '5' });
    const current = (kept ??= takeFor(source, take(isLong())));
    running += 1;
    const beganMs = performance.now();
    const answer = current.child.ask<A>(request, cpuMs).finally(() => {
      current.workedMs += performance.now() - beganMs;
      running -= 1;
    });
    await endOrLength(current, answer);
    return { answer };
  };
  return {
    ask: async <A>(request: object, cpuMs: number) => (await within(isLong(), () => begin<A>(request, cpuMs))).answer,
    close,
  };
}

/** Gives the child its next file. */
function takeFor(source: ByteSource, kept: IdleReader): IdleReader {
  kept.source = source;
  // Failure policy: where the CPU time can not be read, a piece of work counts as long by the clock, measured from its own beginning.
  void kept.child.readCpuMs().then((used) => (kept.beganCpuMs = used ?? 0));
  return kept;
}

/**
 * Resolves when the child has answered, or when its work on the file has become long. Then the child gets a low priority, and the rest of the
 * work needs no slot: it leaves the processor to all others, and they need not wait for it.
 */
function endOrLength(kept: IdleReader, answer: Promise<unknown>): Promise<void> {
  const { child } = kept;
  if (child.isLowered()) return settled(answer);
  const beganMs = performance.now();
  return new Promise((resolve) => {
    const look = async (): Promise<void> => {
      const used = await child.readCpuMs();
      const spentMs = used === null ? performance.now() - beganMs : used - kept.beganCpuMs;
      if (spentMs < SHORT_CPU_MS) return;
      child.lower();
      resolve();
    };
    const timer = setInterval(() => void look(), LOOK_MS);
    void settled(answer).then(() => {
      clearInterval(timer);
      resolve();
    });
  });
}

/** Failure policy: the failure of the work reaches its caller, who awaits the same promise. */
const settled = (work: Promise<unknown>): Promise<void> =>
  work.then(
    () => undefined,
    () => undefined,
  );

async function readRange(source: ByteSource | null, question: object): Promise<Buffer> {
  const { start, end } = question as { start: number; end: number };
  // Without a source the answer is empty: the child is idle and still requests data of its former file.
  return source ? readBytes(source, start, end) : Buffer.alloc(0);
}
