/** Watches whether a failover to a standby could lose changes, and how many connections wait for one. */
import { one } from './db.ts';
import { repeat } from '../work/repeat.ts';
import type { Log, Metrics } from '../work/telemetry.ts';
import type { SystemTx } from './tenant.ts';
import { countUnanswered } from './unanswered.ts';

const LOOK_EVERY_MS = 30_000;

interface Watching {
  system: SystemTx;
  log: Log;
  metrics: Pick<Metrics, 'asynchronousStandbys' | 'unansweredConnections'>;
}

/** Looks now and at intervals. Returns a function that ends this. */
export function watchReplication({ system, log, metrics }: Watching): () => Promise<void> {
  let hasWarned = false;
  const look = async (): Promise<void> => {
    metrics.unansweredConnections.set(countUnanswered());
    const { standbys } = await one<{ standbys: number }>(system, {
      name: 'replication.countAsynchronous',
      text: `select count(*)::int as standbys from pg_stat_replication where current_setting('synchronous_standby_names') = ''`,
      values: [],
    });
    metrics.asynchronousStandbys.set(standbys);
    if (standbys > 0 && !hasWarned)
      log.warn(
        { standbys },
        'a failover can lose changes: synchronous_standby_names is empty (docs/high-availability.md)',
      );
    hasWarned = standbys > 0;
  };
  // Failure policy: the first look may fail as any later one.
  void look().catch(() => undefined);
  return repeat('looking at the standbys', LOOK_EVERY_MS, log, look);
}
