/**
 * Sheets that are read in child processes: how many at once, whose turn it is, and which child reads which sheet. Requests and
 * jobs share the places; a place is held for one piece of work at a time, so that a long sheet lets others pass between two.
 */
import { availableParallelism } from 'node:os';
import { openChild, type Child } from '../child.ts';
import { AppError } from '../errors.ts';
import { createShares } from '../shares.ts';
import type { SheetSource } from './sheet.ts';

/** One sheet, read piece by piece. */
export interface SheetReader {
  /** Asks the child for one piece of work on the sheet, of at most so much CPU time; throws what `Child.ask` throws. */
  ask<A>(request: object, cpuMs: number): Promise<A>;
  /** Ends the reading, also in the middle of a piece of work. */
  close(): void;
}

export interface SheetReaders {
  /** `owner`: the company in whose turn it is read. A signal that is aborted closes the reader. */
  open(owner: string, source: SheetSource, signal?: AbortSignal): SheetReader;
  /** Runs what reads a sheet while a caller waits for it: few at once, each has a child. Throws UNAVAILABLE when it takes too long. */
  admit<T>(owner: string, work: () => Promise<T>): Promise<T>;
  close(): void;
}

// Each may use a core, and requests need one that no sheet uses.
const AT_ONCE = Math.max(1, Math.min(2, availableParallelism() - 1));
// A piece of work lasts about a second, on a busy machine several; only one that stands still lets others wait for so long.
const PIECE_WAIT_MS = 300_000;
// Sheets that callers wait for; those of imports have places of their own (features/imports/turns.ts).
const ADMITTED = 2;
// Whoever waits for longer than this is told to come again later.
const WAIT_MS = 20_000;
// What a child keeps of a sheet stands outside of its heap, and has bounds of its own (texts.ts).
const HEAP_MB = 96;
// Starting one takes some tenths of a second: a few that have read a sheet wait for the next one.
const IDLE_CHILDREN = 2;
const IDLE_MS = 30_000;
// Then a new one begins, with a fresh allowance of CPU time.
const SHEETS_PER_CHILD = 20;

/** What a child is told when nobody reads its sheet any more: it keeps nothing of it. */
const FORGET = { forget: true };

interface Kept {
  child: Child;
  sheets: number;
  /** The sheet that it reads at the moment. */
  source: SheetSource | null;
  expiry: NodeJS.Timeout | null;
}

/** `module`: what the children run; `nice`: their priority. */
export function createReaders(module: URL, nice: number): SheetReaders {
  const places = createShares(1, PIECE_WAIT_MS, { all: AT_ONCE, kept: 0 });
  const admitted = createShares(1, WAIT_MS, { all: ADMITTED, kept: 0 });
  const idle: Kept[] = [];
  const living = new Set<Kept>();
  const begin = (): Kept => {
    const kept: Kept = { child: null as never, sheets: 0, source: null, expiry: null };
    kept.child = openChild({ module, heapMb: HEAP_MB, nice }, (question) => readRange(kept.source, question));
    living.add(kept);
    return kept;
  };
  const end = (kept: Kept): void => {
    if (kept.expiry) clearTimeout(kept.expiry);
    living.delete(kept);
    if (idle.includes(kept)) idle.splice(idle.indexOf(kept), 1);
    kept.child.end();
  };
  const rest = (kept: Kept): void => {
    kept.source = null;
    if (kept.sheets >= SHEETS_PER_CHILD || idle.length >= IDLE_CHILDREN) return end(kept);
    kept.expiry = setTimeout(() => end(kept), IDLE_MS).unref();
    idle.push(kept);
    // Failure policy: one that can not even do that is of no use.
    kept.child.ask(FORGET, IDLE_MS).catch(() => end(kept));
  };
  const take = (): Kept => {
    let kept = idle.pop();
    // One may have been killed while it waited, by the system or by whoever looks after it.
    while (kept && !kept.child.isAlive()) {
      end(kept);
      kept = idle.pop();
    }
    kept ??= begin();
    if (kept.expiry) clearTimeout(kept.expiry);
    kept.sheets += 1;
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

interface Stable {
  within<T>(work: () => Promise<T>): Promise<T>;
  take(): Kept;
  rest(kept: Kept): void;
  end(kept: Kept): void;
}

function openReader({ within, take, rest, end }: Stable, source: SheetSource, signal?: AbortSignal): SheetReader {
  let kept: Kept | null = null;
  let running = 0;
  let isClosed = false;
  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    signal?.removeEventListener('abort', close);
    if (!kept) return;
    // A child in the middle of something would answer for a sheet that is not its own any more.
    if (running > 0 || !kept.child.isAlive()) end(kept);
    else rest(kept);
  };
  signal?.addEventListener('abort', close);
  if (signal?.aborted) close();
  return {
    ask: <A>(request: object, cpuMs: number) =>
      within(async () => {
        if (isClosed) throw new AppError('UNAVAILABLE', 'The sheet took too long to read', [], { 'retry-after': '5' });
        kept ??= take();
        kept.source = source;
        running += 1;
        try {
          return await kept.child.ask<A>(request, cpuMs);
        } finally {
          running -= 1;
        }
      }),
    close,
  };
}

async function readRange(source: SheetSource | null, question: object): Promise<Buffer> {
  const { start, end } = question as { start: number; end: number };
  const pieces: Buffer[] = [];
  // A child that asks for a sheet that it has given back is about to be told so.
  if (source) for await (const piece of source.read(start, end)) pieces.push(piece);
  return Buffer.concat(pieces);
}
