/** Queries of browser sessions. The cookie names no company, so they work across companies. */
import type { StoredSession } from '../../platform/http/auth.ts';
import { exec, maybeOne, one } from '../../platform/store/db.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import type { Account, UserOfReset } from './account-queries.ts';
import { LACKS_IN_SESSION } from './second-factor-sql.ts';

/** How long a session may stay unused, and how long it lasts at most. */
export interface SessionLife {
  restSeconds: number;
  longestSeconds: number;
}

export function insertSession(
  tx: SystemTx,
  { company, _id, session_version }: Account,
  { tokenHash, restSeconds, bySingleSignOn }: { tokenHash: Buffer; restSeconds: number; bySingleSignOn: boolean },
): Promise<{ expires_at: string }> {
  return one(tx, {
    name: 'users.insertSession',
    text: `insert into browser_sessions (token_hash, company_id, user_id, session_version, expires_at, single_sign_on)
      values ($1, $2, $3, $4, now() + make_interval(secs => $5), $6) returning expires_at`,
    values: [tokenHash, company, _id, session_version, restSeconds, bySingleSignOn],
  });
}

/** Finds the user of a session that has not ended. A session ends with the user's session version, the user or the company, too. */
export function findSession(tx: SystemTx, tokenHash: Buffer): Promise<StoredSession | null> {
  return maybeOne(tx, {
    name: 'users.findSession',
    text: `select u._id, u.company_id as company, u.name, u.role, u.session_version, visible_inboxes(u) as inboxes, s.expires_at, ${LACKS_IN_SESSION}
      from browser_sessions s
      join users u on u.company_id = s.company_id and u._id = s.user_id and u.session_version = s.session_version
      join companies c on c._id = u.company_id and c.status = 'ACTIVE'
      where s.token_hash = $1 and s.expires_at > now() and u.status = 'ACTIVE'`,
    values: [tokenHash],
  });
}

export function extendSession(
  tx: SystemTx,
  tokenHash: Buffer,
  { restSeconds, longestSeconds }: SessionLife,
): Promise<number> {
  return exec(tx, {
    name: 'users.extendSession',
    text: `update browser_sessions
      set expires_at = least(now() + make_interval(secs => $2), created_at + make_interval(secs => $3))
      where token_hash = $1 and expires_at > now()`,
    values: [tokenHash, restSeconds, longestSeconds],
  });
}

export function deleteSession(tx: SystemTx, tokenHash: Buffer): Promise<UserOfReset | null> {
  return maybeOne(tx, {
    name: 'users.deleteSession',
    text: `delete from browser_sessions s using users u
      where s.token_hash = $1 and s.expires_at > now() and u.company_id = s.company_id and u._id = s.user_id
      returning u._id, u.company_id as company, u.name`,
    values: [tokenHash],
  });
}

export function purgeSessions(tx: SystemTx): Promise<number> {
  return exec(tx, {
    name: 'users.purgeSessions',
    text: 'delete from browser_sessions where expires_at < now()',
    values: [],
  });
}
