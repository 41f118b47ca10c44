/** Statements over all companies that decide which push is next, and that store what has become of it. */
import { pickValues } from '../../../platform/work/claims/fair-pick.ts';
import { leaseColumns, pickLeased, type LeasedTable } from '../../../platform/work/claims/leases.ts';
import type { ClaimCapacity } from '../../../platform/work/claims/queue.ts';
import { exec, many, maybeOne } from '../../../platform/store/db.ts';
import { isPicked } from '../../../platform/store/picked-rows.ts';
import { IN_STRETCH, pageRangeBounds, type PageRange } from '../../../platform/store/retention.ts';
import type { SystemTx } from '../../../platform/store/tenant.ts';
import { COLUMNS } from '../queries.ts';
import { LIVING } from './queries.ts';
import type { ClaimedPush, DuePush, PushOutcome } from './schemas.ts';

export const PUSH_QUEUE: LeasedTable = { table: 'pushes', order: 'added_at' };

/** Claims pushes, a few of each company in turn, and counts the attempt before the work begins. */
export async function claimPushes(
  tx: SystemTx,
  capacity: ClaimCapacity,
): Promise<{ claimed: ClaimedPush[]; dismissed: number }> {
  const claimed = await many<ClaimedPush>(tx, {
    name: 'notifications.claimPushes',
    text: `${pickLeased(PUSH_QUEUE)}
      update pushes p set ${leaseColumns(PUSH_QUEUE)}, attempts = attempts + 1
      from picked where ${isPicked('p')}
      returning p.company_id as company, p._id, attempts, claimed_at, subscription_id as subscription, notification_id as notification`,
    values: pickValues(capacity),
  });
  return { claimed, dismissed: 0 };
}

/** Reads what is to be pushed; null if the user has read it, has lost access or does not want it any more. */
export function findDuePush(
  tx: SystemTx,
  { company, subscription, notification }: ClaimedPush,
): Promise<DuePush | null> {
  return maybeOne(tx, {
    name: 'notifications.findDuePush',
    text: `select s.endpoint, s.p256dh, s.auth, u.language, row_to_json(f) as notification
      from push_subscriptions s
        join companies c on c._id = s.company_id and c.status = 'ACTIVE'
        join users u on u.company_id = s.company_id and u._id = s.user_id
        cross join lateral (select ${COLUMNS} from notifications n
          where n.company_id = s.company_id and n._id = $3 and n.user_id = s.user_id and n.read_at is null
            and is_notified(n.company_id, n.user_id, n.kind)) f
        left join notification_settings t on t.company_id = s.company_id and t.user_id = s.user_id and t.kind = f.kind
      where s.company_id = $1 and s._id = $2 and ${LIVING} and coalesce(t.in_push, f.kind <> 'UNASSIGNED_NEW')`,
    values: [company, subscription, notification],
  });
}

/** Stores outcomes. A push that was queued again meanwhile keeps its place in the queue. */
export function recordPushes(tx: SystemTx, outcomes: PushOutcome[]): Promise<number> {
  return exec(tx, {
    name: 'notifications.recordPushes',
    text: `with o as (
        select * from unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[], $5::text[], $6::int[])
          as o (company_id, _id, claimed_at, subscription_id, state, pause_seconds)
      ), gone as (
        delete from push_subscriptions s using o where s.company_id = o.company_id and s._id = o.subscription_id and o.state = 'GONE'
      ), used as (
        update push_subscriptions s set last_used_at = now() from o
          where s.company_id = o.company_id and s._id = o.subscription_id and o.state = 'SENT'
      ), done as (
        delete from pushes p using o
          where p.company_id = o.company_id and p._id = o._id and p.claimed_at = o.claimed_at and o.state in ('SENT', 'OBSOLETE')
      )
      update pushes p set held_until = now() + make_interval(secs => o.pause_seconds) from o
        where p.company_id = o.company_id and p._id = o._id and p.claimed_at = o.claimed_at and o.state = 'LATER'`,
    values: [
      outcomes.map(({ company }) => company),
      outcomes.map(({ _id }) => _id),
      outcomes.map(({ claimed_at }) => claimed_at),
      outcomes.map(({ subscription }) => subscription),
      outcomes.map(({ state }) => state),
      outcomes.map(({ pause_seconds }) => pause_seconds),
    ],
  });
}

/** Deletes browsers that have not registered for so long, and those of users who have set a new password or were deactivated. */
export function deleteOldSubscriptions(tx: SystemTx, days: number, range: PageRange): Promise<number> {
  return exec(tx, {
    name: 'notifications.deleteOldSubscriptions',
    text: `delete from push_subscriptions s where ${IN_STRETCH} and (updated_at < now() - make_interval(days => $1) or not ${LIVING})`,
    values: [days, ...pageRangeBounds(range)],
  });
}
