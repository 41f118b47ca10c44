/**
 * Idempotency-Key: an attempt is noted before the operation runs, bound to what it made in the transaction that stores it,
 * and closed when the request has ended. Whoever repeats meets one of four: nothing yet, still running, done, another body.
 * draft-ietf-httpapi-idempotency-key-header.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { exec, maybeOne, ofCompany } from './db.ts';
import { AppError } from './errors.ts';
import { newId } from './ids.ts';
import type { SystemTx, TenantTx } from './tenant.ts';

// A running request renews its claim; one whose process was killed is free again this soon.
const LEASE_SECONDS = 15;
const RENEW_MS = 5_000;
const KEPT_HOURS = 24;
// An answer waits no longer for a database that has gone meanwhile.
const CLOSE_MS = 1_000;

/** Whose key it is. `company` is null for operations on companies and global keys. */
interface KeyOwner {
  company: string | null;
  principal: string;
  key: string;
}

export interface Attempt extends KeyOwner {
  /** A fence: whoever took the key over meanwhile has another one. */
  id: string;
}

interface StoredAttempt {
  attempt: string;
  fingerprint: Buffer;
  running: boolean;
  resource: string | null;
  status: number | null;
}

/** `status`: of the first answer; null when its process did not live to note it. */
type Opened = { attempt: Attempt } | { repeats: { resource: string; status: number | null } };

/** What makes two requests the same: method, address and body. */
export function fingerprintRequest(method: string, url: string, body: unknown): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([method, url, ordered(body ?? null)]))
    .digest();
}

/** The same JSON, with the properties of each object in one order: clients do not promise theirs. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, inner]) => [name, ordered(inner)]));
}

// Two who find the key free at the same moment meet again here; more rounds than this would be a defect.
const ROUNDS = 5;

/** Throws IDEMPOTENCY_IN_FLIGHT while the first one runs, IDEMPOTENCY_KEY_REUSED for another request. */
async function openAttempt(system: SystemTx, owner: KeyOwner, fingerprint: Buffer): Promise<Opened> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const attempt = { ...owner, id: newId() };
    if (await claimKey(system, attempt, fingerprint)) return { attempt };
    const stored = await findAttempt(system, owner);
    // Given back in between: try again.
    if (!stored) continue;
    if (!stored.fingerprint.equals(fingerprint)) throw new AppError('IDEMPOTENCY_KEY_REUSED');
    if (stored.running) throw inFlight();
    if (stored.resource) return { repeats: { resource: stored.resource, status: stored.status } };
  }
  throw inFlight();
}

function inFlight(): AppError {
  return new AppError('IDEMPOTENCY_IN_FLIGHT', undefined, [], { 'retry-after': '1' });
}

interface Once<R> {
  owner: KeyOwner;
  fingerprint: Buffer;
  /** Runs the operation; its transaction calls bindEffect() with the attempt. Gives the answer and its status. */
  run(attempt: Attempt): Promise<{ answer: R; status: number }>;
  /** The answer of today for what the first request made. */
  again(resource: string, status: number | null): Promise<R>;
}

/** Runs it, unless the same request has already made something: then that is answered again. */
export async function runOnce<R>(system: SystemTx, { owner, fingerprint, run, again }: Once<R>): Promise<R> {
  const opened = await openAttempt(system, owner, fingerprint);
  if ('repeats' in opened) return again(opened.repeats.resource, opened.repeats.status);
  const release = keepAttempt(system, opened.attempt);
  let status: number | null = null;
  try {
    const ran = await run(opened.attempt);
    status = ran.status;
    return ran.answer;
  } finally {
    release();
    // Failure policy: what can not be closed now runs out by itself; the answer must not suffer from it.
    await Promise.race([closeAttempt(system, opened.attempt, status).catch(() => undefined), sleep(CLOSE_MS)]);
  }
}

/** Part of the transaction that stores the effect. Throws when another request has taken the key over: nothing is stored then. */
export async function bindEffect(tx: TenantTx | SystemTx, attempt: Attempt, resource: string): Promise<void> {
  const bound = await exec(tx, {
    name: `idempotency.bind${nameSuffix(attempt)}`,
    text: `update idempotency_keys set resource_id = $5 where ${whoseKey(attempt)} and attempt = $4 and resource_id is null`,
    values: [...ownerValues(attempt), attempt.id, resource],
  });
  if (bound === 0) throw inFlight();
}

/** Keeps the claim of a request that lasts long. Returns the way to stop. */
function keepAttempt(system: SystemTx, attempt: Attempt): () => void {
  const renew = (): void => {
    // Failure policy: a claim that can not be renewed runs out, and its effect then finds the fence.
    void renewAttempt(system, attempt).catch(() => undefined);
  };
  const timer = setInterval(renew, RENEW_MS).unref();
  return () => clearInterval(timer);
}

/** An attempt that made something is kept with its answer's status; one that made nothing is forgotten. */
async function closeAttempt(system: SystemTx, attempt: Attempt, status: number | null): Promise<void> {
  const closed = await exec(system, {
    name: `idempotency.close${nameSuffix(attempt)}`,
    text: `update idempotency_keys set running_until = null, status_code = $5
      where ${whoseKey(attempt)} and attempt = $4 and resource_id is not null`,
    values: [...ownerValues(attempt), attempt.id, status],
  });
  if (closed > 0) return;
  await exec(system, {
    name: `idempotency.forget${nameSuffix(attempt)}`,
    // Whether it made something is asked again: what a broken connection left behind may be committed only now.
    text: `delete from idempotency_keys where ${whoseKey(attempt)} and attempt = $4 and resource_id is null`,
    values: [...ownerValues(attempt), attempt.id],
  });
}

/** Of those that are older than a repeat can be, at most so many. Returns how many. */
export function purgeAttempts(system: SystemTx, most: number): Promise<number> {
  return exec(system, {
    name: 'idempotency.purge',
    text: `delete from idempotency_keys where ctid = any(array(
        select ctid from idempotency_keys where created_at < now() - make_interval(hours => $1)
          and (running_until is null or running_until < now()) limit $2))`,
    values: [KEPT_HOURS, most],
  });
}

const nameSuffix = ({ company }: KeyOwner): string => (company === null ? '.installation' : '');
const whoseKey = ({ company }: KeyOwner): string => `${ofCompany(company)} and principal_id = $2 and key = $3`;
const ownerValues = ({ company, principal, key }: KeyOwner): unknown[] => [company, principal, key];

/** True when the key was free: never used, older than a day, or left behind by a process that made nothing with it. */
async function claimKey(system: SystemTx, attempt: Attempt, fingerprint: Buffer): Promise<boolean> {
  const claimed = await exec(system, {
    name: 'idempotency.claim',
    text: `insert into idempotency_keys as k (company_id, principal_id, key, attempt, fingerprint, running_until)
      values ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))
      on conflict (company_id, principal_id, key) do update
        set attempt = excluded.attempt, fingerprint = excluded.fingerprint, running_until = excluded.running_until,
          resource_id = null, status_code = null, created_at = now()
        where (k.running_until is null or k.running_until < now())
          and (k.created_at < now() - make_interval(hours => $7) or (k.resource_id is null and k.fingerprint = excluded.fingerprint))`,
    values: [...ownerValues(attempt), attempt.id, fingerprint, LEASE_SECONDS, KEPT_HOURS],
  });
  return claimed > 0;
}

function findAttempt(system: SystemTx, owner: KeyOwner): Promise<StoredAttempt | null> {
  return maybeOne(system, {
    name: `idempotency.find${nameSuffix(owner)}`,
    text: `select attempt, fingerprint, coalesce(running_until > now(), false) as running, resource_id as resource, status_code as status
      from idempotency_keys where ${whoseKey(owner)}`,
    values: ownerValues(owner),
  });
}

function renewAttempt(system: SystemTx, attempt: Attempt): Promise<number> {
  return exec(system, {
    name: `idempotency.renew${nameSuffix(attempt)}`,
    text: `update idempotency_keys set running_until = now() + make_interval(secs => $5)
      where ${whoseKey(attempt)} and attempt = $4 and running_until is not null`,
    values: [...ownerValues(attempt), attempt.id, LEASE_SECONDS],
  });
}
