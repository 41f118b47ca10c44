import { Type } from 'typebox';
import type { Kit } from '../../kit.ts';
import { defineJob, type JobWork } from '../../platform/work/jobs.ts';
import { purgeNotifications } from './upkeep.ts';

const PurgeNotifications = defineJob({
  name: 'notifications.purge',
  data: Type.Object({}),
  retries: 0,
  retryDelaySeconds: 1,
  cron: '53 3 * * *',
});

export function purgeNotificationsJob(kit: Kit): JobWork<typeof PurgeNotifications.data> {
  return { job: PurgeNotifications, handle: () => purgeNotifications(kit) };
}
