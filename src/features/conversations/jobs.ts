import { Type } from 'typebox';
import type { Kit } from '../../kit.ts';
import { defineJob, type JobWork } from '../../platform/work/jobs.ts';
import { Id, Timestamp } from '../../platform/values/schema.ts';
import { sendReadMark } from './read-marks.ts';
import { wakeConversation } from './wake.ts';

export const MarkRead = defineJob({
  name: 'conversations.mark-read',
  data: Type.Object({ company: Id, conversation: Id }),
  isByCompany: true,
  // The job is retried for some five minutes; no one needs a read mark later.
  retries: 5,
  retryDelaySeconds: 10,
  waitsSeconds: 600,
  // An inbox that marks all that arrives leaves a record for each mark.
  keptSeconds: 3_600,
});

/** Ends a snooze at its time. */
export const Wake = defineJob({
  name: 'conversations.wake',
  data: Type.Object({ company: Id, conversation: Id, until: Timestamp }),
  // The job is retried for some three hours, because otherwise only a message of the contact would open the conversation.
  retries: 12,
  retryDelaySeconds: 3,
});

export function markReadJob(kit: Kit): JobWork<typeof MarkRead.data> {
  return { job: MarkRead, handle: ({ company, conversation }) => sendReadMark(kit, company, conversation) };
}

export function wakeJob(kit: Kit): JobWork<typeof Wake.data> {
  return { job: Wake, handle: (asked) => wakeConversation(kit, asked) };
}
