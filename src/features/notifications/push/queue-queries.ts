/** Statements over all companies that decide which push is next, and that store what has become of it. */
import { pickValues } from '../../../platform/work/claims/fair-pick.ts';
import { leaseColumns, pickLeased, type LeasedTable } from '../../../platform/work/claims/leases.ts';
import type { ClaimCapacity } from '../../../platform/work/claims/queue.ts';
import { exec, many, maybeOne } from '../../../platform/store/db.ts';
import { isPicked } from '../../../platform/store/picked-rows.ts';
import { IN_STRETCH, pageRangeBounds, type PageRange } from '../../../platform/store/retention.ts';
import type { SystemTx } from '../../../platform/store/tenant.ts';
import { HAS_REQUIRED_FACTOR } from '../../users/second-factor-sql.ts';
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
            and is_notified(n.company_id, n.user_id, n.kind)
            and (n.conversation_id is null or sees_conversation(n.company_id, n.conversation_id, n.user_id))) f
        left join notification_settings t on t.company_id = s.company_id and t.user_id = s.user_id and t.kind = f.kind
      where s.company_id = $1 and s._id = $2 and ${LIVING} and ${HAS_REQUIRED_FACTOR}
        and coalesce(t.in_push, notifies_by_default(f.kind, 'push'))`,
    values: [company, subscription, notification],
  });
}

/** Stores outcomes. A push that was queued again meanwhile keeps its place in the queue. Each statement locks its rows in the same order as all others. */
export async function recordPushes(tx: SystemTx, outcomes: PushOutcome[]): Promise<void> {
  await touchSubscriptions(
    tx,
    outcomes.filter(({ state }) => state === 'SENT'),
  );
  await settlePushes(tx, outcomes);
  await deleteGone(
    tx,
    outcomes.filter(({ state }) => state === 'GONE'),
  );
}

const toSubscriptions = (outcomes: PushOutcome[]): string[][] => [
  outcomes.map(({ company }) => company),
  outcomes.map(({ subscription }) => subscription),
];
const GIVEN = '(select * from unnest($1::text[], $2::text[]) as o (company_id, _id))';

function touchSubscriptions(tx: SystemTx, sent: PushOutcome[]): Promise<number> {
  return exec(tx, {
    name: 'notifications.touchSubscriptions',
    text: `with locked as materialized (
        select company_id, _id from push_subscriptions where (company_id, _id) in ${GIVEN} order by company_id, _id for no key update
      )
      update push_subscriptions s set last_used_at = now() from locked l where s.company_id = l.company_id and s._id = l._id`,
    values: toSubscriptions(sent),
  });
}

function settlePushes(tx: SystemTx, outcomes: PushOutcome[]): Promise<number> {
  return exec(tx, {
    name: 'notifications.settlePushes',
    text: `with locked as materialized (
        select p.company_id, p._id, o.state, o.pause_seconds
          from unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[], $5::int[]) as o (company_id, _id, claimed_at, state, pause_seconds)
            join pushes p on p.company_id = o.company_id and p._id = o._id and p.claimed_at = o.claimed_at
          order by p.company_id, p.subscription_id, p.notification_id for update of p
      ), done as (
        delete from pushes p using locked l where p.company_id = l.company_id and p._id = l._id and l.state in ('SENT', 'OBSOLETE')
      )
      update pushes p set held_until = now() + make_interval(secs => l.pause_seconds) from locked l
        where p.company_id = l.company_id and p._id = l._id and l.state = 'LATER'`,
    values: [
      outcomes.map(({ company }) => company),
      outcomes.map(({ _id }) => _id),
      outcomes.map(({ claimed_at }) => claimed_at),
      outcomes.map(({ state }) => state),
      outcomes.map(({ pause_seconds }) => pause_seconds),
    ],
  });
}

/** Deletes browsers that their push services have forgotten, with their pushes. */
function deleteGone(tx: SystemTx, gone: PushOutcome[]): Promise<number> {
  return exec(tx, {
    name: 'notifications.deleteGone',
    text: `with locked as materialized (
        select company_id, _id from push_subscriptions where (company_id, _id) in ${GIVEN} order by company_id, _id for update
      )
      delete from push_subscriptions s using locked l where s.company_id = l.company_id and s._id = l._id`,
    values: toSubscriptions(gone),
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
