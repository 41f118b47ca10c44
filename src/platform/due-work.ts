/**
 * Polls the database for due work with one query for all loops of a process. If each loop polled by itself several times a second, an idle
 * process would do little else.
 */
import { one } from './db.ts';
import type { Log } from './telemetry.ts';
import type { SystemTx } from './tenant.ts';

export interface DueWork {
  /** An SQL expression that is null or false while there is nothing to do. It has to be answered from an index. */
  due: string;
  /** Begins the due work and never throws. `value` is the result of the expression `due`. */
  begin(value: unknown): void;
}

/** Polls at the given interval and begins due work. Returns a function that ends the polling. */
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
      // Failure policy: the next poll comes in a moment; an unreachable database is logged by the code that needs it.
      log.debug({ err: error }, 'due work: the look failed');
    }
    looking = false;
  }
  const timer = setInterval(() => void look(), everyMs);
  return () => clearInterval(timer);
}

/** Returns a function that calls `begin` at most once in this many milliseconds: for work that is cheaper in large batches. */
export function throttle(everyMs: number, begin: () => void): () => void {
  let lastMs = Number.NEGATIVE_INFINITY;
  return () => {
    const nowMs = performance.now();
    if (nowMs - lastMs < everyMs) return;
    lastMs = nowMs;
    begin();
  };
}
