import { Type } from 'typebox';
import { defineJob } from '../../../platform/work/jobs.ts';
import { Id } from '../../../platform/values/schema.ts';

/**
 * Says that the network has accepted the credentials of an inbox. The folder `templates` then copies the templates of its account. The job
 * stands in a folder of its own because inboxes/jobs.ts imports the code that enqueues it.
 */
export const InboxConnected = defineJob({
  name: 'inboxes.connected',
  data: Type.Object({ company: Id, inbox: Id }),
  isByCompany: true,
  // The retries last some four hours; the daily check of the inbox enqueues the job again.
  retries: 12,
  retryDelaySeconds: 5,
});
