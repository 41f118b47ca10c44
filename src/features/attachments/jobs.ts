import { Type } from 'typebox';
import type { Kit } from '../../kit.ts';
import { defineJob, type JobWork } from '../../platform/work/jobs.ts';
import { sweepFiles } from './sweep.ts';

const SweepFiles = defineJob({
  name: 'attachments.sweep-files',
  data: Type.Object({}),
  // A failed sweep is not retried, because the next one follows a day later.
  retries: 0,
  retryDelaySeconds: 1,
  // A bucket of millions of files takes a while to list.
  heartbeatSeconds: 60,
  cron: '37 3 * * *',
});

export function sweepFilesJob(kit: Kit): JobWork<typeof SweepFiles.data> {
  return { job: SweepFiles, handle: () => sweepFiles(kit) };
}
