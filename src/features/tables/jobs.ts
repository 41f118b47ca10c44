import { Type } from 'typebox';
import type { Kit } from '../../kit.ts';
import { defineJob, type JobWork } from '../../platform/work/jobs.ts';
import { Id } from '../../platform/values/schema.ts';
import { eraseTable } from './erase.ts';

export const EraseRows = defineJob({
  name: 'tables.erase-rows',
  data: Type.Object({ company: Id, table: Id }),
  // The job is retried for some three hours: no answer shows these rows any more, but they may contain personal data.
  retries: 10,
  retryDelaySeconds: 10,
  // A million rows take minutes. A worker that takes over the job continues with the rows that are left.
  heartbeatSeconds: 30,
});

export function eraseRowsJob(kit: Kit): JobWork<typeof EraseRows.data> {
  return { job: EraseRows, handle: ({ company, table }) => eraseTable(kit, company, table) };
}
