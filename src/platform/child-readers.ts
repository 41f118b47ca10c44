/**
 * Reads files in child processes and decides how many run at once, whose turn it is, and which child reads which file. Requests and jobs
 * share the same slots. A slot is used for one piece of work at a time, so that other companies get their turn during a long file.
 */
import { availableParallelism } from 'node:os';
import { readBytes, type ByteSource } from './byte-source.ts';
import { openChild, type Child } from './child.ts';
import { AppError } from './errors.ts';
import { createShares } from './shares.ts';

/** Reads one file piece by piece. */
export interface ChildReader {
  /** Requests one piece of work from the child, with a limit on CPU time. Throws the errors of `Child.ask`. */
  ask<A>(request: object, cpuMs: number): Promise<A>;
  /** Ends the reading, even in the middle of a piece of work. */
  close(): void;
}

export interface ChildReaders {
  /** Opens a reader. `owner` is the company whose share of the slots is used. Aborting the signal closes the reader. */
  open(owner: string, source: ByteSource, signal?: AbortSignal): ChildReader;
  /**
   * Runs work for a caller who waits for the result; only a few such callers are admitted at once. Throws UNAVAILABLE when the caller would
   * wait too long.
   */
  admit<T>(owner: string, work: () => Promise<T>): Promise<T>;
  close(): void;
}

// The number of pieces of work that run at once: each child may use a whole core, and one core must remain for requests.
const CONCURRENT_PIECES = Math.max(1, Math.min(2, availableParallelism() - 1));
// How long a piece of work waits for a slot. A piece takes about a second, or several on a busy machine, so the wait is this long only when
// a child hangs.
const PIECE_WAIT_MS = 300_000;
// How many files are read at once for callers who wait. Imports have their own limit (features/imports/turns.ts).
const ADMITTED = 2;
// A caller who would wait longer than this receives UNAVAILABLE.
const WAIT_MS = 20_000;
// The heap of a child. The texts of a file are kept outside of the heap and have their own limit (texts.ts).
const HEAP_MB = 96;
// The idle children that are kept for the next file, because starting a child takes some tenths of a second.
const IDLE_CHILDREN = 2;
const IDLE_MS = 30_000;
// A child that has worked for this long is replaced before the next file, because the system limits its total CPU time.
const WORN_MS = 300_000;

/** The request that makes a child forget its file. */
const FORGET = { forget: true };

interface IdleReader {
  child: Child;
  workedMs: number;
  /** The file that the child reads now; null for an idle child. */
  source: ByteSource | null;
  expiry: NodeJS.Timeout | null;
}

/** Creates the readers. `module` is the program of the children, and `nice` is their priority. */
export function createReaders(module: URL, nice: number): ChildReaders {
  const places = createShares(1, PIECE_WAIT_MS, { all: CONCURRENT_PIECES, kept: 0 });
  const admitted = createShares(1, WAIT_MS, { all: ADMITTED, kept: 0 });
  const idle: IdleReader[] = [];
  const living = new Set<IdleReader>();
  const begin = (): IdleReader => {
    const kept: IdleReader = { child: null as never, workedMs: 0, source: null, expiry: null };
    kept.child = openChild({ module, heapMb: HEAP_MB, nice }, (question) => readRange(kept.source, question));
    living.add(kept);
    return kept;
  };
  const end = (kept: IdleReader): void => {
    if (kept.expiry) clearTimeout(kept.expiry);
    living.delete(kept);
    if (idle.includes(kept)) idle.splice(idle.indexOf(kept), 1);
    kept.child.end();
  };
  const rest = (kept: IdleReader): void => {
    kept.source = null;
    if (kept.workedMs >= WORN_MS || idle.length >= IDLE_CHILDREN) return end(kept);
    kept.expiry = setTimeout(() => end(kept), IDLE_MS).unref();
    idle.push(kept);
    // Failure policy: a child that fails to forget its file is ended.
    kept.child.ask(FORGET, IDLE_MS).catch(() => end(kept));
  };
  const take = (): IdleReader => {
    let kept = idle.pop();
    // An idle child may have been killed meanwhile by the system or an operator.
    while (kept && !kept.child.isAlive()) {
      end(kept);
      kept = idle.pop();
    }
    kept ??= begin();
    if (kept.expiry) clearTimeout(kept.expiry);
    return kept;
  };
  return {
    open: (owner, source, signal) =>
      openReader({ within: (work) => places.within(owner, work), take, rest, end }, source, signal),
    admit: (owner, work) => admitted.within(owner, work),
    close: () => {
      for (const kept of living) end(kept);
    },
  };
}

interface ChildPool {
  within<T>(work: () => Promise<T>): Promise<T>;
  take(): IdleReader;
  rest(kept: IdleReader): void;
  end(kept: IdleReader): void;
}

function openReader({ within, take, rest, end }: ChildPool, source: ByteSource, signal?: AbortSignal): ChildReader {
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
  return {
    ask: <A>(request: object, cpuMs: number) =>
      within(async () => {
        if (isClosed) throw new AppError('UNAVAILABLE', 'The file took too long to read', [], { 'retry-after': '5' });
        kept ??= take();
        kept.source = source;
        running += 1;
        const beganMs = performance.now();
        try {
          return await kept.child.ask<A>(request, cpuMs);
        } finally {
          kept.workedMs += performance.now() - beganMs;
          running -= 1;
        }
      }),
    close,
  };
}

async function readRange(source: ByteSource | null, question: object): Promise<Buffer> {
  const { start, end } = question as { start: number; end: number };
  // Without a source the answer is empty: the child is idle and still requests data of its former file.
  return source ? readBytes(source, start, end) : Buffer.alloc(0);
}
