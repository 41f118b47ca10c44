/** Hashes passwords with Node's Argon2id, in the PHC string format. */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { createShares } from '../work/shares.ts';
import { declareLimit } from '../values/limits.ts';

const argon2id = promisify(argon2);

interface HashCost {
  /** The memory of one hash in KiB. */
  memory: number;
  passes: number;
  parallelism: number;
  tagLength: number;
}

// The minimum that OWASP recommends for Argon2id: 19 MiB, two passes, one lane. It takes some 20 ms of one core.
const COST: HashCost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };
const SALT_BYTES = 16;
// The number of hashes that are computed at once. Each hash takes 19 MiB and a core.
const MOST_AT_ONCE = 4;
// Log-ins that would wait behind more than 200 others are refused. The others wait for a second or two, so no wait reaches a minute.
const MOST_WAITING = declareLimit(200, {
  topic: 'Accounts',
  what: 'Log-ins that wait for a password check, per process',
  beyond: '503',
});
const WAIT_MS = 60_000;

const turns = createShares(MOST_AT_ONCE, WAIT_MS, { all: MOST_AT_ONCE, kept: 0, mostWaiting: MOST_WAITING });

/**
 * Limits how many hashes are computed at once, so that a flood of log-ins cannot use all memory. Throws UNAVAILABLE when too many wait.
 */
export const hashInTurn = <T>(work: () => Promise<T>): Promise<T> => turns.within('log-ins', work);

export function hashPassword(password: string): Promise<string> {
  return hashInTurn(() => hashWithoutWaiting(password));
}

/** Hashes a password without waiting for a slot; for callers inside hashInTurn(). */
export async function hashWithoutWaiting(password: string): Promise<string> {
  const nonce = randomBytes(SALT_BYTES);
  const tag = await argon2id('argon2id', { ...COST, message: password, nonce });
  const text = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${text(nonce)}$${text(tag)}`;
}

/** Returns false for a wrong password and for a stored text that is not a hash. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const parts = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(stored);
  if (!parts) return false;
  const [, memory, passes, parallelism, nonce = '', tag = ''] = parts;
  const expected = Buffer.from(tag, 'base64');
  const cost = {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: expected.length,
  };
  const bytes = Buffer.from(nonce, 'base64');
  const found = await hashInTurn(() =>
    argon2id('argon2id', { ...cost, message: password, nonce: bytes }).catch(ignoreOutOfRange),
  );
  return found !== null && timingSafeEqual(found, expected);
}

/** Failure policy: a stored cost, salt or tag outside of Argon2's limits is a damaged hash, which no password matches. */
function ignoreOutOfRange(error: NodeJS.ErrnoException): null {
  if (error.code === 'ERR_OUT_OF_RANGE') return null;
  throw error;
}

/**
 * A hash that no password matches. It is checked when an account does not exist, so that the answer takes the same time as for an existing
 * account.
 */
export const NOBODYS_HASH = `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`;
