/** The delivery queue, across companies: claiming, recording, sweeping, retention. */
import { exec, many, one } from '../../platform/db.ts';
import { READ_BYTES } from '../../platform/portions.ts';
import { boundsOf, IN_STRETCH, type Stretch } from '../../platform/retention.ts';
import type { SystemTx } from '../../platform/tenant.ts';

export interface Claimed {
  company: string;
  _id: string;
  /** The delivery that this one repeats by hand. */
  replay_of: string | null;
  event: string;
  body: string;
  /** Seconds in the queue. */
  age: number;
  url: string;
  /** Sealed. */
  custom_headers: string;
}

export interface Capacity {
  slots: number;
  /** Slots of a company that has nothing in flight here. */
  first: number;
  /** Free slots of each company that has something in flight here. */
  free: Map<string, number>;
  /** The company that was served last: the round goes on after it. */
  after: string;
  maxAgeMs: number;
}

/** What a loop that sleeps asks again and again: it costs a tenth of a claim that finds nothing. */
export async function isQueueEmpty(tx: SystemTx): Promise<boolean> {
  const { waiting } = await one<{ waiting: boolean }>(tx, {
    name: 'webhooks.isQueueEmpty',
    text: 'select exists (select from deliveries where claimed_at is null) as waiting',
    values: [],
  });
  return !waiting;
}

/**
 * Takes deliveries out of the queue, a few of each company in turn, and marks them SENDING: the commit of this statement
 * comes before the first byte leaves, so a worker that dies can only leave a delivery unsent, never send it twice. What may
 * not be sent any more (its webhook stopped, or it waited too long) ends FAILED here. The walk over companies follows the
 * partial index by its whole key; by company alone the planner takes the primary key and reads the whole history.
 */
export async function claimDeliveries(
  tx: SystemTx,
  capacity: Capacity,
): Promise<{ claimed: Claimed[]; dismissed: number }> {
  const rows = await many<Claimed & { status: string }>(tx, {
    name: 'webhooks.claimDeliveries',
    text: `with recursive queues as (
        (select company_id from deliveries where claimed_at is null order by company_id, seq limit 1)
        union all
        select (select d.company_id from deliveries d where d.claimed_at is null and d.company_id > c.company_id
          order by d.company_id, d.seq limit 1)
        from queues c where c.company_id is not null
      ), turns as (
        select c.company_id, coalesce(b.free, $2) as free, count(*) over () as companies
        from queues c left join unnest($3::text[], $4::int[]) as b (company_id, free) on b.company_id = c.company_id
        where c.company_id is not null and coalesce(b.free, $2) > 0
        order by (c.company_id > $5) desc, c.company_id
        limit $1
      ), picked as (
        select d.ctid from turns t cross join lateral (
          select ctid from deliveries d where d.company_id = t.company_id and d.claimed_at is null
          order by d.company_id, d.seq limit least(t.free, ($1 + t.companies - 1) / t.companies)
          for update skip locked
        ) d limit $1
      )
      update deliveries d set claimed_at = now(),
        status = case when v.refused is null then 'SENDING' else 'FAILED' end, error = v.refused,
        attempted_at = case when v.refused is null then clock_timestamp() end, finished_at = case when v.refused is null then null else clock_timestamp() end
      from (select d.ctid, d.company_id, d._id, w.url, w.custom_headers,
          case when w._id is null or w.status <> 'ACTIVE' or w.epoch <> d.webhook_epoch
              or not exists (select from companies c where c._id = d.company_id and c.status = 'ACTIVE') then 'WEBHOOK_INACTIVE'
            when d.queued_at < now() - make_interval(secs => $6) then 'EXPIRED' end as refused
        from deliveries d left join webhooks w on w.company_id = d.company_id and w._id = d.webhook_id
        where d.ctid = any(array(select ctid from picked))) v
      where d.ctid = v.ctid and d.ctid = any(array(select ctid from picked))
      returning d.company_id as company, d._id, d.replay_of, d.event, d.status, v.url, v.custom_headers,
        case when d.status = 'SENDING' then d.body end as body, extract(epoch from now() - d.queued_at)::float as age`,
    values: [
      capacity.slots,
      capacity.first,
      [...capacity.free.keys()],
      [...capacity.free.values()],
      capacity.after,
      capacity.maxAgeMs / 1000,
    ],
  });
  const claimed = rows.filter((row) => row.status === 'SENDING');
  return { claimed, dismissed: rows.length - claimed.length };
}

export interface Outcome {
  company: string;
  _id: string;
  status: 'DELIVERED' | 'FAILED';
  response_status: number | null;
  response_ms: number;
  response_body: string | null;
  error: string | null;
}

/** A sweep that took a slow delivery for a dead one is corrected: what really happened is known here. */
export function recordOutcomes(tx: SystemTx, outcomes: Outcome[]): Promise<number> {
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

/** The index by time of attempt is one of ranges, which nothing but a bitmap reads. For the transaction that sweeps. */
export function allowBitmaps(tx: SystemTx): Promise<number> {
  return exec(tx, {
    name: 'webhooks.allowBitmaps',
    text: `select set_config('enable_bitmapscan', 'on', true)`,
    values: [],
  });
}

/**
 * What was SENDING longer than any attempt can last belonged to a worker that died: UNKNOWN, and never sent again. Looks only
 * at what came after the last sweep; a clock that was set back moves the mark back with it.
 */
export async function sweepInterrupted(tx: SystemTx, leaseSeconds: number): Promise<number> {
  const [row] = await many<{ swept: number }>(tx, {
    name: 'webhooks.sweepInterrupted',
    text: `with mark as (
        select coalesce((select value::timestamptz from platform_state where key = 'deliveries.swept'), '-infinity') as since,
          now() - make_interval(secs => $1) as until
      ), swept as (
        update deliveries d set status = 'UNKNOWN', finished_at = now(), error = 'INTERRUPTED' from mark
        where d.attempted_at > mark.since and d.attempted_at <= mark.until and d.status = 'SENDING'
        returning 1
      ), moved as (
        insert into platform_state (key, value) select 'deliveries.swept', until::text from mark
        on conflict (key) do update set value = excluded.value returning 1
      )
      select (select count(*) from swept)::int as swept, (select count(*) from moved) as moved`,
    values: [leaseSeconds],
  });
  return row?.swept ?? 0;
}

/** As much as a statement may; returns how many. How long a body is, is known without reading it. */
export function deleteOldDeliveries(tx: SystemTx, days: number, stretch: Stretch): Promise<number> {
  return exec(tx, {
    name: 'webhooks.deleteOldDeliveries',
    text: `delete from deliveries where ctid = any(array(
        select ctid from (
          select ctid, sum(octet_length(body)) over (order by ctid rows unbounded preceding) - octet_length(body) as before
          from deliveries where ${IN_STRETCH} and queued_at < now() - make_interval(days => $1) and finished_at is not null
        ) portion where before < ${READ_BYTES}
      ))`,
    values: [days, ...boundsOf(stretch)],
  });
}

export function moveReceivers(tx: SystemTx, from: string, to: string): Promise<number> {
  return exec(tx, {
    name: 'webhooks.moveReceivers',
    text: 'update webhooks set url = $2 || substr(url, length($1) + 1), updated_at = now() where starts_with(url, $1)',
    values: [from, to],
  });
}
