import { Type } from 'typebox';
import type { Kit } from '../../kit.ts';
import { defineJob, type JobWork } from '../../platform/work/jobs.ts';
import { purgeChanges } from './upkeep.ts';

const PurgeChanges = defineJob({
  name: 'live.purge-changes',
  data: Type.Object({}),
  retries: 0,
  retryDelaySeconds: 1,
  cron: '*/15 * * * *',
});

export function purgeChangesJob(kit: Kit): JobWork<typeof PurgeChanges.data> {
  return { job: PurgeChanges, handle: () => purgeChanges(kit) };
}
