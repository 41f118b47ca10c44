import { Type } from 'typebox';
import type { Kit } from '../../../kit.ts';
import { defineJob, type JobWork } from '../../../platform/work/jobs.ts';
import { KEPT_DAYS } from '../../../platform/work/runs/changes.ts';
import { purgeRuns } from '../../../platform/work/runs/runs.ts';
import { CONTACT_RUNS } from './runs.ts';

const PurgeRuns = defineJob({
  name: 'contacts.purge-runs',
  data: Type.Object({}),
  retries: 0,
  retryDelaySeconds: 1,
  cron: '45 3 * * *',
});

export function purgeContactRunsJob(kit: Kit): JobWork<typeof PurgeRuns.data> {
  return { job: PurgeRuns, handle: () => purgeRuns(kit.database, CONTACT_RUNS, KEPT_DAYS) };
}
