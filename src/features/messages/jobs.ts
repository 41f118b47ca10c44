import { Type } from 'typebox';
import type { Kit } from '../../kit.ts';
import { defineJob, type JobWork } from '../../platform/work/jobs.ts';
import { makePartitions } from '../../platform/store/partitions.ts';
import { findUndividedMessages } from './parts-upkeep.ts';

const FindUndivided = defineJob({
  name: 'messages.find-undivided',
  data: Type.Object({}),
  retries: 0,
  retryDelaySeconds: 1,
  cron: '27 * * * *',
});

const MakePartitions = defineJob({
  name: 'messages.make-partitions',
  data: Type.Object({}),
  retries: 0,
  retryDelaySeconds: 1,
  cron: '17 3 * * *',
});

// A few dozen partitions in ten years: a statement that knows no id looks into each of them.
const MESSAGES = { name: 'messages', days: 90 };

export const makePartitionsJob = (kit: Kit): JobWork<typeof MakePartitions.data> => ({
  job: MakePartitions,
  handle: async () => void (await makePartitions(kit.database.system('upkeep'), MESSAGES)),
});

export const findUndividedJob = (kit: Kit): JobWork<typeof FindUndivided.data> => ({
  job: FindUndivided,
  handle: () => findUndividedMessages(kit),
});
