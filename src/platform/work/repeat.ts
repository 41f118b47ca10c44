import type { Log } from './telemetry.ts';

/** Runs `work` at intervals. Returns a function that ends this and waits for the work in progress. */
export function repeat(name: string, everyMs: number, log: Log, work: () => Promise<unknown>): () => Promise<void> {
  let working: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    // Failure policy: the next time may succeed.
    working = work().catch((error: unknown) => log.debug({ err: error }, `${name} failed`));
  }, everyMs);
  return async () => {
    clearInterval(timer);
    await working;
  };
}
