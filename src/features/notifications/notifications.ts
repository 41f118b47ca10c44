/** What users are notified of, and what they choose to be notified of. The database writes notifications with the change that they report. */
import { pageWindow, type Page } from '../../platform/store/paging.ts';
import { invalid, unknownReference } from '../../platform/values/errors.ts';
import type { Tenant, TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import { expectUser } from '../users/expect-user.ts';
import {
  countUnread,
  findNotifications,
  findOwn,
  listNotifications,
  markAsRead,
  noteActive,
  readChoices,
  storeChoices,
} from './queries.ts';
import {
  NOTIFICATION_KINDS,
  type Notification,
  type NotificationCounts,
  type NotificationQuery,
  type NotificationSettings,
  type NotificationSettingsChange,
  type NotificationsRead,
} from './schemas.ts';

const ONLY_USERS = 'Only users are notified';

export async function pageNotifications(tenant: Tenant, query: NotificationQuery): Promise<Page<Notification>> {
  const user = expectUser(tenant, ONLY_USERS);
  const { unread = null, kind = null } = query;
  return listNotifications(tenant.read, { user, unread, kind }, pageWindow('notifications', query));
}

/** Reads notifications by their ids, for callers that follow their changes. Those that do not exist are left out. */
export const readNotifications = (read: TenantRead, ids: string[]): Promise<Notification[]> =>
  findNotifications(read, ids);

export async function countNotifications(tenant: Tenant): Promise<NotificationCounts> {
  return readCounts(tenant.read, expectUser(tenant, ONLY_USERS));
}

/** Notes that the calling user is in the console, so that they are not mailed what they can see. */
export function noteUserActive(tenant: Tenant): Promise<NotificationCounts> {
  const user = expectUser(tenant, ONLY_USERS);
  return tenant.tx(async (tx) => {
    await noteActive(tx, user);
    return readCounts(tx, user);
  });
}

async function readCounts(read: TenantRead, user: string): Promise<NotificationCounts> {
  const counted = new Map((await countUnread(read, user)).map(({ kind, count }) => [kind, count]));
  const counts = NOTIFICATION_KINDS.map((kind) => [kind, counted.get(kind) ?? 0] as const);
  const unread = counts.reduce((sum, [, count]) => sum + count, 0);
  return { unread, by_kind: Object.fromEntries(counts) as NotificationCounts['by_kind'] };
}

export function markNotificationsAsRead(
  tenant: Tenant,
  { ids, until }: NotificationsRead,
): Promise<NotificationCounts> {
  const user = expectUser(tenant, ONLY_USERS);
  return tenant.tx(async (tx) => {
    if ((ids === undefined) === (until === undefined)) throw invalid('ids', 'is required, or until, but not both');
    if (ids) await expectOwn(tx, user, ids);
    await markAsRead(tx, user, { ids: ids ?? null, until: until ?? null });
    return readCounts(tx, user);
  });
}

async function expectOwn(tx: TenantTx, user: string, ids: string[]): Promise<void> {
  const own = new Set(await findOwn(tx, user, ids));
  const unknown = ids.findIndex((id) => !own.has(id));
  if (unknown >= 0) throw unknownReference(`ids[${unknown}]`);
}

async function readSettings(read: TenantRead, user: string): Promise<NotificationSettings> {
  const choices = await readChoices(read, user);
  return Object.fromEntries(choices.map(({ kind, ...choice }) => [kind, choice])) as NotificationSettings;
}

export async function readNotificationSettings(tenant: Tenant): Promise<NotificationSettings> {
  return readSettings(tenant.read, expectUser(tenant, ONLY_USERS));
}

/** Stores the given kinds; the others stay as they are. */
export function updateNotificationSettings(
  tenant: Tenant,
  change: NotificationSettingsChange,
): Promise<NotificationSettings> {
  const user = expectUser(tenant, ONLY_USERS);
  return tenant.tx(async (tx) => {
    const before = await readSettings(tx, user);
    const given = NOTIFICATION_KINDS.flatMap((kind) =>
      change[kind] ? [{ kind, ...before[kind], ...change[kind] }] : [],
    );
    tx.created(user);
    await storeChoices(tx, user, given);
    return readSettings(tx, user);
  });
}
