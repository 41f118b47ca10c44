/** Statements that delete old runs of all companies, a range of pages at a time. */
import { exec } from '../../../platform/store/db.ts';
import { IN_STRETCH, pageRangeBounds, type PageRange } from '../../../platform/store/retention.ts';
import type { SystemTx } from '../../../platform/store/tenant.ts';

export function deleteOldRuns(tx: SystemTx, days: number, range: PageRange): Promise<number> {
  return exec(tx, {
    name: 'conversations.runs.deleteOld',
    text: `delete from conversation_runs
      where ${IN_STRETCH} and finished_at < now() - make_interval(days => $1)`,
    values: [days, ...pageRangeBounds(range)],
  });
}
