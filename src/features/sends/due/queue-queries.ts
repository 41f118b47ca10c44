/**
 * Statements over all companies that decide which due message is sent next. Each source has a queue with leases, whose table also has the columns
 * attempts, message_id and settle_until.
 */
import { pickValues } from '../../../platform/work/claims/fair-pick.ts';
import { leaseColumns, pickLeased, type LeasedTable } from '../../../platform/work/claims/leases.ts';
import type { ClaimCapacity } from '../../../platform/work/claims/queue.ts';
import { exec, many } from '../../../platform/store/db.ts';
import { isPicked } from '../../../platform/store/picked-rows.ts';
import type { SystemTx } from '../../../platform/store/tenant.ts';
import type { ClaimedSend, DueEnd, UnsettledSend } from './schemas.ts';

/** Claims due messages, a few of each company in turn, and counts the attempt before the work begins. */
export async function claimDue(
  tx: SystemTx,
  queue: LeasedTable,
  capacity: ClaimCapacity,
): Promise<{ claimed: ClaimedSend[]; dismissed: number }> {
  const claimed = await many<ClaimedSend>(tx, {
    name: `sends.claimDue.${queue.table}`,
    text: `${pickLeased(queue)}
      update ${queue.table} f set ${leaseColumns(queue)}, attempts = attempts + 1
      from picked where ${isPicked('f')}
      returning f.company_id as company, f._id, attempts, claimed_at`,
    values: pickValues(capacity),
  });
  return { claimed, dismissed: 0 };
}

/** Delays the next attempt of rows whose message could not be stored. A row whose message is stored is never sent again. */
export function restDue(tx: SystemTx, { table }: LeasedTable, ends: DueEnd[]): Promise<number> {
  return exec(tx, {
    name: `sends.restDue.${table}`,
    text: `with picked as (
        select h.company_id, h._id, e.pause_seconds
        from unnest($1::text[], $2::text[], $3::timestamptz[], $4::int[]) as e (company_id, _id, claimed_at, pause_seconds)
          join ${table} h on ${isPicked('h', '_id', 'e')} and h.claimed_at = e.claimed_at and h.message_id is null
        for update of h skip locked
      )
      update ${table} f set held_until = now() + make_interval(secs => picked.pause_seconds) from picked where ${isPicked('f')}`,
    values: [
      ends.map(({ company }) => company),
      ends.map(({ _id }) => _id),
      ends.map(({ claimed_at }) => claimed_at),
      ends.map(({ pause_seconds }) => pause_seconds),
    ],
  });
}

/** Takes rows that are to be looked at again after the call to the network, so that no one else does. */
export function takeUnsettledDue(tx: SystemTx, { table }: LeasedTable, holdSeconds: number): Promise<UnsettledSend[]> {
  return many(tx, {
    name: `sends.takeUnsettledDue.${table}`,
    text: `with picked as (
        select company_id, _id from ${table} where settle_until <= now() order by settle_until limit 100 for update skip locked
      )
      update ${table} f set settle_until = now() + make_interval(secs => $1) from picked where ${isPicked('f')}
      returning f.company_id as company, f._id`,
    values: [holdSeconds],
  });
}
