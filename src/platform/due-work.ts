/**
 * One look at the database for all loops of a process. Each of them asking by itself, several times a second, is what an idle process
 * would mostly do.
 */
import { one } from './db.ts';
import type { Log } from './telemetry.ts';
import type { SystemTx } from './tenant.ts';

export interface DueWork {
  /** In SQL: null or false while there is nothing to do. An index has to answer it. */
  due: string;
  /** Begins what is due, and never throws. `value` is that of `due`. */
  begin(value: unknown): void;
}

/** Looks until the returned way to stop is taken. */
export function pollDueWork(
  system: SystemTx,
  dueWork: DueWork[],
  { everyMs, log }: { everyMs: number; log: Log },
): () => void {
  const selected = dueWork.map(({ due }, index) => `(${due}) as "${index}"`);
  const statement = { name: 'due-work.find', text: `select ${selected.join(', ')}`, values: [] };
  let looking = false;
  async function look(): Promise<void> {
    if (looking) return;
    looking = true;
    try {
      const found = Object.values(await one<object>(system, statement)) as unknown[];
      for (const [index, { begin }] of dueWork.entries()) {
        const value = found[index];
        if (value !== null && value !== false) begin(value);
      }
    } catch (error) {
      // Failure policy: the next look comes in a moment; a database that is away is told by whoever needs it.
      log.debug({ err: error }, 'due work: the look failed');
    }
    looking = false;
  }
  const timer = setInterval(() => void look(), everyMs);
  return () => clearInterval(timer);
}

/** `begin` at most once in so many milliseconds: for what is cheaper the more of it there is. */
export function throttle(everyMs: number, begin: () => void): () => void {
  let lastMs = Number.NEGATIVE_INFINITY;
  return () => {
    const nowMs = performance.now();
    if (nowMs - lastMs < everyMs) return;
    lastMs = nowMs;
    begin();
  };
}
