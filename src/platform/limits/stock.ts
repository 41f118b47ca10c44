/**
 * Takes tokens from the database by the function take_tokens() (migrations/0008). Callers who wait at the same moment share one statement.
 * For a busy bucket more tokens are requested than needed, so that its next callers find tokens in stock.
 */
import { isContention, isUnavailable, many } from '../db.ts';
import type { SystemTx } from '../tenant.ts';
import { findBucket, type Bucket, type BucketShape, type Waiting } from './buckets.ts';

export interface Stock {
  find(shape: BucketShape, nowMs: number): Bucket;
  /** Takes a token. Returns true at once when one is in stock, else a promise, which rejects when the database does not answer. */
  take(bucket: Bucket, nowMs: number): true | Promise<boolean>;
  /** Returns an unused token to the stock. */
  putBack(bucket: Bucket): void;
  /** Returns all tokens in stock to the database. */
  close(): Promise<void>;
}

interface State {
  system: SystemTx;
  buckets: Map<string, Bucket>;
  /** Buckets that need a request to the database. */
  due: Set<Bucket>;
  running: number;
  isPlanned: boolean;
  sweeper: NodeJS.Timeout | null;
  isClosed: boolean;
  /** Called when no request is running or waiting. */
  rest: () => void;
}

// Two requests at once, so that a slow one does not delay all callers. With more of them each would only be smaller.
const REQUESTS_AT_ONCE = 2;
// Buckets per request. The statement locks their rows until it ends, which takes some milliseconds for this many.
const BUCKETS_PER_REQUEST = 100;
// The stock is sized for the tokens of this time, so a steady load causes a request about this often.
const STOCK_MS = 100;
// The largest part of a bucket that one process keeps in stock, because other processes can not use these tokens.
const STOCK_SHARE = 1 / 50;
// More tokens are requested when less than this part of the stock is left: enough for some 30 ms, while a round trip takes 1 ms.
const LOW_SHARE = 0.3;
// Tokens in stock that were not used for this time are returned.
const IDLE_MS = 1_000;

export function createStock(system: SystemTx): Stock {
  const state: State = {
    system,
    buckets: new Map(),
    due: new Set(),
    running: 0,
    isPlanned: false,
    sweeper: null,
    isClosed: false,
    rest: () => undefined,
  };
  return {
    find: (shape, nowMs) => findBucket(state.buckets, shape, nowMs),
    take: (bucket, nowMs) => {
      if (bucket.stock > 0) {
        takeFromStock(bucket, nowMs);
        if (isRunningLow(bucket)) ask(state, bucket);
        return true;
      }
      return new Promise((done, failed) => {
        bucket.waiting.push({ done, failed });
        ask(state, bucket);
      });
    },
    putBack: (bucket) => {
      bucket.stock += 1;
      share(state, bucket);
    },
    close: async () => {
      state.isClosed = true;
      if (state.sweeper) clearTimeout(state.sweeper);
      for (const bucket of state.buckets.values()) giveBack(state, bucket);
      if (state.running > 0 || state.due.size > 0) await new Promise<void>((resolve) => (state.rest = resolve));
    },
  };
}

function takeFromStock(bucket: Bucket, nowMs: number): void {
  bucket.stock -= 1;
  bucket.used += 1;
  bucket.usedAtMs = nowMs;
}

/** Gives tokens in stock to waiting callers. The rest is kept for up to a second. */
function share(state: State, bucket: Bucket): void {
  for (const caller of bucket.waiting.splice(0, bucket.stock)) {
    takeFromStock(bucket, performance.now());
    caller.done(true);
  }
  if (state.isClosed) giveBack(state, bucket);
  else if (bucket.stock > 0) state.sweeper ??= setTimeout(() => sweep(state), IDLE_MS).unref();
}

function sweep(state: State): void {
  state.sweeper = null;
  const idleSinceMs = performance.now() - IDLE_MS;
  for (const bucket of state.buckets.values()) {
    if (bucket.usedAtMs <= idleSinceMs) giveBack(state, bucket);
    else share(state, bucket);
  }
}

function giveBack(state: State, bucket: Bucket): void {
  if (bucket.stock === 0) return;
  bucket.returned += bucket.stock;
  bucket.stock = 0;
  ask(state, bucket);
}

/** Plans a request for a bucket, unless one is running; then the next one follows its answer. */
function ask(state: State, bucket: Bucket): void {
  if (bucket.requested !== null) return;
  state.due.add(bucket);
  plan(state);
}

function plan(state: State): void {
  if (state.isPlanned || state.running >= REQUESTS_AT_ONCE || state.due.size === 0) return;
  state.isPlanned = true;
  setImmediate(() => {
    state.isPlanned = false;
    state.running += 1;
    void requestTokens(state, nextRequests(state)).finally(() => {
      state.running -= 1;
      plan(state);
      if (state.running === 0 && state.due.size === 0) state.rest();
    });
    plan(state);
  });
}

const isRunningLow = ({ stock, low }: Bucket): boolean => stock > 0 && stock <= low;

interface TokenRequest {
  bucket: Bucket;
  callers: Waiting[];
  /** The most tokens to take, including a stock for future callers. */
  most: number;
  returned: number;
}

function nextRequests(state: State): TokenRequest[] {
  const requests: TokenRequest[] = [];
  for (const bucket of state.due) {
    if (requests.length === BUCKETS_PER_REQUEST) break;
    state.due.delete(bucket);
    // The bucket may need nothing any more, because a token was put back meanwhile.
    if (bucket.waiting.length + bucket.returned > 0 || isRunningLow(bucket)) requests.push(makeRequest(state, bucket));
  }
  return requests;
}

/** Makes the request for a bucket. It includes a stock as large as the use in the last 100 ms, so none for a single caller. */
function makeRequest({ isClosed }: State, bucket: Bucket): TokenRequest {
  const nowMs = performance.now();
  const callers = bucket.waiting.splice(0);
  const returned = bucket.returned;
  bucket.requested = callers.length;
  bucket.returned = 0;
  bucket.used += callers.length;
  const ageMs = nowMs - bucket.usedSinceMs;
  if (ageMs >= STOCK_MS) Object.assign(bucket, { pace: (bucket.used * STOCK_MS) / ageMs, used: 0, usedSinceMs: nowMs });
  // At the beginning of a burst the use is higher than the former pace, so the stock doubles with each request.
  const stock = Math.floor(Math.min(Math.max(bucket.pace, bucket.used), bucket.burst * STOCK_SHARE));
  const isNeeded = !isClosed && (callers.length > 0 || isRunningLow(bucket));
  bucket.low = isNeeded ? Math.floor(stock * LOW_SHARE) : 0;
  return { bucket, callers, most: callers.length + (isNeeded ? Math.max(0, stock - bucket.stock) : 0), returned };
}

async function requestTokens(state: State, requests: TokenRequest[]): Promise<void> {
  if (requests.length === 0) return;
  try {
    const grants = new Map((await takeTokens(state.system, requests)).map((grant) => [grant.subject, grant]));
    for (const request of requests) applyGrant(state, request, grants.get(request.bucket.subject));
  } catch (error) {
    // Failure policy: the callers receive the error. Returned tokens of this request are lost, but the bucket refills by itself.
    for (const { bucket, callers } of requests) {
      bucket.requested = null;
      fail(callers, error);
      if (bucket.waiting.length + bucket.returned > 0) ask(state, bucket);
    }
    // Callers who wait for the next request also receive the error, because the database is unreachable.
    if (isUnavailable(error) && !isContention(error)) {
      for (const bucket of state.due) fail(bucket.waiting.splice(0), error);
    }
  }
}

function fail(callers: Waiting[], error: unknown): void {
  for (const caller of callers) caller.failed(error);
}

function applyGrant(state: State, { bucket, callers, most }: TokenRequest, grant: Grant | undefined): void {
  if (!grant) throw new Error(`limits.take: no answer for ${bucket.subject}`);
  const nowMs = performance.now();
  Object.assign(bucket, { requested: null, left: grant.remaining, leftAtMs: nowMs, usedAtMs: nowMs });
  bucket.stock += grant.granted;
  // A bucket that could not grant everything is not asked in advance any more.
  if (grant.granted < most) bucket.low = 0;
  for (const caller of callers) {
    const isGranted = bucket.stock > 0;
    if (isGranted) bucket.stock -= 1;
    caller.done(isGranted);
  }
  share(state, bucket);
  if (bucket.waiting.length + bucket.returned > 0) ask(state, bucket);
}

interface Grant {
  subject: string;
  granted: number;
  remaining: number;
}

function takeTokens(system: SystemTx, requests: TokenRequest[]): Promise<Grant[]> {
  return many<Grant>(system, {
    name: 'limits.take',
    text: 'select subject, granted, remaining from take_tokens($1, $2, $3, $4, $5, $6)',
    values: [
      requests.map(({ bucket }) => bucket.subject),
      requests.map(({ bucket }) => bucket.perSecond),
      requests.map(({ bucket }) => bucket.burst),
      requests.map(({ callers }) => callers.length),
      requests.map(({ most }) => most),
      requests.map(({ returned }) => returned),
    ],
  });
}
