/** Statements about the browsers of a user to which notifications are pushed. */
import { exec, maybeOne, one } from '../../../platform/store/db.ts';
import type { Page, Window } from '../../../platform/store/paging.ts';
import { listPage } from '../../../platform/store/plain-list.ts';
import type { TenantRead, TenantTx } from '../../../platform/store/tenant.ts';
import type { PushSubscription } from './schemas.ts';

const COLUMNS = `_id, company_id as company, user_id as "user", browser, last_used_at, created_at as "createdAt", updated_at as "updatedAt"`;

/** The condition for browsers to which pushes still go: their user is active, and has not set a new password since. */
export const LIVING = `exists (select from users u where u.company_id = s.company_id and u._id = s.user_id and u.status = 'ACTIVE'
  and u.session_version = s.session_version)`;

export function listSubscriptions(tx: TenantRead, user: string, window: Window): Promise<Page<PushSubscription>> {
  return listPage(tx, window, {
    name: 'notifications',
    variant: '.browsers',
    columns: COLUMNS,
    from: 'push_subscriptions s',
    filter: `company_id = $1 and user_id = $2 and ${LIVING}`,
    values: [tx.companyId, user],
  });
}

export interface GivenSubscription {
  _id: string;
  endpoint: string;
  p256dh: string;
  auth: string;
  browser: string;
  sessionHash: Buffer | null;
}

/** Stores the subscription, or replaces the one of the user with the same endpoint. */
export function storeSubscription(tx: TenantTx, user: string, given: GivenSubscription): Promise<PushSubscription> {
  return one(tx, {
    name: 'notifications.storeSubscription',
    text: `insert into push_subscriptions (company_id, _id, user_id, session_version, session_hash, endpoint, p256dh, auth, browser)
      select $1, $3, _id, session_version, $4, $5, $6, $7, $8 from users where company_id = $1 and _id = $2
      on conflict (company_id, user_id, endpoint) do update set session_version = excluded.session_version,
        session_hash = excluded.session_hash, p256dh = excluded.p256dh, auth = excluded.auth, browser = excluded.browser, updated_at = now()
      returning ${COLUMNS}`,
    values: [tx.companyId, user, given._id, given.sessionHash, given.endpoint, given.p256dh, given.auth, given.browser],
  });
}

/** Removes all but the newest of the user. */
export function trimSubscriptions(tx: TenantTx, user: string, kept: number): Promise<number> {
  return exec(tx, {
    name: 'notifications.trimSubscriptions',
    text: `delete from push_subscriptions where company_id = $1 and _id = any(array(
        select _id from push_subscriptions where company_id = $1 and user_id = $2 order by updated_at desc, _id desc offset $3))`,
    values: [tx.companyId, user, kept],
  });
}

export function deleteSubscription(tx: TenantTx, user: string, id: string): Promise<PushSubscription | null> {
  return maybeOne(tx, {
    name: 'notifications.deleteSubscription',
    text: `delete from push_subscriptions s where company_id = $1 and user_id = $2 and _id = $3 and ${LIVING} returning ${COLUMNS}`,
    values: [tx.companyId, user, id],
  });
}
