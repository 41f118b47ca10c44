/**
 * A token that one process revokes is refused by every process: three real processes use one database, and each of them has accepted the
 * token before.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createKey } from '../../../src/features/api-keys/api-keys.ts';
import { createUser } from '../../../src/features/users/users.ts';
import { signToken } from '../../../src/platform/http/tokens.ts';
import { newId } from '../../../src/platform/values/ids.ts';
import type { PlatformProcess } from '../harness/processes.ts';
import { call, withStage, type Stage } from '../harness/stage.ts';

// Requests continue for longer than a process caches a token, so that a token which was refused once must stay refused.
const WATCH_MS = 1_500;

interface Tried {
  process: number;
  /** The time of the request, counted from the answer that revoked the token. */
  askedMs: number;
  status: number;
}

const getStatus = async ({ url }: PlatformProcess, token: string): Promise<number> => {
  const response = await fetch(`${url}/v1/webhooks`, { headers: { authorization: `Bearer ${token}` } });
  await response.arrayBuffer();
  return response.status;
};

/** Sends requests with the token to all processes without a pause. Once all of them have accepted it, the first process revokes it. */
async function requestDuringRevocation(
  processes: PlatformProcess[],
  token: string,
  shutOut: () => Promise<unknown>,
): Promise<Tried[]> {
  let shutAt = Number.POSITIVE_INFINITY;
  const tried: Tried[] = [];
  let known = 0;
  const everybody = Promise.withResolvers<void>();
  const asking = processes.map(async (process, index) => {
    let asked = Number.NEGATIVE_INFINITY;
    let isKnown = false;
    let isRefused = false;
    while (performance.now() < shutAt + WATCH_MS || !isRefused) {
      asked = performance.now();
      const status = await getStatus(process, token);
      // A process that is too busy lets nobody in, and says nothing about the token.
      if (status === 503) continue;
      isRefused = status === 401;
      if (asked > shutAt) tried.push({ process: index, askedMs: asked - shutAt, status });
      else
        assert.ok(status === 200 || (status === 401 && known === processes.length), `${status} before it was shut out`);
      if (!isKnown) known += 1;
      isKnown = true;
      if (known === processes.length) everybody.resolve();
    }
  });
  // The time is set even when the revocation fails, because the requests would otherwise never end.
  const shutting = everybody.promise.then(shutOut).finally(() => void (shutAt = performance.now()));
  await Promise.all([shutting, ...asking]);
  return tried;
}

/** Asserts that each process refuses from some time on, and the first one at once. Returns when the last request was still accepted. */
function assertRefused(what: string, tried: Tried[], processes: number): number {
  for (let process = 0; process < processes; process += 1) {
    const own = tried.filter((one) => one.process === process);
    const first = own.findIndex(({ status }) => status === 401);
    const late = process === 0 ? own : own.slice(first);
    assert.ok(first >= 0 && late.every(({ status }) => status === 401), `${what}: process ${process} let it in again`);
  }
  return Math.max(0, ...tried.filter(({ status }) => status === 200).map(({ askedMs }) => askedMs));
}

async function openCompany({ database, createTenant }: Stage, secret: string) {
  const { _id: company } = await createTenant('Revoking');
  const key = (scopes: string[]) =>
    database.systemTx('upkeep', (tx) => createKey(tx, secret, { company, name: 'proof', scopes }));
  const user = async (): Promise<{ _id: string; token: string }> => {
    const email = `${randomBytes(6).toString('hex')}@example.test`;
    const person = { company, name: 'Olga', email, role: 'ADMIN', password: 'correct horse battery' } as const;
    const { _id } = await database.systemTx('upkeep', (tx) => createUser(tx, person));
    const exp = Math.floor(Date.now() / 1_000) + 3_600;
    const claims = { type: 'user', company, role: 'ADMIN', sv: 0, jti: newId(), exp };
    return { _id, token: await signToken(secret, _id, claims) };
  };
  return { key, user };
}

interface RevocationSize {
  processes: number;
  rounds: number;
}

/** Revokes keys and deactivates users while all processes get requests with their tokens. Returns when the last one was still accepted. */
export async function proveRevocation(size: RevocationSize): Promise<{ keyMs: number; userMs: number }> {
  const slowest = { keyMs: 0, userMs: 0 };
  await withStage({}, async (stage) => {
    const secret = randomBytes(32).toString('hex');
    const start = () => stage.start('api', { JWT_SECRET: secret });
    const processes = await Promise.all(Array.from({ length: size.processes }, start));
    const { url = '' } = processes[0] ?? {};
    const { key, user } = await openCompany(stage, secret);
    const admin = (await key(['*'])).token;
    const measure = async (what: string, token: string, shutOut: () => Promise<unknown>): Promise<number> =>
      Math.round(assertRefused(what, await requestDuringRevocation(processes, token, shutOut), size.processes));
    for (let round = 0; round < size.rounds; round += 1) {
      const { _id, token } = await key(['webhooks:read']);
      const revoke = () => call(200, 'DELETE', `${url}/v1/api-keys/${_id}`, { key: admin });
      slowest.keyMs = Math.max(slowest.keyMs, await measure('a key', token, revoke));
      const person = await user();
      const body = { status: 'INACTIVE' };
      const dismiss = () => call(200, 'PATCH', `${url}/v1/users/${person._id}`, { key: admin, body });
      slowest.userMs = Math.max(slowest.userMs, await measure('a user', person.token, dismiss));
    }
  });
  return slowest;
}
