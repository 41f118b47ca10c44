/** Statements that delete what no stream can need any more, of all companies. */
import { exec } from '../../platform/store/db.ts';
import { IN_STRETCH, pageRangeBounds, type PageRange } from '../../platform/store/retention.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';

export function deleteOldChanges(tx: SystemTx, seconds: number, range: PageRange): Promise<number> {
  return exec(tx, {
    name: 'live.deleteOldChanges',
    text: `delete from record_changes where ${IN_STRETCH} and changed_at < now() - make_interval(secs => $1)`,
    values: [seconds, ...pageRangeBounds(range)],
  });
}

export function deleteUnwatched(tx: SystemTx, range: PageRange): Promise<number> {
  return exec(tx, {
    name: 'live.deleteUnwatched',
    text: `delete from live_companies where ${IN_STRETCH} and noted_until < now() - make_interval(secs => $1)`,
    values: [0, ...pageRangeBounds(range)],
  });
}
