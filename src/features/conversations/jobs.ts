import { Type } from 'typebox';
import type { Kit } from '../../kit.ts';
import { defineJob, type Worked } from '../../platform/jobs.ts';
import { Id } from '../../platform/schema.ts';
import { tellRead } from './read-marks.ts';

export const MarkRead = defineJob({
  name: 'conversations.mark-read',
  data: Type.Object({ company: Id, conversation: Id }),
  // Some five minutes; later nobody looks at a read mark.
  retries: 5,
  retryDelaySeconds: 10,
});

export function markReadJob(kit: Kit): Worked<typeof MarkRead.data> {
  return { job: MarkRead, handle: ({ company, conversation }) => tellRead(kit, company, conversation) };
}
