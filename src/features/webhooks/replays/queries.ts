import { exec, maybeOne, one } from '../../../platform/store/db.ts';
import type { Since, Window } from '../../../platform/store/paging.ts';
import { countRows, listRows, type PlainList } from '../../../platform/store/plain-list.ts';
import { READ_BYTES } from '../../../platform/store/portions.ts';
import { IN_STRETCH, pageRangeBounds, type PageRange } from '../../../platform/store/retention.ts';
import type { SystemTx, TenantRead, TenantTx } from '../../../platform/store/tenant.ts';
import type { DeliveryReplay, DeliveryReplayCreate } from './schemas.ts';

const COLUMNS = `_id, company_id as company, webhook_id as webhook, status, delivery_status, event, since as "from", until as "to", total,
  processed, replayed, error, finished_at, created_at as "createdAt", updated_at as "updatedAt"`;

// The prefix of the names of the list's statements.
const REPLAYS = 'webhooks.replays';

/**
 * The condition of the deliveries of a replay; `$1` is the company, and `of` the alias of a row with its values. Replays are left out, because
 * the delivery that they repeat stands for them. Deliveries that failed have an error, and an index of their own.
 */
const chosenSql = (
  of: string,
  status: DeliveryReplay['delivery_status'],
): string => `d.company_id = $1 and d.queued_at >= ${of}.since and d.queued_at < ${of}.until
  and d.status = ${of}.delivery_status and (${of}.event is null or d.event = ${of}.event) and d.replay_of is null ${status === 'DELIVERED' ? '' : 'and d.error is not null'}`;

export interface NewReplay extends Omit<DeliveryReplayCreate, 'event'> {
  _id: string;
  event: string | null;
  webhook: string;
  epoch: number;
}

/** Stores a replay. `to` is at most the present, so that it comes to an end. One without deliveries has ended. */
export function insertReplayRun(tx: TenantTx, replay: NewReplay & { total: number }): Promise<DeliveryReplay> {
  return one(tx, {
    name: 'webhooks.replays.insert',
    text: `insert into delivery_replays (company_id, _id, webhook_id, webhook_epoch, delivery_status, event, since, until, total, status,
        finished_at)
      values ($1, $2, $3, $4, $5, $6, $7, least($8::timestamptz, now()), $9, case when $9::int = 0 then 'COMPLETED' else 'RUNNING' end,
        case when $9::int = 0 then now() end)
      returning ${COLUMNS}`,
    values: [
      tx.companyId,
      replay._id,
      replay.webhook,
      replay.epoch,
      replay.status,
      replay.event,
      replay.from,
      replay.to,
      replay.total,
    ],
  });
}

/** Counts the deliveries that a replay would look at, up to `most`. */
export async function countChosen(
  tx: TenantRead,
  { status, event, from, to }: NewReplay,
  most: number,
): Promise<number> {
  const { count } = await one<{ count: number }>(tx, {
    name: `webhooks.replays.countChosen.${status}`,
    text: `select count(*)::int as count from (
        select from deliveries d cross join (select $2::text as delivery_status, $3::text as event,
          $4::timestamptz as since, least($5::timestamptz, now()) as until) r
        where ${chosenSql('r', status)} limit $6) chosen`,
    values: [tx.companyId, status, event, from, to, most],
    planEachTime: true,
  });
  return count;
}

export function findReplay(tx: TenantRead, id: string): Promise<DeliveryReplay | null> {
  return maybeOne(tx, {
    name: 'webhooks.replays.find',
    text: `select ${COLUMNS} from delivery_replays where company_id = $1 and _id = $2`,
    values: [tx.companyId, id],
  });
}

/** The replay of the company that has not ended. */
export function findRunningReplay(tx: TenantRead): Promise<{ _id: string } | null> {
  return maybeOne(tx, {
    name: 'webhooks.replays.findRunning',
    text: 'select _id from delivery_replays where company_id = $1 and finished_at is null',
    values: [tx.companyId],
  });
}

const replayList = (tx: TenantRead, status: string | null): PlainList => ({
  name: REPLAYS,
  columns: COLUMNS,
  from: 'delivery_replays',
  filter: 'company_id = $1 and ($2::text is null or status = $2)',
  values: [tx.companyId, status],
});

export function listReplays(tx: TenantRead, status: string | null, window: Window): Promise<DeliveryReplay[]> {
  return listRows(tx, replayList(tx, status), window);
}

export function countReplays(tx: TenantRead, status: string | null, window: Since): Promise<number> {
  return countRows(tx, replayList(tx, status), window);
}

/** Ends a replay before its last delivery. Returns zero when there is none, or when it has ended. */
export function cancelReplayRun(tx: TenantTx, id: string): Promise<number> {
  return exec(tx, {
    name: 'webhooks.replays.cancel',
    text: `update delivery_replays set status = 'CANCELLED', finished_at = now(), updated_at = now()
      where company_id = $1 and _id = $2 and finished_at is null`,
    values: [tx.companyId, id],
  });
}

/** A condition that holds while a portion of a replay is due. */
export const IS_DUE = 'exists (select from delivery_replays where finished_at is null and due_at <= now())';

export interface DueReplay {
  company: string;
  _id: string;
  delivery_status: DeliveryReplay['delivery_status'];
  /** The webhook is ACTIVE and has not been stopped since the replay began. */
  can_send: boolean;
  /** The deliveries of the company that wait, up to the given number. */
  waiting: number;
}

/** Locks the replay whose portion is due first. Those that another process works on are left to it. */
export function lockDueReplay(tx: SystemTx, mostWaiting: number): Promise<DueReplay | null> {
  return maybeOne(tx, {
    name: 'webhooks.replays.lockDue',
    text: `select r.company_id as company, r._id, r.delivery_status, exists (select from webhooks w where w.company_id = r.company_id and w._id = r.webhook_id
          and w.status = 'ACTIVE' and w.epoch = r.webhook_epoch) as can_send,
        (select count(*)::int from (select from deliveries d where d.company_id = r.company_id and d.claimed_at is null limit $1) q) as waiting
      from delivery_replays r where r.finished_at is null and r.due_at <= now() order by r.due_at limit 1 for update of r skip locked`,
    values: [mostWaiting],
  });
}

/** Ends a locked replay because its webhook takes nothing more. */
export function failReplay(tx: SystemTx, { company, _id }: DueReplay, error: string): Promise<number> {
  return exec(tx, {
    name: 'webhooks.replays.fail',
    text: `update delivery_replays set status = 'FAILED', error = $3, finished_at = now(), updated_at = now()
      where company_id = $1 and _id = $2`,
    values: [company, _id, error],
  });
}

export function postponeReplay(tx: SystemTx, { company, _id }: DueReplay, seconds: number): Promise<number> {
  return exec(tx, {
    name: 'webhooks.replays.postpone',
    text: 'update delivery_replays set due_at = now() + make_interval(secs => $3) where company_id = $1 and _id = $2',
    values: [company, _id, seconds],
  });
}

/**
 * Queues the next deliveries of a locked replay again, with the given ids, and notes how far the replay is. A delivery is locked, so
 * that its contact is not erased meanwhile. One that failed is left out when another replay has delivered it or is about to.
 */
export function replayPortion(
  tx: SystemTx,
  { company, _id, delivery_status: status }: DueReplay,
  ids: string[],
): Promise<number> {
  return exec(tx, {
    name: `webhooks.replays.portion.${status}`,
    text: `with r as materialized (select * from delivery_replays where company_id = $1 and _id = $2),
      portion as materialized (
        select _id, queued_at from (
          select near.*, sum(bytes) over (order by queued_at, _id) - bytes as before from (
            select d._id, d.queued_at, octet_length(d.body) as bytes from r join deliveries d on ${chosenSql('r', status)}
              and (d.queued_at, d._id) > (coalesce(r.after_at, '-infinity'), coalesce(r.after_id, ''))
            order by d.queued_at, d._id limit cardinality($3::text[])) near
        ) weighed where before < ${READ_BYTES}
      ), sources as materialized (
        select d._id, d.event, d.resource_id, d.body from portion p join deliveries d on d.company_id = $1 and d._id = p._id
          cross join r
        where d.redacted_at is null and (r.delivery_status = 'DELIVERED' or not exists (select from deliveries again
          where again.company_id = $1 and again.replay_of = d._id and again.status in ('QUEUED', 'SENDING', 'DELIVERED')))
        order by d._id for share of d
      ), made as (
        insert into deliveries (company_id, _id, webhook_id, webhook_epoch, event, resource_id, body, replay_of)
        select $1, ($3::text[])[row_number() over (order by s._id)], r.webhook_id, r.webhook_epoch, s.event, s.resource_id, s.body, s._id
        from sources s cross join r returning 1
      ), last as (select queued_at, _id from portion order by queued_at desc, _id desc limit 1)
      update delivery_replays u set processed = u.processed + (select count(*) from portion), after_at = last.queued_at, after_id = last._id,
        replayed = u.replayed + (select count(*) from made), due_at = now(), updated_at = now(),
        status = case when last._id is null then 'COMPLETED' else u.status end,
        finished_at = case when last._id is null then now() end
      from r left join last on true where u.company_id = $1 and u._id = $2`,
    values: [company, _id, ids],
  });
}

export function deleteOldReplays(tx: SystemTx, days: number, range: PageRange): Promise<number> {
  return exec(tx, {
    name: 'webhooks.replays.deleteOld',
    text: `delete from delivery_replays where ${IN_STRETCH} and finished_at < now() - make_interval(days => $1)`,
    values: [days, ...pageRangeBounds(range)],
  });
}
