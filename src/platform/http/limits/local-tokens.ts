/**
 * Takes tokens from the buckets in the database by the function take_tokens(). Callers who wait at the same moment share
 * one statement. From a busy bucket more tokens are taken than its callers need now, so that the next callers find local tokens.
 */
import { isAway, many } from '../../store/db.ts';
import { createPump, type Pump } from '../../work/pump.ts';
import type { SystemTx } from '../../store/tenant.ts';
import { findBucket, type Bucket, type BucketShape, type WaitingCaller } from './buckets.ts';

export interface LocalTokens {
  find(shape: BucketShape, nowMs: number): Bucket;
  /** Takes a token. Returns true at once when there is a local one, else a promise, which rejects when the database does not answer. */
  take(bucket: Bucket, nowMs: number): true | Promise<boolean>;
  /** Makes an unused token a local one again. */
  putBack(bucket: Bucket): void;
  /** Returns all local tokens to the database. */
  close(): Promise<void>;
}

interface TokensState {
  system: SystemTx;
  buckets: Map<string, Bucket>;
  /** Buckets that need a request to the database. */
  due: Set<Bucket>;
  pump: Pump;
  sweeper: NodeJS.Timeout | null;
  isClosed: boolean;
}

// Two requests at once, so that a slow one does not delay all callers. With more of them each would only be smaller.
const REQUESTS_AT_ONCE = 2;
// Buckets per request. The statement locks their rows until it ends, which takes some milliseconds for this many.
const BUCKETS_PER_REQUEST = 100;
// Local tokens should last for this time, so a steady load causes a request about this often.
const LOCAL_MS = 100;
// The largest part of a bucket that one process keeps as local tokens, because other processes cannot use these.
const LOCAL_SHARE = 1 / 50;
// More tokens are taken when less than this part of the local ones is left: enough for some 30 ms, while a round trip takes 1 ms.
const LOW_SHARE = 0.3;
// Local tokens that were not used for this time are returned.
const IDLE_MS = 1_000;

export function createLocalTokens(system: SystemTx): LocalTokens {
  const due = new Set<Bucket>();
  const pump = createPump(
    (running) => running < REQUESTS_AT_ONCE && due.size > 0,
    () => requestTokens(state, takeDueRequests(state)),
  );
  const state: TokensState = { system, buckets: new Map(), due, pump, sweeper: null, isClosed: false };
  return {
    find: (shape, nowMs) => findBucket(state.buckets, shape, nowMs),
    take: (bucket, nowMs) => {
      if (bucket.localTokens > 0) {
        useLocalToken(bucket, nowMs);
        if (isRunningLow(bucket)) planRequest(state, bucket);
        return true;
      }
      return new Promise((done, failed) => {
        bucket.waiting.push({ done, failed });
        planRequest(state, bucket);
      });
    },
    putBack: (bucket) => {
      bucket.localTokens += 1;
      serveWaitingCallers(state, bucket);
    },
    close: async () => {
      state.isClosed = true;
      if (state.sweeper) clearTimeout(state.sweeper);
      for (const bucket of state.buckets.values()) returnTokens(state, bucket);
      await pump.rest();
    },
  };
}

function useLocalToken(bucket: Bucket, nowMs: number): void {
  bucket.localTokens -= 1;
  bucket.used += 1;
  bucket.usedAtMs = nowMs;
}

const isRunningLow = ({ localTokens, lowMark }: Bucket): boolean => localTokens > 0 && localTokens <= lowMark;

/** Gives local tokens to waiting callers. The rest is kept for up to a second. */
function serveWaitingCallers(state: TokensState, bucket: Bucket): void {
  for (const caller of bucket.waiting.splice(0, bucket.localTokens)) {
    useLocalToken(bucket, performance.now());
    caller.done(true);
  }
  if (state.isClosed) returnTokens(state, bucket);
  else if (bucket.localTokens > 0) state.sweeper ??= setTimeout(() => sweepBuckets(state), IDLE_MS).unref();
}

function sweepBuckets(state: TokensState): void {
  state.sweeper = null;
  const idleSinceMs = performance.now() - IDLE_MS;
  for (const bucket of state.buckets.values()) {
    if (bucket.usedAtMs <= idleSinceMs) returnTokens(state, bucket);
    else serveWaitingCallers(state, bucket);
  }
}

function returnTokens(state: TokensState, bucket: Bucket): void {
  if (bucket.localTokens === 0) return;
  bucket.returned += bucket.localTokens;
  bucket.localTokens = 0;
  planRequest(state, bucket);
}

/** Plans a request for a bucket, unless one is running; then the next one follows its answer. */
function planRequest({ due, pump }: TokensState, bucket: Bucket): void {
  if (bucket.requested !== null) return;
  due.add(bucket);
  pump.wake();
}

interface TokenRequest {
  bucket: Bucket;
  callers: WaitingCaller[];
  /** The most tokens to take, including local ones for future callers. */
  most: number;
  returned: number;
}

function takeDueRequests(state: TokensState): TokenRequest[] {
  const requests: TokenRequest[] = [];
  for (const bucket of state.due) {
    if (requests.length === BUCKETS_PER_REQUEST) break;
    state.due.delete(bucket);
    // The bucket may need nothing any more, because a token was put back meanwhile.
    if (bucket.waiting.length + bucket.returned > 0 || isRunningLow(bucket))
      requests.push(makeTokenRequest(state, bucket));
  }
  return requests;
}

/** Makes the request for a bucket. It includes as many local tokens as were used in the last 100 ms, so none for a single caller. */
function makeTokenRequest({ isClosed }: TokensState, bucket: Bucket): TokenRequest {
  const nowMs = performance.now();
  const callers = bucket.waiting.splice(0);
  const returned = bucket.returned;
  bucket.requested = callers.length;
  bucket.returned = 0;
  bucket.used += callers.length;
  const ageMs = nowMs - bucket.usedSinceMs;
  if (ageMs >= LOCAL_MS) Object.assign(bucket, { pace: (bucket.used * LOCAL_MS) / ageMs, used: 0, usedSinceMs: nowMs });
  // At the beginning of a burst the use is higher than the former pace, so the local tokens double with each request.
  const wanted = Math.floor(Math.min(Math.max(bucket.pace, bucket.used), bucket.capacity * LOCAL_SHARE));
  const isNeeded = !isClosed && (callers.length > 0 || isRunningLow(bucket));
  bucket.lowMark = isNeeded ? Math.floor(wanted * LOW_SHARE) : 0;
  return {
    bucket,
    callers,
    most: callers.length + (isNeeded ? Math.max(0, wanted - bucket.localTokens) : 0),
    returned,
  };
}

async function requestTokens(state: TokensState, requests: TokenRequest[]): Promise<void> {
  if (requests.length === 0) return;
  try {
    const grants = new Map((await takeTokens(state.system, requests)).map((grant) => [grant.subject, grant]));
    for (const request of requests) applyGrant(state, request, grants.get(request.bucket.subject));
  } catch (error) {
    // Failure policy: the callers receive the error. Returned tokens of this request are lost, but the bucket refills by itself.
    for (const { bucket, callers } of requests) {
      bucket.requested = null;
      failCallers(callers, error);
      if (bucket.waiting.length + bucket.returned > 0) planRequest(state, bucket);
    }
    // Callers who wait for the next request also receive the error, because the database is unreachable.
    if (isAway(error)) {
      for (const bucket of state.due) failCallers(bucket.waiting.splice(0), error);
    }
  }
}

function failCallers(callers: WaitingCaller[], error: unknown): void {
  for (const caller of callers) caller.failed(error);
}

function applyGrant(state: TokensState, { bucket, callers, most }: TokenRequest, grant: TokenGrant | undefined): void {
  if (!grant) throw new Error(`limits.take: no answer for ${bucket.subject}`);
  const nowMs = performance.now();
  Object.assign(bucket, { requested: null, databaseTokens: grant.remaining, answeredAtMs: nowMs, usedAtMs: nowMs });
  bucket.localTokens += grant.granted;
  // From a bucket that could not grant everything no tokens are taken in advance any more.
  if (grant.granted < most) bucket.lowMark = 0;
  for (const caller of callers) {
    const isGranted = bucket.localTokens > 0;
    if (isGranted) bucket.localTokens -= 1;
    caller.done(isGranted);
  }
  serveWaitingCallers(state, bucket);
  if (bucket.waiting.length + bucket.returned > 0) planRequest(state, bucket);
}

interface TokenGrant {
  subject: string;
  granted: number;
  remaining: number;
}

function takeTokens(system: SystemTx, requests: TokenRequest[]): Promise<TokenGrant[]> {
  return many<TokenGrant>(system, {
    name: 'limits.take',
    text: 'select subject, granted, remaining from take_tokens($1, $2, $3, $4, $5, $6)',
    values: [
      requests.map(({ bucket }) => bucket.subject),
      requests.map(({ bucket }) => bucket.refillPerSecond),
      requests.map(({ bucket }) => bucket.capacity),
      requests.map(({ callers }) => callers.length),
      requests.map(({ most }) => most),
      requests.map(({ returned }) => returned),
    ],
  });
}
