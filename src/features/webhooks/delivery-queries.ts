/** Statements on the delivery queue of all companies: claiming, storing outcomes, sweeping, deleting old ones. */
import { pickInTurn, pickValues } from '../../platform/work/claims/fair-pick.ts';
import type { ClaimCapacity, ClaimedRow, RowOutcome } from '../../platform/work/claims/queue.ts';
import { exec, many, one } from '../../platform/store/db.ts';
import { READ_BYTES } from '../../platform/store/portions.ts';
import { isPicked } from '../../platform/store/picked-rows.ts';
import { pageRangeBounds, IN_STRETCH, type PageRange } from '../../platform/store/retention.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';

export interface ClaimedDelivery extends ClaimedRow {
  /** The delivery that this one replays; a user asked for it. */
  replay_of: string | null;
  event: string;
  body: string;
  /** The seconds that the delivery spent in the queue. */
  age: number;
  url: string;
  /** The webhook's custom headers, still encrypted. */
  custom_headers: string;
}

const QUEUE = {
  table: 'deliveries',
  waiting: 'claimed_at is null',
  order: 'seq',
  columns: '_id, webhook_id, webhook_epoch, redacted_at, queued_at',
};

/** A condition that holds while a delivery waits. Checking it costs a tenth of a claim that finds nothing. */
export const IS_WAITING = `exists (select from deliveries where ${QUEUE.waiting})`;

/**
 * Takes deliveries out of the queue, a few of each company in turn, and marks them SENDING. A delivery that may not be sent any more (its
 * webhook stopped, or it waited too long) becomes FAILED here.
 */
export async function claimDeliveries(
  tx: SystemTx,
  capacity: ClaimCapacity,
  maxAgeMs: number,
): Promise<{ claimed: ClaimedDelivery[]; dismissed: number }> {
  const rows = await many<ClaimedDelivery & { status: string }>(tx, {
    name: 'webhooks.claimDeliveries',
    text: `with recursive ${pickInTurn(QUEUE)}
      update deliveries d set claimed_at = now(), status = case when v.refused is null then 'SENDING' else 'FAILED' end, error = v.refused,
        attempted_at = case when v.refused is null then clock_timestamp() end, finished_at = case when v.refused is null then null else clock_timestamp() end
      from (select p.company_id, p._id, w.url, w.custom_headers,
          case when w._id is null or w.status <> 'ACTIVE' or w.epoch <> p.webhook_epoch
              or not exists (select from companies c where c._id = p.company_id and c.status = 'ACTIVE') then 'WEBHOOK_INACTIVE'
            when p.redacted_at is not null then 'ERASED'
            when p.queued_at < now() - make_interval(secs => $6) then 'EXPIRED' end as refused
        from picked p left join webhooks w on w.company_id = p.company_id and w._id = p.webhook_id) v
      where ${isPicked('d', '_id', 'v')}
      returning d.company_id as company, d._id, d.replay_of, d.event, d.status, v.url, v.custom_headers,
        case when d.status = 'SENDING' then d.body end as body, extract(epoch from now() - d.queued_at)::float as age`,
    values: [...pickValues(capacity), maxAgeMs / 1000],
    planEachTime: true,
  });
  const claimed = rows.filter((row) => row.status === 'SENDING');
  return { claimed, dismissed: rows.length - claimed.length };
}

export interface DeliveryOutcome extends RowOutcome {
  company: string;
  status: 'DELIVERED' | 'FAILED';
  response_status: number | null;
  response_ms: number;
  response_body: string | null;
  error: string | null;
}

/** Stores the outcomes of attempts. An outcome also replaces the UNKNOWN of a sweep that took a slow delivery for an abandoned one. */
export function recordOutcomes(tx: SystemTx, outcomes: DeliveryOutcome[]): Promise<number> {
  return exec(tx, {
    name: 'webhooks.recordOutcomes',
    text: `update deliveries d set status = o.status, response_status = o.response_status, response_ms = o.response_ms,
        response_body = case when d.redacted_at is null then o.response_body end, error = o.error, finished_at = now()
      from unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::int[], $6::text[], $7::text[])
        as o (company_id, _id, status, response_status, response_ms, response_body, error)
      where d.company_id = o.company_id and d._id = o._id and d.status in ('SENDING', 'UNKNOWN')`,
    values: [
      outcomes.map((outcome) => outcome.company),
      outcomes.map((outcome) => outcome._id),
      outcomes.map((outcome) => outcome.status),
      outcomes.map((outcome) => outcome.response_status),
      outcomes.map((outcome) => outcome.response_ms),
      outcomes.map((outcome) => outcome.response_body),
      outcomes.map((outcome) => outcome.error),
    ],
  });
}

/** For the transaction of the sweep: only a bitmap scan can read its index, a range index (BRIN) over the time of the attempt. */
export function allowBitmaps(tx: SystemTx): Promise<number> {
  return exec(tx, {
    name: 'webhooks.allowBitmaps',
    text: `select set_config('enable_bitmapscan', 'on', true)`,
    values: [],
  });
}

/** When a sweep was made, and in which transaction. */
export interface EarlierSweep {
  at: string;
  xid: string;
}

/**
 * Settles deliveries that are SENDING for longer than any attempt can last: their worker died. Each becomes UNKNOWN and is never sent
 * again. Only claims after a stored mark are read. `earlier` becomes this mark when the transactions before it have ended: a claim whose COMMIT waits for
 * a standby is not visible until then, however old it is. Returns `earlier` for the next sweep. A clock that was set back moves the mark
 * back with it. Deliveries are locked in the order of their ids, as redactPortion() does, so that the two never wait for each other.
 */
export async function sweepInterrupted(
  tx: SystemTx,
  leaseSeconds: number,
  earlier: EarlierSweep | null,
): Promise<{ unknown: number; earlier: EarlierSweep }> {
  const { unknown, is_over, at, xid } = await one<EarlierSweep & { unknown: number; is_over: boolean }>(tx, {
    name: 'webhooks.sweepInterrupted',
    text: `with mark as (
        select coalesce((select value::timestamptz from platform_state where key = 'deliveries.swept'), '-infinity') as since,
          now() - make_interval(secs => $1) as until,
          coalesce($2::timestamptz <= now() - make_interval(secs => $1) and $3::xid8 <= pg_snapshot_xmin(pg_current_snapshot()), false) as is_safe
      ), overdue as materialized (
        select d.company_id, d._id from deliveries d, mark
        where d.attempted_at > mark.since and d.attempted_at <= mark.until and d.status = 'SENDING'
        order by d.company_id, d._id for update of d
      ), unknown as (
        update deliveries d set status = 'UNKNOWN', finished_at = now(), error = 'INTERRUPTED' from overdue o
        where d.company_id = o.company_id and d._id = o._id and d.status = 'SENDING'
        returning 1
      ), moved as (
        insert into platform_state (key, value)
        select 'deliveries.swept', least(until, case when is_safe then greatest(since, $2::timestamptz) else since end)::text
        from mark on conflict (key) do update set value = excluded.value returning 1
      )
      select (select count(*) from unknown)::int as unknown, (select count(*) from moved) as moved, now()::text as at,
        pg_current_xact_id()::text as xid, is_safe or coalesce($2::timestamptz > now() or $3::xid8 > pg_current_xact_id(), true) as is_over
      from mark`,
    values: [leaseSeconds, earlier?.at ?? null, earlier?.xid ?? null],
  });
  return { unknown, earlier: earlier && !is_over ? earlier : { at, xid } };
}

/**
 * Deletes old deliveries, as many as one statement may read, and returns how many. The length of a body is known without reading the body.
 */
export function deleteOldDeliveries(tx: SystemTx, days: number, stretch: PageRange): Promise<number> {
  return exec(tx, {
    name: 'webhooks.deleteOldDeliveries',
    text: `delete from deliveries where ctid = any(array(
        select ctid from (
          select ctid, sum(octet_length(body)) over (order by ctid rows unbounded preceding) - octet_length(body) as before
          from deliveries where ${IN_STRETCH} and queued_at < now() - make_interval(days => $1) and finished_at is not null
        ) portion where before < ${READ_BYTES}
      ))`,
    values: [days, ...pageRangeBounds(stretch)],
  });
}

export function replaceReceiverOrigin(tx: SystemTx, from: string, to: string): Promise<number> {
  return exec(tx, {
    name: 'webhooks.moveReceivers',
    text: 'update webhooks set url = $2 || substr(url, length($1) + 1), updated_at = now() where starts_with(url, $1)',
    values: [from, to],
  });
}
