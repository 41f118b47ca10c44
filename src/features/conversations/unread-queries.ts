import { exec } from '../../platform/store/db.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';

/** A conversation in which the contact has not written has nothing to read. */
export function markUnread(tx: TenantTx, id: string): Promise<number> {
  return exec(tx, {
    name: 'conversations.markUnread',
    text: `update conversations set unread_count = 1
      where company_id = $1 and _id = $2 and unread_count = 0 and last_inbound_at is not null`,
    values: [tx.companyId, id],
  });
}
