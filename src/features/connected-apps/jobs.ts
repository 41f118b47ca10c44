import { Type } from 'typebox';
import type { Kit } from '../../kit.ts';
import { defineJob, type JobWork } from '../../platform/work/jobs.ts';
import { purgeExpiredApps } from './upkeep.ts';

const PurgeApps = defineJob({
  name: 'connected-apps.purge',
  data: Type.Object({}),
  retries: 0,
  retryDelaySeconds: 1,
  cron: '47 3 * * *',
});

export function purgeAppsJob(kit: Kit): JobWork<typeof PurgeApps.data> {
  return { job: PurgeApps, handle: () => purgeExpiredApps(kit) };
}
