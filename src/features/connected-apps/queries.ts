import type { StoredApp } from '../../platform/http/auth.ts';
import { exec, maybeOne, one, oneValue } from '../../platform/store/db.ts';
import type { Page, Window } from '../../platform/store/paging.ts';
import { listPage } from '../../platform/store/plain-list.ts';
import { findUnknown } from '../../platform/store/unknown-references.ts';
import type { SystemTx, TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { AppAccess } from '../../platform/values/scopes.ts';
import { APP_LACKS_FACTOR } from '../users/second-factor-sql.ts';
import type { ConnectedApp } from './schemas.ts';

const COLUMNS = `_id, company_id as company, user_id as "user", client_id, name, access, expires_at, last_used_at,
  substring(redirect_uri from '^https?://([^/?#]+)') as host, created_at as "createdAt", updated_at as "updatedAt"`;

/** The condition for apps that still work: their user is active, and has not set a new password since. */
const LIVING = `expires_at > now() and exists (select 1 from users u where u.company_id = connected_apps.company_id
  and u._id = user_id and u.status = 'ACTIVE' and u.session_version = connected_apps.session_version)`;
/** `$2` is the only user whose apps are meant; null for those of all users. */
const VISIBLE = `company_id = $1 and ($2::text is null or user_id = $2) and ${LIVING}`;

export interface NewApp extends Pick<ConnectedApp, '_id' | 'user' | 'client_id' | 'name' | 'access'> {
  redirectUri: string;
  challenge: string;
  codeSeconds: number;
}

/** Stores the consent of a user; null when the user may no longer act. */
export function insertApp(tx: TenantTx, app: NewApp): Promise<ConnectedApp | null> {
  return maybeOne(tx, {
    name: 'connected-apps.insert',
    text: `insert into connected_apps (company_id, _id, user_id, session_version, client_id, name, access, redirect_uri, challenge, expires_at)
      select company_id, $2, _id, session_version, $4, $5, $6, $7, $8, now() + make_interval(secs => $9)
      from users where company_id = $1 and _id = $3 and status = 'ACTIVE' returning ${COLUMNS}`,
    values: [
      tx.companyId,
      app._id,
      app.user,
      app.client_id,
      app.name,
      app.access,
      app.redirectUri,
      app.challenge,
      app.codeSeconds,
    ],
  });
}

export function countApps(tx: TenantTx, user: string): Promise<number> {
  return oneValue(tx, {
    name: 'connected-apps.countOfUser',
    text: `select count(*)::int as count from connected_apps where ${VISIBLE}`,
    values: [tx.companyId, user],
  });
}

export function findApp(tx: TenantRead, user: string | null, id: string): Promise<ConnectedApp | null> {
  return maybeOne(tx, {
    name: 'connected-apps.find',
    text: `select ${COLUMNS} from connected_apps where ${VISIBLE} and _id = $3`,
    values: [tx.companyId, user, id],
  });
}

export interface AppFilter {
  /** The only user whose apps the caller may see; null for those of all users. */
  visible: string | null;
  /** The user whose apps are asked for. */
  user: string | null;
}

export function listApps(tx: TenantRead, { visible, user }: AppFilter, window: Window): Promise<Page<ConnectedApp>> {
  return listPage(tx, window, {
    name: 'connected-apps',
    columns: COLUMNS,
    from: 'connected_apps',
    filter: `${VISIBLE} and ($3::text is null or user_id = $3)`,
    values: [tx.companyId, visible, user],
  });
}

export function findUnknownFilters(tx: TenantRead, user: string | null): Promise<string[]> {
  return findUnknown(tx, { name: 'connected-apps.findUnknownFilters', tables: { user: 'users' }, asked: { user } });
}

/** Removes an app and returns it. Its tokens are refused from then on. */
export function deleteApp(tx: TenantTx, user: string | null, id: string): Promise<ConnectedApp | null> {
  return maybeOne(tx, {
    name: 'connected-apps.delete',
    text: `delete from connected_apps where ${VISIBLE} and _id = $3 returning ${COLUMNS}`,
    values: [tx.companyId, user, id],
  });
}

/** Finds the app of an access token, with its user, unless the connection has ended. */
export function findLivingApp(tx: SystemTx, company: string, id: string): Promise<StoredApp | null> {
  return maybeOne(tx, {
    name: 'connected-apps.findLiving',
    text: `select u._id, u.company_id as company, u.name, u.role, u.session_version, visible_inboxes(u) as inboxes, a._id as app, a.access,
        ${APP_LACKS_FACTOR}
      from connected_apps a
      join users u on u.company_id = a.company_id and u._id = a.user_id and u.session_version = a.session_version
      join companies c on c._id = u.company_id and c.status = 'ACTIVE'
      where a.company_id = $1 and a._id = $2 and a.expires_at > now() and u.status = 'ACTIVE'`,
    values: [company, id],
  });
}

/** Stores the last use of an app, at most once a minute. */
export function storeAppUse(tx: SystemTx, { company, app }: Pick<StoredApp, 'company' | 'app'>): Promise<number> {
  return exec(tx, {
    name: 'connected-apps.touch',
    text: `update connected_apps set last_used_at = now() where company_id = $1 and _id = $2
      and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
    values: [company, app],
  });
}

/** An app as the token endpoint sees it. */
export interface Grant {
  _id: string;
  company: string;
  user: string;
  userName: string;
  client_id: string;
  access: AppAccess;
  redirect_uri: string;
  challenge: string;
  refresh_hash: Buffer | null;
}

/** Locks the app of a code or refresh token, unless the connection has ended. */
export function lockGrant(tx: SystemTx, company: string, id: string): Promise<Grant | null> {
  return maybeOne(tx, {
    name: 'connected-apps.lockGrant',
    text: `select a._id, a.company_id as company, a.user_id as "user", u.name as "userName", a.client_id, a.access, a.redirect_uri,
        a.challenge, a.refresh_hash
      from connected_apps a
      join users u on u.company_id = a.company_id and u._id = a.user_id and u.session_version = a.session_version
      join companies c on c._id = u.company_id and c.status = 'ACTIVE'
      where a.company_id = $1 and a._id = $2 and a.expires_at > now() and u.status = 'ACTIVE' for update of a`,
    values: [company, id],
  });
}

/** Makes this the only refresh token that counts. */
export function storeRefresh(
  tx: SystemTx,
  { company, _id }: Pick<Grant, 'company' | '_id'>,
  refreshHash: Buffer,
  seconds: number,
): Promise<{ expires_at: string }> {
  return one(tx, {
    name: 'connected-apps.storeRefresh',
    text: `update connected_apps set refresh_hash = $3, expires_at = now() + make_interval(secs => $4)
      where company_id = $1 and _id = $2 returning expires_at`,
    values: [company, _id, refreshHash, seconds],
  });
}

export function deleteGrant(tx: SystemTx, { company, _id }: Pick<Grant, 'company' | '_id'>): Promise<number> {
  return exec(tx, {
    name: 'connected-apps.deleteGrant',
    text: 'delete from connected_apps where company_id = $1 and _id = $2',
    values: [company, _id],
  });
}

export function purgeApps(tx: SystemTx): Promise<number> {
  return exec(tx, {
    name: 'connected-apps.purge',
    text: 'delete from connected_apps where expires_at < now()',
    values: [],
  });
}
