import { Type } from 'typebox';
import type { Kit } from '../../../kit.ts';
import { declareLimit } from '../../../platform/values/limits.ts';
import { defineJob, type JobWork } from '../../../platform/work/jobs.ts';
import { purgeRuns } from '../../../platform/work/runs/runs.ts';
import { CONVERSATION_RUNS } from './runs.ts';

// How long a run can be read after its end.
const KEPT_DAYS = declareLimit(30, {
  topic: 'Messages',
  what: 'Bulk change: age of the result',
  unit: 'days',
  beyond: 'deleted',
});

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
