/**
 * Reads files in child processes and decides how many run at once, whose turn it is, which child reads which file, and at which priority.
 * A file that somebody waits for is read at the priority of this process until it turns out to be long; on a busy machine a child of low
 * priority takes half a minute for the smallest file. Long work, and work that nobody waits for, has low priority and slots of its own. A slot
 * is used for one piece of work at a time, so that other companies get their turn during a long file.
 */
import { availableParallelism } from 'node:os';
import { readBytes, type ByteSource } from '../store/byte-source.ts';
import { AppError } from '../values/errors.ts';
import { ChildEnded } from './child.ts';
import { createPool, endOrLength, type ChildPool, type PooledChild } from './child-pool.ts';
import { fileFault, TOO_MUCH_MEMORY } from './file-fault.ts';
import { createShares, type Shares } from './shares.ts';
import { declareLimit } from '../values/limits.ts';

/** Reads one file piece by piece. */
export interface ChildReader {
  /** Requests one piece of work from the child, with a limit on CPU time. Throws the errors of `Child.ask`, and an AppError for a file that takes too much memory. */
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
// How many files are read at once for callers who wait. Imports have their own limit (features/imports/work.ts).
const ADMITTED = declareLimit(2, {
  topic: 'Operation',
  what: 'Files read at the same time for requests, per process',
  beyond: 'the next one waits',
});
// A caller who would wait longer than this receives UNAVAILABLE.
const WAIT_MS = declareLimit(20_000, {
  topic: 'Operation',
  what: 'Files read at the same time for requests: wait for a turn',
  unit: 'ms',
  beyond: '503',
});
// The heap of a child. The texts of a file are kept outside of the heap and have their own limit (texts.ts).
const HEAP_MB = 96;

/** Creates the readers. `module` is the program of the children, and `nice` is the priority of long work. */
export function createReaders(module: URL, nice: number): ChildReaders {
  const places = (): Shares => createShares(1, PIECE_WAIT_MS, { all: CONCURRENT_PIECES, kept: 0 });
  const short = places();
  const long = places();
  const admitted = createShares(1, WAIT_MS, { all: ADMITTED, kept: 0 });
  const pool = createPool({ module, heapMb: HEAP_MB, nice });
  return {
    open: (owner, source, options) =>
      openReader({ ...pool, within: (isLong, work) => (isLong ? long : short).within(owner, work) }, source, options),
    admit: (owner, work) => admitted.within(owner, work),
    close: pool.close,
  };
}

interface OwnersPool extends ChildPool {
  within<T>(isLong: boolean, work: () => Promise<T>): Promise<T>;
}

function openReader(
  { within, take, rest, end }: OwnersPool,
  source: ByteSource,
  { signal, isAwaited = true }: ReaderOptions = {},
): ChildReader {
  let kept: PooledChild | null = null;
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
    const current = (kept ??= take(isLong(), (question) => readRange(source, question)));
    running += 1;
    const beganMs = performance.now();
    const answer = current.child
      .ask<A>(request, cpuMs)
      .catch(explainFull)
      .finally(() => {
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

function explainFull(error: unknown): never {
  throw error instanceof ChildEnded && error.why === 'FULL' ? fileFault(TOO_MUCH_MEMORY) : error;
}

function readRange(source: ByteSource, question: object): Promise<Buffer> {
  const { start, end } = question as { start: number; end: number };
  return readBytes(source, start, end);
}
