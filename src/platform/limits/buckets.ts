/** What a process knows of each subject's bucket: tokens in hand, who waits, and what the database can have left at most. */

export interface Waiting {
  done: (isGranted: boolean) => void;
  failed: (error: unknown) => void;
}

export interface Bucket {
  readonly subject: string;
  readonly perSecond: number;
  /** What it holds when it is full. */
  readonly burst: number;
  /** Tokens in hand. */
  stock: number;
  /** With so many or fewer in hand more is asked for, before anybody has to wait; 0: when somebody waits. */
  low: number;
  /** What the database had left, and when its answer came. */
  left: number;
  leftAtMs: number;
  waiting: Waiting[];
  /** Callers whose tokens are being asked for; null while nothing is asked. */
  flying: number | null;
  /** Stock that goes back with the next question. */
  returned: number;
  /** Tokens that callers took or wanted since then, and how many it were in 100 ms before. */
  used: number;
  usedSinceMs: number;
  pace: number;
  usedAtMs: number;
}

export type BucketShape = Pick<Bucket, 'subject' | 'perSecond' | 'burst'>;

// Some 3 MB.
const BUCKETS_MAX = 10_000;
// Of the oldest, for each newcomer once there are so many: the number falls as long as one in eight is idle.
const EVICTION_LOOKS = 8;

/** The bucket of a subject; one that is new here is believed to be full. */
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
    flying: null,
    returned: 0,
    used: 0,
    usedSinceMs: Number.NEGATIVE_INFINITY,
    pace: 0,
    usedAtMs: nowMs,
  };
  buckets.set(bucket.subject, bucket);
  return bucket;
}

/** Drops the oldest, unless they are in use: those become the youngest. */
function evict(buckets: Map<string, Bucket>): void {
  let looks = EVICTION_LOOKS;
  for (const [subject, bucket] of buckets) {
    if (looks === 0) return;
    looks -= 1;
    buckets.delete(subject);
    const isIdle = bucket.flying === null && bucket.waiting.length + bucket.stock + bucket.returned === 0;
    if (!isIdle) buckets.set(subject, bucket);
  }
}

/**
 * What the database has at most: other processes may have taken since it was asked. One may also have given back, which is
 * noticed with the next question.
 */
function tokensAt({ perSecond, burst, left, leftAtMs }: Bucket, nowMs: number): number {
  return Math.min(burst, left + ((nowMs - leftAtMs) * perSecond) / 1_000);
}

/** Seconds until there can be a token for one caller more; 0 when there can be one now. */
export function waitSeconds(bucket: Bucket, nowMs: number): number {
  if (bucket.stock > 0) return 0;
  const before = bucket.waiting.length + (bucket.flying ?? 0);
  return Math.max(0, before + 1 - tokensAt(bucket, nowMs)) / bucket.perSecond;
}

/** Whole tokens that are left, as far as this process knows. */
export function remainingTokens(bucket: Bucket, nowMs: number): number {
  return Math.min(bucket.burst, Math.floor(tokensAt(bucket, nowMs)) + bucket.stock);
}
