import { Type } from 'typebox';
import type { Kit } from '../../../kit.ts';
import { defineJob, type JobWork } from '../../../platform/work/jobs.ts';
import { KEPT_DAYS } from '../../../platform/work/runs/changes.ts';
import { purgeRuns } from '../../../platform/work/runs/runs.ts';
import { CONVERSATION_RUNS } from './runs.ts';

const PurgeRuns = defineJob({
  name: 'conversations.purge-runs',
  data: Type.Object({}),
  retries: 0,
  retryDelaySeconds: 1,
  cron: '43 3 * * *',
});

export function purgeConversationRunsJob(kit: Kit): JobWork<typeof PurgeRuns.data> {
  return { job: PurgeRuns, handle: () => purgeRuns(kit.database, CONVERSATION_RUNS, KEPT_DAYS) };
}
