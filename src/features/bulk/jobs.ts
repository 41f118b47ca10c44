import { Type } from 'typebox';
import type { Kit } from '../../kit.ts';
import { defineJob, type JobWork } from '../../platform/work/jobs.ts';
import { purgeBulk } from './upkeep.ts';

const PurgeBulk = defineJob({
  name: 'bulk.purge',
  data: Type.Object({}),
  retries: 0,
  retryDelaySeconds: 1,
  cron: '13 * * * *',
});

export function purgeBulkJob(kit: Kit): JobWork<typeof PurgeBulk.data> {
  return { job: PurgeBulk, handle: () => purgeBulk(kit) };
}
