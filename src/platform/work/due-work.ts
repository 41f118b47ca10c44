/**
 * Polls the database for due work with one query for all loops of a process. If each loop polled by itself several times a second, an idle
 * process would do little else.
 */
import { one } from '../store/db.ts';
import { workInPortions } from '../store/portions.ts';
import type { Storage } from '../store/storage.ts';
import type { Log } from './telemetry.ts';
import type { SystemTx } from '../store/tenant.ts';

export interface DueWork {
  /** An SQL expression that is null or false while there is nothing to do. An index has to answer it. */
  due: string;
  /** Begins the due work and never throws. `value` is the result of the expression `due`. */
  begin(value: unknown): void;
}

/** Polls at the given interval and begins due work. Returns a function that ends the polling and waits for a running poll. */
export function pollDueWork(
  system: SystemTx,
  dueWork: DueWork[],
  { everyMs, log }: { everyMs: number; log: Log },
): () => Promise<void> {
  const selected = dueWork.map(({ due }, index) => `(${due}) as "${index}"`);
  const statement = { name: 'due-work.find', text: `select ${selected.join(', ')}`, values: [] };
  const looks = lookOneAtATime(async (signal) => {
    try {
      const found = Object.values(await one<object>(system, statement)) as unknown[];
      for (const [index, { begin }] of dueWork.entries()) {
        const value = found[index];
        if (value !== null && value !== false && !signal.aborted) begin(value);
      }
    } catch (error) {
      // Failure policy: the next poll comes soon; an unreachable database is logged by the code that needs it.
      log.debug({ err: error }, 'due work: the look failed');
    }
  });
  const timer = setInterval(looks.begin, everyMs);
  return () => {
    clearInterval(timer);
    return looks.stop();
  };
}

/** Work of the process for which a stop has to wait, because the work uses the database. */
export interface SingleLooks {
  /** Begins a run, unless one is under way or the work was stopped. */
  begin(): void;
  /** Prevents further runs and waits for the run that is under way. */
  stop(): Promise<void>;
}

/** Runs `look`, which never throws, at most once at a time. A run of several steps ends early when a stop aborts `signal`. */
export function lookOneAtATime(look: (signal: AbortSignal) => Promise<void>): SingleLooks {
  const stopping = new AbortController();
  let running: Promise<void> | null = null;
  return {
    begin: () => {
      if (!stopping.signal.aborted) running ??= look(stopping.signal).finally(() => (running = null));
    },
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

export type UpkeepTask = DueWork & Pick<SingleLooks, 'stop'>;

interface UpkeepWork {
  due: DueWork['due'];
  /** The work begins at most once in this time. */
  everyMs: number;
  /** Does one portion. Returns false when nothing is left. */
  work(): Promise<boolean>;
  /** The message of the warning when a portion fails. */
  failure: string;
}

/** Due work that is done portion by portion, one run at a time, and not while the disk has no room. */
export function createPortionedUpkeep(
  { log, storage }: { log: Log; storage: Pick<Storage, 'hasRoom'> },
  { due, everyMs, work, failure }: UpkeepWork,
): UpkeepTask {
  const { begin, stop } = lookOneAtATime(async (signal) => {
    if (!storage.hasRoom) return;
    try {
      await workInPortions(async () => !signal.aborted && work());
    } catch (error) {
      // Failure policy: the work that is left is still due, so a later poll begins it again.
      log.warn({ err: error }, failure);
    }
  });
  return { due, begin: callAtMostEvery(everyMs, begin), stop };
}

/** Returns a function that calls `begin` at most once in `everyMs` milliseconds, for work that is cheaper in large batches. */
function callAtMostEvery(everyMs: number, begin: () => void): () => void {
  let lastMs = Number.NEGATIVE_INFINITY;
  return () => {
    const nowMs = performance.now();
    if (nowMs - lastMs < everyMs) return;
    lastMs = nowMs;
    begin();
  };
}
