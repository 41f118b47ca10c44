import { Type } from 'typebox';
import type { Kit } from '../../kit.ts';
import { defineJob, type JobWork } from '../../platform/work/jobs.ts';
import { purgeRuns } from './upkeep.ts';

const PurgeRuns = defineJob({
  name: 'rules.purge-runs',
  data: Type.Object({}),
  retries: 0,
  retryDelaySeconds: 1,
  cron: '11 4 * * *',
});

export function purgeRuleRunsJob(kit: Kit): JobWork<typeof PurgeRuns.data> {
  return { job: PurgeRuns, handle: () => purgeRuns(kit) };
}
