import { Type } from 'typebox';
import type { Kit } from '../../kit.ts';
import { defineJob, type Worked } from '../../platform/jobs.ts';
import { purgeTrails } from './audit.ts';

const PurgeTrails = defineJob({
  name: 'audit.purge-trails',
  data: Type.Object({}),
  retries: 0,
  retryDelaySeconds: 1,
  cron: '23 3 * * *',
});

export function purgeTrailsJob(kit: Kit): Worked<typeof PurgeTrails.data> {
  return { job: PurgeTrails, handle: () => purgeTrails(kit) };
}
