/**
 * Decides for all processes when messages may be sent: each phone number sends at its own rate, and to the same person only every few
 * seconds, by the clock of the database. After the network has refused a message because of a rate limit, the number, its account, or the
 * pair of number and person pauses.
 */
import { exec, many, one, oneValue } from '../store/db.ts';
import type { TenantTx } from '../store/tenant.ts';
import { declareLimit } from '../values/limits.ts';

/** A number that sends, the account that it belongs to, and the messages per second that this kind of work may send. */
export interface Lane {
  number: string;
  account: string;
  rate: number;
}

// The network takes one message to the same person every six seconds.
const PAIR_SECONDS = declareLimit(6, {
  topic: 'Campaigns',
  what: 'Pause between two templates to one person in bulk',
  unit: 'seconds',
  beyond: 'the second one waits',
});

/** When the next messages may be sent. `granted` is 0 when the first free slot is more than a second away. */
export interface Slots {
  granted: number;
  firstInMs: number;
}

/** Reserves up to `most` slots, which are `1 / rate` apart and begin within a second. */
export async function reserveSlots(tx: TenantTx, { number, account, rate }: Lane, most: number): Promise<Slots> {
  const { granted, first_in } = await one<{ granted: number; first_in: number }>(tx, {
    name: 'pacing.reserveSlots',
    text: 'select granted, first_in from reserve_slots($1, $2, $3, $4, $5)',
    values: [tx.companyId, number, account, rate, most],
  });
  return { granted, firstInMs: first_in * 1000 };
}

/**
 * Reserves the time of the number's next message to each of these different people. Returns for each in how many milliseconds the message
 * may be sent.
 */
export async function reservePairs(
  tx: TenantTx,
  { number }: Pick<Lane, 'number'>,
  people: string[],
): Promise<Map<string, number>> {
  const rows = await many<{ person: string; due_in: number }>(tx, {
    name: 'pacing.reservePairs',
    text: `insert into send_pairs as p (company_id, lane, person, next_at)
      select $1, $2, n.person, now() + make_interval(secs => $4) from unnest($3::text[]) as n (person) order by n.person
      on conflict (company_id, lane, person) do update set next_at = greatest(p.next_at, now()) + make_interval(secs => $4)
      returning person, extract(epoch from next_at - now())::double precision - $4 as due_in`,
    values: [tx.companyId, number, people, PAIR_SECONDS],
  });
  return new Map(rows.map(({ person, due_in }) => [person, due_in * 1000]));
}

/**
 * Reserves a pair for an act that may be left out. Returns false when the last one was less than `seconds` ago.
 */
export async function reservePairOnce(
  tx: TenantTx,
  { lane, person, seconds }: { lane: string; person: string; seconds: number },
): Promise<boolean> {
  const reserved = await exec(tx, {
    name: 'pacing.reservePairOnce',
    text: `insert into send_pairs as p (company_id, lane, person, next_at) values ($1, $2, $3, now() + make_interval(secs => $4))
      on conflict (company_id, lane, person) do update set next_at = excluded.next_at where p.next_at <= now()`,
    values: [tx.companyId, lane, person, seconds],
  });
  return reserved > 0;
}

/** A bucket holds what `depthSeconds` bring beside one message, and a message that is taken out of it comes back after `gapSeconds`. */
export interface Bucket {
  lane: string;
  depthSeconds: number;
  gapSeconds: number;
  /** The lane whose pause holds for this bucket as well. */
  heldBy: string;
}

/** Takes a message out of a bucket. Returns 0, or in how many seconds there will be one again. */
export function takeFromBucket(tx: TenantTx, { lane, depthSeconds, gapSeconds, heldBy }: Bucket): Promise<number> {
  // `next_at` is the time at which the bucket is full again.
  return oneValue(tx, {
    name: 'pacing.takeFromBucket',
    text: `with held as (
        select max(held_until) as until from send_paces where company_id = $1 and lane = any(array[$2, $5])),
      taken as (
        insert into send_paces as p (company_id, lane, next_at)
        select $1, $2, now() + make_interval(secs => $4) from held where coalesce(held.until, now()) <= now()
        on conflict (company_id, lane) do update set next_at = greatest(p.next_at, now()) + make_interval(secs => $4)
          where p.next_at <= now() + make_interval(secs => $3) and p.held_until <= now()
        returning 1)
      select case when exists (select from taken) then 0 else greatest(0.001, extract(epoch from greatest(
          (select until from held),
          (select next_at - make_interval(secs => $3) from send_paces where company_id = $1 and lane = $2)) - now()))
        end::double precision as wait`,
    values: [tx.companyId, lane, depthSeconds, gapSeconds, heldBy],
  });
}

/** The pause after the first refusal of a number or an account, and the longest one. It doubles with each refusal that follows. */
const PAUSES = { number: { first: 2, most: 60 }, account: { first: 60, most: 900 } } as const;

/**
 * Pauses a number or an account after the network has refused a message because of a rate limit. Further refusals during the pause change
 * nothing.
 */
export function holdLane(tx: TenantTx, scope: keyof typeof PAUSES, lane: string): Promise<number> {
  const { first, most } = PAUSES[scope];
  return exec(tx, {
    name: 'pacing.holdLane',
    text: `insert into send_paces as p (company_id, lane, held_until, strikes) values ($1, $2, now() + make_interval(secs => $3), 1)
      on conflict (company_id, lane) do update set
        strikes = case when p.held_until > now() - make_interval(secs => $4) then p.strikes + 1 else 1 end,
        held_until = now() + make_interval(secs =>
          least($4, $3 * power(2, case when p.held_until > now() - make_interval(secs => $4) then least(p.strikes, 16) else 0 end)))
      where p.held_until <= now()`,
    values: [tx.companyId, lane, first, most],
  });
}

/** Pauses the messages of a number to these people: 4 seconds, then 16, then 64, as the network asks. */
export function holdPairs(tx: TenantTx, { number }: Pick<Lane, 'number'>, people: string[]): Promise<number> {
  return exec(tx, {
    name: 'pacing.holdPairs',
    text: `insert into send_pairs as p (company_id, lane, person, next_at, strikes)
      select $1, $2, n.person, now() + interval '4 seconds', 1 from unnest($3::text[]) as n (person) order by n.person
      on conflict (company_id, lane, person) do update set strikes = least(p.strikes + 1, 3),
        next_at = now() + make_interval(secs => power(4, least(p.strikes + 1, 3)))`,
    values: [tx.companyId, number, people],
  });
}
