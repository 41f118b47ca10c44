import { Type } from 'typebox';
import type { Kit } from '../../kit.ts';
import { defineJob, type Worked } from '../../platform/jobs.ts';
import { Id, Timestamp } from '../../platform/schema.ts';
import { tellRead } from './read-marks.ts';
import { wakeConversation } from './wake.ts';

export const MarkRead = defineJob({
  name: 'conversations.mark-read',
  data: Type.Object({ company: Id, conversation: Id }),
  // Some five minutes; later nobody looks at a read mark.
  retries: 5,
  retryDelaySeconds: 10,
});

/** Waits until a snooze ends. */
export const Wake = defineJob({
  name: 'conversations.wake',
  data: Type.Object({ company: Id, conversation: Id, until: Timestamp }),
  // Some three hours: nobody else would ever open it again but its contact.
  retries: 12,
  retryDelaySeconds: 3,
});

export function markReadJob(kit: Kit): Worked<typeof MarkRead.data> {
  return { job: MarkRead, handle: ({ company, conversation }) => tellRead(kit, company, conversation) };
}

export function wakeJob(kit: Kit): Worked<typeof Wake.data> {
  return { job: Wake, handle: (asked) => wakeConversation(kit, asked) };
}
