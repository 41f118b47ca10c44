/** Limits on how many records a company has. Records that are not there yet cannot be locked, so each limit has a lock of its own. */
import { exec } from './db.ts';
import type { TenantTx } from './tenant.ts';

/**
 * Makes transactions that add a record under the same limit of a company take turns: each holds the lock until its end. The records are
 * counted after the lock was granted, so that those of the other transactions are included.
 */
export function lockLimit(tx: TenantTx, limit: string): Promise<number> {
  return exec(tx, {
    name: 'tenant.lockLimit',
    text: `select pg_advisory_xact_lock(hashtextextended('limit:' || $1::text || ':' || $2::text, 0))`,
    values: [tx.companyId, limit],
  });
}
