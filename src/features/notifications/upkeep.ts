/** Deletes old notifications, those of users who have too many, and browsers that have not been used for long. */
import type { Kit } from '../../kit.ts';
import { workInPortions } from '../../platform/store/portions.ts';
import { purgeByPages } from '../../platform/store/retention.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import { deleteOldSubscriptions } from './push/queue-queries.ts';
import { deleteOld, deleteSurplus, listCrowded } from './upkeep-queries.ts';

const KEPT_DAYS = declareLimit(90, { topic: 'Accounts', what: 'Notification: age', unit: 'days', beyond: 'deleted' });
const MOST_KEPT = declareLimit(1_000, {
  topic: 'Accounts',
  what: 'Notifications per user',
  beyond: 'the oldest are deleted daily',
});
const SUBSCRIBED_DAYS = declareLimit(30, {
  topic: 'Accounts',
  what: 'Push to a browser in which the console is not opened',
  unit: 'days',
  beyond: 'nothing is pushed to it',
});
const PORTION = 1_000;

export async function purgeNotifications(kit: Pick<Kit, 'database'>): Promise<void> {
  const system = kit.database.system('upkeep');
  await purgeByPages(system, 'notifications', (range) => deleteOld(system, KEPT_DAYS, range));
  for (const crowded of await listCrowded(system, MOST_KEPT))
    await workInPortions(() => deleteSurplus(system, crowded, { kept: MOST_KEPT, portion: PORTION }));
  await purgeByPages(system, 'push_subscriptions', (range) => deleteOldSubscriptions(system, SUBSCRIBED_DAYS, range));
}
