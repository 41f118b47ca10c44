/** The statement that deletes ended scheduled messages of all companies. */
import { exec } from '../../platform/store/db.ts';
import { IN_STRETCH, pageRangeBounds, type PageRange } from '../../platform/store/retention.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';

export function deleteEnded(tx: SystemTx, days: number, range: PageRange): Promise<number> {
  return exec(tx, {
    name: 'scheduled-messages.deleteEnded',
    text: `delete from scheduled_messages where ${IN_STRETCH} and status <> 'SCHEDULED' and updated_at < now() - make_interval(days => $1)`,
    values: [days, ...pageRangeBounds(range)],
  });
}
