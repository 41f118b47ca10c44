/** The browsers to which a user has their notifications pushed. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Kit } from '../../../kit.ts';
import { hashToken } from '../../../platform/http/auth.ts';
import { readSessionCookie } from '../../../platform/http/session-cookie.ts';
import { lockLimit } from '../../../platform/store/limit-lock.ts';
import { pageWindow, type Page } from '../../../platform/store/paging.ts';
import type { Tenant } from '../../../platform/store/tenant.ts';
import { expectFound, invalid } from '../../../platform/values/errors.ts';
import { newId } from '../../../platform/values/ids.ts';
import { expectUser } from '../../users/expect-user.ts';
import { nameBrowser } from './browser-name.ts';
import { isCurvePoint, type PushKeys } from './keys.ts';
import { deleteSubscription, listSubscriptions, storeSubscription, trimSubscriptions } from './queries.ts';
import {
  MOST_BROWSERS,
  type PushKey,
  type PushSubscription,
  type PushSubscriptionChange,
  type PushSubscriptionQuery,
} from './schemas.ts';

const ONLY_USERS = 'Only users are notified';

export async function readPushKey(tenant: Tenant, readKeys: () => Promise<PushKeys>): Promise<PushKey> {
  expectUser(tenant, ONLY_USERS);
  return { public_key: (await readKeys()).publicKey };
}

export async function pageSubscriptions(tenant: Tenant, query: PushSubscriptionQuery): Promise<Page<PushSubscription>> {
  const user = expectUser(tenant, ONLY_USERS);
  return listSubscriptions(tenant.read, user, pageWindow('push-subscriptions', query));
}

/** Registers the calling browser. It is bound to its session, so that the push ends with the log-out. */
export async function registerBrowser(
  { outbound }: Pick<Kit, 'outbound'>,
  tenant: Tenant,
  { endpoint, keys }: PushSubscriptionChange,
  headers: IncomingHttpHeaders,
): Promise<PushSubscription> {
  const user = expectUser(tenant, ONLY_USERS);
  if (!isCurvePoint(keys.p256dh)) throw invalid('keys.p256dh', 'is not a public key of the curve P-256');
  const wrong = await outbound.refuse(endpoint);
  if (wrong !== null) throw invalid('endpoint', wrong);
  const token = headers.authorization === undefined ? readSessionCookie(headers) : null;
  return tenant.tx(async (tx) => {
    await lockLimit(tx, `push:${user}`);
    const stored = await storeSubscription(tx, user, {
      _id: newId(),
      endpoint,
      p256dh: keys.p256dh.replaceAll('=', ''),
      auth: keys.auth.replaceAll('=', ''),
      browser: nameBrowser(headers['user-agent'] ?? ''),
      sessionHash: token === null ? null : hashToken(token),
    });
    await trimSubscriptions(tx, user, MOST_BROWSERS);
    return stored;
  });
}

/** Removes one of the calling user's own browsers. */
export async function removeBrowser(tenant: Tenant, id: string): Promise<PushSubscription> {
  const user = expectUser(tenant, ONLY_USERS);
  return tenant.tx(async (tx) => expectFound(await deleteSubscription(tx, user, id)));
}
