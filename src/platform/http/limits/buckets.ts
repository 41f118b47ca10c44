/**
 * What a process knows of each subject's token bucket: the tokens that it has taken from the database in advance, its waiting callers, and
 * an estimate of the tokens in the database.
 */

export interface WaitingCaller {
  done: (isGranted: boolean) => void;
  failed: (error: unknown) => void;
}

export interface Bucket {
  readonly subject: string;
  /** The number of tokens in a full bucket. */
  readonly capacity: number;
  readonly refillPerSecond: number;
  /** Tokens that this process has taken from the database and not used yet. */
  localTokens: number;
  /** With this many local tokens or fewer, more are taken before a caller has to wait. With 0 they are taken when a caller waits. */
  lowMark: number;
  /** The tokens that were in the database at its last answer, and the time of this answer. */
  databaseTokens: number;
  answeredAtMs: number;
  waiting: WaitingCaller[];
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

export type BucketShape = Pick<Bucket, 'subject' | 'capacity' | 'refillPerSecond'>;

// The number of buckets that a process remembers, which take some 3 MB.
const BUCKETS_MAX = 10_000;
// When the map is full, each new bucket checks this many of the oldest and removes the idle ones, so the map shrinks if more than one in
// eight is idle.
const EVICTION_LOOKS = 8;

/** Returns the bucket of a subject. A bucket that this process does not know yet is assumed to be full. */
export function findBucket(buckets: Map<string, Bucket>, shape: BucketShape, nowMs: number): Bucket {
  const known = buckets.get(shape.subject);
  if (known) return known;
  if (buckets.size >= BUCKETS_MAX) evictBuckets(buckets);
  const { subject, capacity, refillPerSecond } = shape;
  const bucket: Bucket = {
    subject,
    capacity,
    refillPerSecond,
    localTokens: 0,
    lowMark: 0,
    databaseTokens: capacity,
    answeredAtMs: nowMs,
    waiting: [],
    requested: null,
    returned: 0,
    used: 0,
    usedSinceMs: Number.NEGATIVE_INFINITY,
    pace: 0,
    usedAtMs: nowMs,
  };
  buckets.set(subject, bucket);
  return bucket;
}

/** Removes the oldest buckets. A bucket in use is moved to the end of the map instead. */
function evictBuckets(buckets: Map<string, Bucket>): void {
  for (const [subject, bucket] of buckets.entries().take(EVICTION_LOOKS)) {
    buckets.delete(subject);
    const { requested, waiting, localTokens, returned } = bucket;
    if (requested !== null || waiting.length + localTokens + returned > 0) buckets.set(subject, bucket);
  }
}

/**
 * Estimates the tokens in the database. Other processes may have taken some since the last answer. They may also have returned some, which
 * is noticed with the next request.
 */
function estimateTokens({ capacity, refillPerSecond, databaseTokens, answeredAtMs }: Bucket, nowMs: number): number {
  return Math.min(capacity, databaseTokens + ((nowMs - answeredAtMs) * refillPerSecond) / 1_000);
}

/** Returns the seconds until a token may be available for one more caller; 0 when one may be available now. */
export function waitSeconds(bucket: Bucket, nowMs: number): number {
  if (bucket.localTokens > 0) return 0;
  const before = bucket.waiting.length + (bucket.requested ?? 0);
  return Math.max(0, before + 1 - estimateTokens(bucket, nowMs)) / bucket.refillPerSecond;
}

/** Returns the whole tokens that are left according to the estimate of this process. */
export function remainingTokens(bucket: Bucket, nowMs: number): number {
  return Math.min(bucket.capacity, Math.floor(estimateTokens(bucket, nowMs)) + bucket.localTokens);
}
