import { Type } from 'typebox';
import type { Kit } from '../../kit.ts';
import { defineJob, type Worked } from '../../platform/jobs.ts';
import { Id } from '../../platform/schema.ts';
import { eraseTable } from './erase.ts';

export const EraseRows = defineJob({
  name: 'tables.erase-rows',
  data: Type.Object({ company: Id, table: Id }),
  // Some three hours: nobody sees these rows any more, but they may be personal data.
  retries: 10,
  retryDelaySeconds: 10,
  // A million rows take minutes; whoever takes over goes on where they end.
  heartbeatSeconds: 30,
});

export function eraseRowsJob(kit: Kit): Worked<typeof EraseRows.data> {
  return { job: EraseRows, handle: ({ company, table }) => eraseTable(kit, company, table) };
}
