/**
 * Sessions of browsers: a random token in a cookie, whose hash is stored. A session ends when it is unused for too long, and after a week
 * at the latest.
 */
import { randomBytes } from 'node:crypto';
import { hashToken } from '../../platform/http/auth.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import type { Account, UserOfReset } from './account-queries.ts';
import { deleteSession, extendSession, insertSession } from './session-queries.ts';
import { declareLimit } from '../../platform/values/limits.ts';

export { findSession } from './session-queries.ts';

const TOKEN_BYTES = 32;
const LIFE = {
  restSeconds: declareLimit(12 * 3_600, {
    topic: 'Accounts',
    what: 'Browser session without a request',
    unit: 'seconds',
    beyond: 'log in again',
  }),
  longestSeconds: declareLimit(7 * 86_400, {
    topic: 'Accounts',
    what: 'Browser session',
    unit: 'seconds',
    beyond: 'log in again',
  }),
};
/** The longest time for which a browser keeps the cookie. */
export const LONGEST_SESSION_SECONDS = LIFE.longestSeconds;

/** Stores a new session of the user. `token` is for the cookie and is nowhere else. */
export async function openSession(
  tx: SystemTx,
  account: Account,
  { bySingleSignOn = false } = {},
): Promise<{ token: string; expires_at: string }> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const { restSeconds } = LIFE;
  const { expires_at } = await insertSession(tx, account, { tokenHash: hashToken(token), restSeconds, bySingleSignOn });
  return { token, expires_at };
}

/** Prolongs a session that is in use. */
export function renewSession(tx: SystemTx, tokenHash: Buffer): Promise<number> {
  return extendSession(tx, tokenHash, LIFE);
}

/** Ends a session and returns its user; null when there is none with this token. */
export function endSession(tx: SystemTx, token: string): Promise<UserOfReset | null> {
  return deleteSession(tx, hashToken(token));
}
