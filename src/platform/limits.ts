/**
 * Rate limits that hold over any number of processes: each subject has a bucket of tokens in the database. A busy subject
 * costs some ten round trips a second, not one per request; and one whose bucket is empty none until its next token comes.
 */
import { isIPv6 } from 'node:net';
import { one } from './db.ts';
import { remainingTokens, waitSeconds, type Bucket } from './limits/buckets.ts';
import { createStock, type Stock } from './limits/stock.ts';
import type { SystemTx } from './tenant.ts';

export interface Allowance {
  /** Who is counted: `company:<id>`, `address:<ip>`. */
  subject: string;
  perSecond: number;
  /** What a full bucket holds. It fills within an hour, or purgeBuckets would fill it. */
  burst: number;
}

/** Of the tightest allowance; times are whole seconds. */
export interface Verdict {
  admitted: boolean;
  limit: number;
  remaining: number;
  /** Until the bucket is full. */
  resetSeconds: number;
  /** 0 when admitted. */
  retryAfterSeconds: number;
}

export interface Limiter {
  /** Takes a token of each allowance, or none of any. Rejects when the database has to be asked and does not answer. */
  admit(allowances: Allowance[]): Promise<Verdict>;
  /** Gives back what is in stock. */
  close(): Promise<void>;
}

export function createLimiter(system: SystemTx): Limiter {
  const stock = createStock(system);
  return { admit: (allowances) => admit(stock, allowances), close: stock.close };
}

async function admit(stock: Stock, allowances: Allowance[]): Promise<Verdict> {
  const nowMs = performance.now();
  const buckets = allowances.map((allowance) => stock.find(allowance, nowMs));
  // Before anything is taken: a flood against one empty bucket takes nothing out of the others.
  const empty = buckets.filter((bucket) => waitSeconds(bucket, nowMs) > 0);
  if (empty.length > 0) return refusal(empty, nowMs);
  const taken = buckets.map((bucket) => stock.take(bucket, nowMs));
  if (taken.every((token) => token === true)) return admission(buckets, nowMs);
  const outcomes = await Promise.allSettled(taken.map(async (token) => token));
  const isTaken = outcomes.map((outcome) => outcome.status === 'fulfilled' && outcome.value);
  const refused = buckets.filter((_, index) => !isTaken[index]);
  if (refused.length === 0) return admission(buckets, performance.now());
  for (const [index, bucket] of buckets.entries()) if (isTaken[index]) stock.putBack(bucket);
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) throw failure.reason;
  return refusal(refused, performance.now());
}

function admission(buckets: Bucket[], nowMs: number): Verdict {
  const [tightest] = buckets.toSorted((a, b) => remainingTokens(a, nowMs) - remainingTokens(b, nowMs));
  if (!tightest) throw new Error('a request without an allowance');
  const remaining = remainingTokens(tightest, nowMs);
  const resetSeconds = Math.ceil((tightest.burst - remaining) / tightest.perSecond);
  return { admitted: true, limit: tightest.burst, remaining, resetSeconds, retryAfterSeconds: 0 };
}

function refusal(refused: Bucket[], nowMs: number): Verdict {
  const [slowest] = refused.toSorted((a, b) => waitSeconds(b, nowMs) - waitSeconds(a, nowMs));
  if (!slowest) throw new Error('nothing refused this request');
  return {
    admitted: false,
    limit: slowest.burst,
    remaining: 0,
    resetSeconds: Math.ceil(slowest.burst / slowest.perSecond),
    // The header knows no less.
    retryAfterSeconds: Math.max(1, Math.ceil(waitSeconds(slowest, nowMs))),
  };
}

/** One address, or the /64 of an IPv6 one: who holds one holds all of it. Mapped IPv4 is IPv4. */
export function addressGroup(ip: string | undefined): string {
  // Of a connection that is gone already nobody knows the address.
  if (ip === undefined) return '';
  const [address = ''] = ip.split('%');
  if (!isIPv6(address)) return ip;
  // In the one spelling that a URL gives it: eight groups of small hex, the longest run of zeros as `::`.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const before = head.split(':').filter(Boolean);
  const after = (tail ?? '').split(':').filter(Boolean);
  const groups = [...before, ...Array.from({ length: 8 - before.length - after.length }, () => '0'), ...after];
  if (groups.slice(0, 6).join(':') !== '0:0:0:0:0:ffff') return `${groups.slice(0, 4).join(':')}::/64`;
  const bytes = groups.slice(6).flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]);
  return bytes.join('.');
}

// A transaction of some 50 ms.
const PURGE_BUCKETS = 10_000;

/** Deletes the buckets that nobody touched for an hour: they are full, as new ones are. Answers how many were looked at. */
export async function purgeBuckets(system: SystemTx): Promise<number> {
  let after = '';
  let total = 0;
  for (;;) {
    const { looked, last } = await one<{ looked: number; last: string | null }>(system, {
      name: 'limits.purge',
      text: `with looked as (
          select subject from rate_buckets where subject > $1 order by subject limit $2
        ), gone as (
          delete from rate_buckets b using looked l
          where b.subject = l.subject and b.refilled_at < clock_timestamp() - interval '1 hour'
        )
        select count(*)::int as looked, max(subject) as last from looked`,
      values: [after, PURGE_BUCKETS],
    });
    total += looked;
    if (last === null || looked < PURGE_BUCKETS) return total;
    after = last;
  }
}
