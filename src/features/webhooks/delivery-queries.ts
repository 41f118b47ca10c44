/** Statements on the delivery queue of all companies: claiming, storing outcomes, sweeping, deleting old ones. */
import { pickInTurn, pickValues } from '../../platform/work/claims/fair-pick.ts';
import type { ClaimCapacity, ClaimedRow, RowOutcome } from '../../platform/work/claims/queue.ts';
import { exec, many, oneValue } from '../../platform/store/db.ts';
import { READ_BYTES } from '../../platform/store/portions.ts';
import { isPicked } from '../../platform/store/picked-rows.ts';
import { pageRangeBounds, IN_STRETCH, type PageRange } from '../../platform/store/retention.ts';
import type { PartitionSuffix } from '../../platform/store/partitions.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import type { DoorWebhookOptions, WebhookDoor } from '../../platform/outside/door-formats.ts';

export interface ClaimedDelivery extends ClaimedRow {
  /** The delivery that this one replays; a user asked for it. */
  replay_of: string | null;
  event: string;
  /** The door's name of the event; null for the company's own webhook. */
  form: string | null;
  body: string;
  /** The seconds that the delivery spent in the queue. */
  age: number;
  url: string;
  /** The webhook's custom headers, still encrypted. */
  custom_headers: string;
  /** What only the webhook of a door has; null for the company's own. */
  hook: DoorHook | null;
  attempted_at: string;
}

interface DoorHook {
  door: WebhookDoor;
  inbox: string | null;
  options: DoorWebhookOptions;
  /** Still encrypted. */
  api_key: string | null;
}

const QUEUE = { table: 'delivery_queue', order: 'seq', columns: 'seq, delivery_id' };

/** A condition that holds while a delivery waits. Checking it costs a tenth of a claim that finds nothing. */
export const IS_WAITING = 'exists (select from delivery_queue)';

/**
 * Takes deliveries out of the queue, a few of each company in turn, and stores that their attempts begin. A delivery that may not be sent any
 * more (its webhook stopped, or it waited too long) becomes FAILED here. The rows of deliveries, webhooks and companies are looked up one by
 * one (`offset 0`), so the planner cannot join them in another way.
 */
export async function claimDeliveries(
  tx: SystemTx,
  capacity: ClaimCapacity,
  maxAgeMs: number,
): Promise<{ claimed: ClaimedDelivery[]; dismissed: number }> {
  const rows = await many<ClaimedDelivery & { refused: string | null }>(tx, {
    name: 'webhooks.claimDeliveries',
    text: `with recursive ${pickInTurn(QUEUE)}, judged as materialized (
        select d.*, w.url, w.custom_headers, w.hook, clock_timestamp()::timestamptz(3) as attempted_at,
          case when w.url is null or w.epoch <> d.webhook_epoch then 'WEBHOOK_INACTIVE'
            when d.redacted_at is not null then 'ERASED'
            when d.queued_at < now() - make_interval(secs => $6) then 'EXPIRED' end as refused
        from picked p cross join lateral (
          select company_id, _id, webhook_id, webhook_epoch, replay_of, event, form, body, queued_at, redacted_at from deliveries d
          where d.company_id = p.company_id and d._id = p.delivery_id offset 0
        ) d left join lateral (
          select w.* from (
            select url, custom_headers, null::json as hook, epoch from webhooks
              where d.form is null and company_id = d.company_id and _id = d.webhook_id and status = 'ACTIVE'
            union all
            select url, custom_headers, json_build_object('door', door, 'inbox', inbox_id, 'options', options, 'api_key', api_key), epoch
              from door_webhooks where d.form is not null and company_id = d.company_id and _id = d.webhook_id and status = 'ACTIVE'
          ) w where exists (select from companies c where c._id = d.company_id and c.status = 'ACTIVE') offset 0
        ) w on true
      ), taken as (
        delete from delivery_queue q using picked where ${isPicked('q', 'seq')}
      ), begun as (
        insert into delivery_attempts (company_id, delivery_id, attempted_at)
        select company_id, _id, attempted_at from judged where refused is null
      ), ended as (
        update deliveries d set status = 'FAILED', error = v.refused, finished_at = clock_timestamp()
        from judged v where v.refused is not null and ${isPicked('d', '_id', 'v')}
      )
      select company_id as company, _id, replay_of, event, form, refused, url, custom_headers, hook, attempted_at,
        case when refused is null then body end as body, extract(epoch from now() - queued_at)::float as age
      from judged`,
    values: [...pickValues(capacity), maxAgeMs / 1000],
  });
  const claimed = rows.filter((row) => row.refused === null);
  return { claimed, dismissed: rows.length - claimed.length };
}

export interface DeliveryOutcome extends RowOutcome {
  company: string;
  attempted_at: string;
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
    text: `with o as materialized (
        select * from unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[], $5::int[], $6::int[], $7::text[], $8::text[])
          as o (company_id, _id, attempted_at, status, response_status, response_ms, response_body, error)
      ), over as (
        delete from delivery_attempts a using o where a.company_id = any(array[o.company_id]) and a.delivery_id = any(array[o._id])
      )
      update deliveries d set status = o.status, response_status = o.response_status, response_ms = o.response_ms,
        response_body = case when d.redacted_at is null then o.response_body end, error = o.error, attempted_at = o.attempted_at,
        finished_at = now()
      from o where ${isPicked('d', '_id', 'o')} and d._id >= $9 and (d.finished_at is null or d.status = 'UNKNOWN')`,
    values: [
      outcomes.map((outcome) => outcome.company),
      outcomes.map((outcome) => outcome._id),
      outcomes.map((outcome) => outcome.attempted_at),
      outcomes.map((outcome) => outcome.status),
      outcomes.map((outcome) => outcome.response_status),
      outcomes.map((outcome) => outcome.response_ms),
      outcomes.map((outcome) => outcome.response_body),
      outcomes.map((outcome) => outcome.error),
      // With the first id, the statement opens no partition of earlier days.
      outcomes.map((outcome) => outcome._id).toSorted()[0],
    ],
  });
}

/**
 * Settles attempts that are under way for longer than any attempt can last: their worker died. Each delivery becomes UNKNOWN and is never
 * sent again. A claim whose COMMIT waits for a standby is settled when it becomes visible, however old it is then. Deliveries are locked in
 * the order of their ids, as redactPortion() does, so that the two never wait for each other.
 */
export function sweepInterrupted(tx: SystemTx, leaseSeconds: number): Promise<number> {
  return exec(tx, {
    name: 'webhooks.sweepInterrupted',
    text: `with overdue as materialized (
        select company_id, delivery_id, attempted_at from delivery_attempts where attempted_at <= now() - make_interval(secs => $1)
      ), open as materialized (
        select d.company_id, d._id, o.attempted_at from (select * from overdue order by company_id, delivery_id) o cross join lateral (
          select company_id, _id from deliveries d
          where d.company_id = o.company_id and d._id = o.delivery_id and d.finished_at is null offset 0 for update
        ) d
      ), over as (
        delete from delivery_attempts a using overdue where ${isPicked('a', 'delivery_id', 'overdue')}
      )
      update deliveries d set status = 'UNKNOWN', attempted_at = o.attempted_at, finished_at = now(), error = 'INTERRUPTED'
      from open o where ${isPicked('d', '_id', 'o')}`,
    values: [leaseSeconds],
  });
}

/** Returns the first id of the deliveries that are kept: those of the last `days` whole days, and those that have not ended. */
export function findFirstKeptDelivery(tx: SystemTx, days: number): Promise<string> {
  return oneValue(tx, {
    name: 'webhooks.findFirstKeptDelivery',
    text: `select least(first_id(date_trunc('day', now(), 'UTC') - make_interval(days => $1)),
        (select min(delivery_id) from delivery_queue), (select min(delivery_id) from delivery_attempts))`,
    values: [days],
  });
}

/**
 * Deletes old deliveries of a partition, as many as one statement may read, and returns how many. The length of a body is known without
 * reading the body.
 */
export function deleteOldDeliveries(
  tx: SystemTx,
  days: number,
  suffix: PartitionSuffix,
  stretch: PageRange,
): Promise<number> {
  return exec(tx, {
    name: `webhooks.deleteOldDeliveries.${suffix}`,
    text: `delete from deliveries_${suffix} where ctid = any(array(
        select ctid from (
          select ctid, sum(octet_length(body)) over (order by ctid rows unbounded preceding) - octet_length(body) as before
          from deliveries_${suffix} where ${IN_STRETCH} and queued_at < now() - make_interval(days => $1) and finished_at is not null
        ) portion where before < ${READ_BYTES}
      ))`,
    values: [days, ...pageRangeBounds(stretch)],
  });
}

export function replaceReceiverOrigin(tx: SystemTx, from: string, to: string): Promise<number> {
  const moved =
    'set url = $2 || substr(url, length($1) + 1), updated_at = now() where starts_with(url, $1) returning 1';
  return exec(tx, {
    name: 'webhooks.moveReceivers',
    text: `with own as (update webhooks ${moved}), doors as (update door_webhooks ${moved}) select from own union all select from doors`,
    values: [from, to],
  });
}
