import { Type } from 'typebox';
import type { Kit } from '../../kit.ts';
import { defineJob, type JobWork } from '../../platform/work/jobs.ts';
import { purgeAwayTexts } from './upkeep.ts';

const PurgeAwayTexts = defineJob({
  name: 'away-texts.purge',
  data: Type.Object({}),
  retries: 0,
  retryDelaySeconds: 1,
  cron: '3 4 * * *',
});

export function purgeAwayTextsJob(kit: Kit): JobWork<typeof PurgeAwayTexts.data> {
  return { job: PurgeAwayTexts, handle: () => purgeAwayTexts(kit) };
}
