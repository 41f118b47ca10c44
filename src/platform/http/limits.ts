/**
 * Rate limits that hold across any number of processes: each subject has a bucket of tokens in the database. A busy subject costs some ten
 * round trips a second instead of one per request. A subject whose bucket is empty costs none until its next token is due.
 */
import { isIPv6 } from 'node:net';
import type { ShareOwner } from '../store/connection-shares.ts';
import { one } from '../store/db.ts';
import { remainingTokens, waitSeconds, type Bucket } from './limits/buckets.ts';
import { createLocalTokens, type LocalTokens } from './limits/local-tokens.ts';
import { workInPortions } from '../store/portions.ts';
import type { SystemTx } from '../store/tenant.ts';

export interface Allowance {
  /** The subject that is counted, such as `company:<id>` or `address:<ip>`. */
  subject: string;
  refillPerSecond: number;
  /** The number of tokens in a full bucket. An empty bucket must fill within an hour, because purgeBuckets deletes it after that time. */
  capacity: number;
}

/**
 * The verdict about a request: that of the allowance with the fewest tokens left, or with the longest wait when the request is refused.
 * Times are whole seconds.
 */
export interface Verdict {
  admitted: boolean;
  limit: number;
  remaining: number;
  /** The seconds until the bucket is full. */
  resetSeconds: number;
  /** The seconds until a request may succeed; 0 when the request is admitted. */
  retryAfterSeconds: number;
}

export interface Limiter {
  /** Takes one token of each allowance, or none at all. Rejects when a query is necessary and the database does not answer. */
  admit(allowances: Allowance[]): Promise<Verdict>;
  /** Returns the unused tokens of this process to the database. */
  close(): Promise<void>;
}

export function createLimiter(system: SystemTx): Limiter {
  const tokens = createLocalTokens(system);
  return { admit: (allowances) => admitAll(tokens, allowances), close: tokens.close };
}

async function admitAll(tokens: LocalTokens, allowances: Allowance[]): Promise<Verdict> {
  const nowMs = performance.now();
  const buckets = allowances.map((allowance) => tokens.find(allowance, nowMs));
  // Empty buckets are checked before any token is taken, so that a flood against one empty bucket takes nothing from the others.
  const empty = buckets.filter((bucket) => waitSeconds(bucket, nowMs) > 0);
  if (empty.length > 0) return makeRefusal(empty, nowMs);
  const taken = buckets.map((bucket) => tokens.take(bucket, nowMs));
  if (taken.every((token) => token === true)) return makeAdmission(buckets, nowMs);
  const outcomes = await Promise.allSettled(taken.map(async (token) => token));
  const isTaken = outcomes.map((outcome) => outcome.status === 'fulfilled' && outcome.value);
  const refused = buckets.filter((_, index) => !isTaken[index]);
  if (refused.length === 0) return makeAdmission(buckets, performance.now());
  for (const [index, bucket] of buckets.entries()) if (isTaken[index]) tokens.putBack(bucket);
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) throw failure.reason;
  return makeRefusal(refused, performance.now());
}

function makeAdmission(buckets: Bucket[], nowMs: number): Verdict {
  const [tightest] = buckets.toSorted((a, b) => remainingTokens(a, nowMs) - remainingTokens(b, nowMs));
  if (!tightest) throw new Error('a request without an allowance');
  const remaining = remainingTokens(tightest, nowMs);
  const resetSeconds = Math.ceil((tightest.capacity - remaining) / tightest.refillPerSecond);
  return { admitted: true, limit: tightest.capacity, remaining, resetSeconds, retryAfterSeconds: 0 };
}

function makeRefusal(refused: Bucket[], nowMs: number): Verdict {
  const [slowest] = refused.toSorted((a, b) => waitSeconds(b, nowMs) - waitSeconds(a, nowMs));
  if (!slowest) throw new Error('nothing refused this request');
  return {
    admitted: false,
    limit: slowest.capacity,
    remaining: 0,
    resetSeconds: Math.ceil(slowest.capacity / slowest.refillPerSecond),
    // The retry-after header has no smaller unit than a second.
    retryAfterSeconds: Math.max(1, Math.ceil(waitSeconds(slowest, nowMs))),
  };
}

/**
 * Returns the address whose requests are counted: an IPv4 address, or the /64 network of an IPv6 address, because one customer usually has
 * a whole /64.
 */
export function addressGroup(ip: string | undefined): string {
  // The address of a connection that is closed already is unknown.
  if (ip === undefined) return '';
  const [address = ''] = ip.split('%');
  if (!isIPv6(address)) return ip;
  // The URL parser normalises the address: groups of lower-case hex digits, with the longest run of zeros as `::`.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const before = head.split(':').filter(Boolean);
  const after = (tail ?? '').split(':').filter(Boolean);
  const groups = [...before, ...Array.from({ length: 8 - before.length - after.length }, () => '0'), ...after];
  if (groups.slice(0, 6).join(':') !== '0:0:0:0:0:ffff') return `${groups.slice(0, 4).join(':')}::/64`;
  const bytes = groups.slice(6).flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]);
  return bytes.join('.');
}

/** Callers whose company is not known yet use the connections of their address. */
export const addressShare = (ip: string | undefined): ShareOwner => `address:${addressGroup(ip)}`;

// The number of buckets that one transaction checks, which takes some 50 ms.
const PURGE_BUCKETS = 10_000;

/** Deletes buckets that were not used for an hour: they are full again, like new ones. Returns how many buckets were checked. */
export async function purgeBuckets(system: SystemTx): Promise<number> {
  let total = 0;
  await workInPortions(async (after: string | null) => {
    const { looked, last } = await one<{ looked: number; last: string | null }>(system, {
      name: 'limits.purge',
      text: `with looked as (
          select subject from rate_buckets where subject > $1 order by subject limit $2
        ), gone as (
          delete from rate_buckets b using looked l
          where b.subject = l.subject and b.refilled_at < clock_timestamp() - interval '1 hour'
        )
        select count(*)::int as looked, max(subject) as last from looked`,
      values: [after ?? '', PURGE_BUCKETS],
    });
    total += looked;
    return looked < PURGE_BUCKETS ? null : last;
  });
  return total;
}
