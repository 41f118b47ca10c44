import { Type } from 'typebox';
import type { Kit } from '../../kit.ts';
import { defineJob, type JobWork } from '../../platform/work/jobs.ts';
import { purgeRequestData } from './audit.ts';

const PurgeRequestData = defineJob({
  name: 'audit.purge-trails',
  data: Type.Object({}),
  retries: 0,
  retryDelaySeconds: 1,
  cron: '23 3 * * *',
});

export function purgeRequestDataJob(kit: Kit): JobWork<typeof PurgeRequestData.data> {
  return { job: PurgeRequestData, handle: () => purgeRequestData(kit) };
}
