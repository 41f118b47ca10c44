/** The statement that deletes old away texts of all companies. */
import { exec } from '../../platform/store/db.ts';
import { IN_STRETCH, pageRangeBounds, type PageRange } from '../../platform/store/retention.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';

/**
 * A message that arrives late may still belong to a time that is just over. A row that is old goes as well: its time may be far away only
 * because the hours were other ones then.
 */
export function deleteOver(tx: SystemTx, range: PageRange): Promise<number> {
  return exec(tx, {
    name: 'away-texts.deleteOver',
    text: `delete from away_texts where ${IN_STRETCH} and ended_at is not null
      and (closed_until < now() - make_interval(days => $1) or created_at < now() - make_interval(days => $4))`,
    values: [1, ...pageRangeBounds(range), 30],
  });
}
