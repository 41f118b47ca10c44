/** Refreshes the planner's statistics of small tables often; see refresh_statistics() in the first migration. */
import { exec } from './db.ts';
import type { Log } from '../work/telemetry.ts';
import type { SystemTx } from './tenant.ts';

// A check costs a millisecond. In four seconds a new installation does not store so much that a bad plan would matter.
const LOOK_EVERY_MS = 4_000;

/** Checks at intervals whether statistics are outdated. Returns a function that ends the checks. */
export function keepStatisticsFresh(system: SystemTx, log: Log): () => Promise<void> {
  const look = (): Promise<number> =>
    exec(system, { name: 'statistics.refresh', text: 'select refresh_statistics()', values: [] });
  let looking: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    // Failure policy: the statistics stay as they are until the next check.
    looking = look().catch((error: unknown) => log.debug({ err: error }, 'statistics: the look failed'));
  }, LOOK_EVERY_MS);
  return async () => {
    clearInterval(timer);
    await looking;
  };
}
