/**
 * Implements Idempotency-Key (draft-ietf-httpapi-idempotency-key-header). An attempt is stored before the operation runs, is linked to the
 * record that the operation creates in the same transaction, and is closed at the end of the request. A repeat finds no attempt, a running
 * one, a finished one, or one for another request.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { exec, maybeOne, companyCondition } from '../store/db.ts';
import { AppError } from '../values/errors.ts';
import { newId } from '../values/ids.ts';
import type { SystemTx, TenantTx } from '../store/tenant.ts';
import { declareLimit } from '../values/limits.ts';

// The lease of a key: a running request renews its claim on the key, and when its process is killed, the key is free again after this time.
const LEASE_SECONDS = 15;
const RENEW_MS = 5_000;
const KEPT_HOURS = declareLimit(24, {
  topic: 'Requests',
  what: '`Idempotency-Key`',
  unit: 'hours',
  beyond: 'the key is free again',
});
// How long an answer waits for the attempt to be closed, in case the database has become unreachable.
const CLOSE_MS = 1_000;

/** The owner of an idempotency key. `company` is null for operations on companies and global keys. */
interface KeyOwner {
  company: string | null;
  principal: string;
  key: string;
}

export interface KeyAttempt extends KeyOwner {
  /**
   * The id of this attempt. A request that takes over the key after the lease has another id, so that the first request cannot store
   * anything any more.
   */
  id: string;
}

interface StoredKeyAttempt {
  attempt: string;
  fingerprint: Buffer;
  running: boolean;
  resource: string | null;
  status: number | null;
}

/** The result of openAttempt. `status` is the status of the first answer; null when its process died before the status was stored. */
type OpenedAttempt = { attempt: KeyAttempt } | { repeats: { resource: string; status: number | null } };

/** Returns the hash by which two requests are compared: they are the same when their method, URL and body are equal. */
export function fingerprintRequest(method: string, url: string, body: unknown): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([method, url, sortProperties(body ?? null)]))
    .digest();
}

/** Sorts the properties of all objects, because a client may send them in another order in the repeat. */
function sortProperties(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortProperties);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, inner]) => [name, sortProperties(inner)]));
}

// The number of tries to claim a key: the key may change between the claim and the look-up. More tries than this would be a defect.
const ROUNDS = 5;

/**
 * Claims the key for a new attempt, or finds the result of an earlier one. Throws IDEMPOTENCY_IN_FLIGHT while the first request runs, and
 * IDEMPOTENCY_KEY_REUSED for another request.
 */
async function openAttempt(system: SystemTx, owner: KeyOwner, fingerprint: Buffer): Promise<OpenedAttempt> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const attempt = { ...owner, id: newId() };
    if (await claimKey(system, attempt, fingerprint)) return { attempt };
    const stored = await findAttempt(system, owner);
    // The key was released between the two statements, so the claim is tried again.
    if (!stored) continue;
    if (!stored.fingerprint.equals(fingerprint)) throw new AppError('IDEMPOTENCY_KEY_REUSED');
    if (stored.running) throw makeInFlightError();
    if (stored.resource) return { repeats: { resource: stored.resource, status: stored.status } };
  }
  throw makeInFlightError();
}

function makeInFlightError(): AppError {
  return new AppError('IDEMPOTENCY_IN_FLIGHT', undefined, [], { 'retry-after': '1' });
}

interface RunOnceOptions<R> {
  owner: KeyOwner;
  fingerprint: Buffer;
  /** Runs the operation, whose transaction has to call bindKeyToRecord() with the attempt. Returns the answer and its status. */
  run(attempt: KeyAttempt): Promise<{ answer: R; status: number }>;
  /** Returns the current state of the record that the first request created. */
  again(resource: string, status: number | null): Promise<R>;
}

/** Runs the operation, unless the same request has already created a record. Then that record is returned again. */
export async function runOnce<R>(system: SystemTx, { owner, fingerprint, run, again }: RunOnceOptions<R>): Promise<R> {
  const opened = await openAttempt(system, owner, fingerprint);
  if ('repeats' in opened) return again(opened.repeats.resource, opened.repeats.status);
  const release = keepAttemptAlive(system, opened.attempt);
  let status: number | null = null;
  try {
    const ran = await run(opened.attempt);
    status = ran.status;
    return ran.answer;
  } finally {
    release();
    // Failure policy: an attempt that cannot be closed now expires by itself, and the answer is sent anyway.
    await Promise.race([closeAttempt(system, opened.attempt, status).catch(() => undefined), sleep(CLOSE_MS)]);
  }
}

/**
 * Links the attempt to the created record, in the same transaction. Throws when another request has taken over the key, so that nothing is
 * stored.
 */
export async function bindKeyToRecord(tx: TenantTx | SystemTx, attempt: KeyAttempt, resource: string): Promise<void> {
  const bound = await exec(tx, {
    name: `idempotency.bind${nameSuffix(attempt)}`,
    text: `update idempotency_keys set resource_id = $5 where ${keyCondition(attempt)} and attempt = $4 and resource_id is null`,
    values: [...keyValues(attempt), attempt.id, resource],
  });
  if (bound === 0) throw makeInFlightError();
}

/** Renews the claim while a long request runs. Returns a function that ends the renewal. */
function keepAttemptAlive(system: SystemTx, attempt: KeyAttempt): () => void {
  const renew = (): void => {
    // Failure policy: a claim that cannot be renewed expires. If another request takes over the key, bindKeyToRecord() throws.
    void renewAttempt(system, attempt).catch(() => undefined);
  };
  const timer = setInterval(renew, RENEW_MS).unref();
  return () => clearInterval(timer);
}

/** Stores the status of an attempt that created a record, and deletes an attempt that created nothing. */
async function closeAttempt(system: SystemTx, attempt: KeyAttempt, status: number | null): Promise<void> {
  const closed = await exec(system, {
    name: `idempotency.close${nameSuffix(attempt)}`,
    text: `update idempotency_keys set running_until = null, status_code = $5
      where ${keyCondition(attempt)} and attempt = $4 and resource_id is not null`,
    values: [...keyValues(attempt), attempt.id, status],
  });
  if (closed > 0) return;
  await exec(system, {
    name: `idempotency.forget${nameSuffix(attempt)}`,
    // The condition on resource_id is repeated, because a transaction whose connection broke may have been committed meanwhile.
    text: `delete from idempotency_keys where ${keyCondition(attempt)} and attempt = $4 and resource_id is null`,
    values: [...keyValues(attempt), attempt.id],
  });
}

/** Deletes up to `most` attempts that are too old for a repeat. Returns how many were deleted. */
export function purgeAttempts(system: SystemTx, most: number): Promise<number> {
  return exec(system, {
    name: 'idempotency.purge',
    text: `with picked as (
        select attempt from idempotency_keys where created_at < now() - make_interval(hours => $1)
          and (running_until is null or running_until < now()) limit $2 for update skip locked
      )
      delete from idempotency_keys k using picked where k.attempt = any(array[picked.attempt])`,
    planEachTime: true,
    values: [KEPT_HOURS, most],
  });
}

const nameSuffix = ({ company }: KeyOwner): string => (company === null ? '.installation' : '');
const keyCondition = ({ company }: KeyOwner): string =>
  `${companyCondition(company)} and principal_id = $2 and key = $3`;
const keyValues = ({ company, principal, key }: KeyOwner): unknown[] => [company, principal, key];

/**
 * Claims the key. Returns true when it was never used, is older than a day, or was left by a process that died before it created anything.
 */
async function claimKey(system: SystemTx, attempt: KeyAttempt, fingerprint: Buffer): Promise<boolean> {
  const claimed = await exec(system, {
    name: 'idempotency.claim',
    text: `insert into idempotency_keys as k (company_id, principal_id, key, attempt, fingerprint, running_until)
      values ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))
      on conflict (company_id, principal_id, key) do update
        set attempt = excluded.attempt, fingerprint = excluded.fingerprint, running_until = excluded.running_until,
          resource_id = null, status_code = null, created_at = now()
        where (k.running_until is null or k.running_until < now())
          and (k.created_at < now() - make_interval(hours => $7) or (k.resource_id is null and k.fingerprint = excluded.fingerprint))`,
    values: [...keyValues(attempt), attempt.id, fingerprint, LEASE_SECONDS, KEPT_HOURS],
  });
  return claimed > 0;
}

function findAttempt(system: SystemTx, owner: KeyOwner): Promise<StoredKeyAttempt | null> {
  return maybeOne(system, {
    name: `idempotency.find${nameSuffix(owner)}`,
    text: `select attempt, fingerprint, coalesce(running_until > now(), false) as running, resource_id as resource, status_code as status
      from idempotency_keys where ${keyCondition(owner)}`,
    values: keyValues(owner),
  });
}

function renewAttempt(system: SystemTx, attempt: KeyAttempt): Promise<number> {
  return exec(system, {
    name: `idempotency.renew${nameSuffix(attempt)}`,
    text: `update idempotency_keys set running_until = now() + make_interval(secs => $5)
      where ${keyCondition(attempt)} and attempt = $4 and running_until is not null`,
    values: [...keyValues(attempt), attempt.id, LEASE_SECONDS],
  });
}
