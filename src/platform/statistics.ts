/** Keeps the planner's statistics young while tables are small; see refresh_statistics() in the first migration. */
import { exec } from './db.ts';
import type { Log } from './telemetry.ts';
import type { SystemTx } from './tenant.ts';

// A look costs a millisecond; in two seconds a new installation stores no more than a bad plan can still carry.
const LOOK_EVERY_MS = 2_000;

/** Looks until the returned way to stop is taken. */
export function keepStatistics(system: SystemTx, log: Log): () => Promise<void> {
  const look = (): Promise<number> =>
    exec(system, { name: 'statistics.refresh', text: 'select refresh_statistics()', values: [] });
  let looking: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    // Failure policy: plans stay as they are until the next look.
    looking = look().catch((error: unknown) => log.debug({ err: error }, 'statistics: the look failed'));
  }, LOOK_EVERY_MS);
  return async () => {
    clearInterval(timer);
    await looking;
  };
}
