import { Type } from 'typebox';
import type { Kit } from '../../kit.ts';
import { defineJob, type JobWork } from '../../platform/work/jobs.ts';
import { findUndividedMessages } from './parts-upkeep.ts';

const FindUndivided = defineJob({
  name: 'messages.find-undivided',
  data: Type.Object({}),
  retries: 0,
  retryDelaySeconds: 1,
  cron: '27 * * * *',
});

export const findUndividedJob = (kit: Kit): JobWork<typeof FindUndivided.data> => ({
  job: FindUndivided,
  handle: () => findUndividedMessages(kit),
});
