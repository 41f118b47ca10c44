import { Type } from 'typebox';
import type { Kit } from '../../kit.ts';
import { defineJob, type JobWork } from '../../platform/work/jobs.ts';
import { purgeScheduled } from './upkeep.ts';

const PurgeScheduled = defineJob({
  name: 'scheduled-messages.purge',
  data: Type.Object({}),
  retries: 0,
  retryDelaySeconds: 1,
  cron: '57 3 * * *',
});

export function purgeScheduledJob(kit: Kit): JobWork<typeof PurgeScheduled.data> {
  return { job: PurgeScheduled, handle: () => purgeScheduled(kit) };
}
