/**
 * A process's knowledge about each subject's token bucket: tokens in stock, waiting callers, and an estimate of the tokens left in the
 * database.
 */

export interface Waiting {
  done: (isGranted: boolean) => void;
  failed: (error: unknown) => void;
}

export interface Bucket {
  readonly subject: string;
  readonly perSecond: number;
  /** The tokens of a full bucket. */
  readonly burst: number;
  /** Tokens that this process has taken from the database and not used yet. */
  stock: number;
  /**
   * With this many tokens in stock or fewer, more are requested before a caller has to wait. With 0 they are requested when a caller waits.
   */
  low: number;
  /** The tokens that the database had left, and the time of its answer. */
  left: number;
  leftAtMs: number;
  waiting: Waiting[];
  /** The number of callers in the running request for tokens; null while none is running. */
  requested: number | null;
  /** Tokens that the next request returns to the database. */
  returned: number;
  /** `used` counts the tokens that callers took or requested since `usedSinceMs`, and `pace` the tokens per 100 ms before that. */
  used: number;
  usedSinceMs: number;
  pace: number;
  usedAtMs: number;
}

export type BucketShape = Pick<Bucket, 'subject' | 'perSecond' | 'burst'>;

// These buckets take some 3 MB.
const BUCKETS_MAX = 10_000;
// When the map is full, each new bucket checks this many of the oldest and removes the idle ones, so the map shrinks if more than one in
// eight is idle.
const EVICTION_LOOKS = 8;

/** Returns the bucket of a subject. A bucket that this process does not know yet is assumed to be full. */
export function findBucket(buckets: Map<string, Bucket>, shape: BucketShape, nowMs: number): Bucket {
  const known = buckets.get(shape.subject);
  if (known) return known;
  if (buckets.size >= BUCKETS_MAX) evict(buckets);
  const bucket: Bucket = {
    subject: shape.subject,
    perSecond: shape.perSecond,
    burst: shape.burst,
    stock: 0,
    low: 0,
    left: shape.burst,
    leftAtMs: nowMs,
    waiting: [],
    requested: null,
    returned: 0,
    used: 0,
    usedSinceMs: Number.NEGATIVE_INFINITY,
    pace: 0,
    usedAtMs: nowMs,
  };
  buckets.set(bucket.subject, bucket);
  return bucket;
}

/** Removes the oldest buckets. Those in use are moved to the end of the map instead. */
function evict(buckets: Map<string, Bucket>): void {
  let looks = EVICTION_LOOKS;
  for (const [subject, bucket] of buckets) {
    if (looks === 0) return;
    looks -= 1;
    buckets.delete(subject);
    const isIdle = bucket.requested === null && bucket.waiting.length + bucket.stock + bucket.returned === 0;
    if (!isIdle) buckets.set(subject, bucket);
  }
}

/**
 * Estimates the tokens in the database. Other processes may have taken some since the last answer. They may also have returned some, which
 * is noticed with the next request.
 */
function tokensAt({ perSecond, burst, left, leftAtMs }: Bucket, nowMs: number): number {
  return Math.min(burst, left + ((nowMs - leftAtMs) * perSecond) / 1_000);
}

/** Seconds until a token may be available for one more caller; 0 when one may be available now. */
export function waitSeconds(bucket: Bucket, nowMs: number): number {
  if (bucket.stock > 0) return 0;
  const before = bucket.waiting.length + (bucket.requested ?? 0);
  return Math.max(0, before + 1 - tokensAt(bucket, nowMs)) / bucket.perSecond;
}

/** Whole tokens that are left according to this process's estimate. */
export function remainingTokens(bucket: Bucket, nowMs: number): number {
  return Math.min(bucket.burst, Math.floor(tokensAt(bucket, nowMs)) + bucket.stock);
}
