/** Refreshes the planner's statistics of small tables often; see refresh_statistics() in the first migration. */
import { exec } from './db.ts';
import { repeat } from '../work/repeat.ts';
import type { Log } from '../work/telemetry.ts';
import type { SystemTx } from './tenant.ts';

// A check costs a millisecond. In four seconds a new installation does not store so much that a bad plan would matter.
const LOOK_EVERY_MS = 4_000;

/** Checks at intervals whether statistics are outdated. Returns a function that ends the checks. */
export const keepStatisticsFresh = (system: SystemTx, log: Log): (() => Promise<void>) =>
  repeat('refreshing the statistics', LOOK_EVERY_MS, log, () =>
    exec(system, { name: 'statistics.refresh', text: 'select refresh_statistics()', values: [] }),
  );
