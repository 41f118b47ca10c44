import { Type } from 'typebox';
import { defineJob } from '../../platform/work/jobs.ts';
import { Id } from '../../platform/values/schema.ts';

/** Removes the words of an erased contact from the log of deliveries. The folder `webhooks` does the work. */
export const RedactContact = defineJob({
  name: 'contacts.redact',
  // The erased contact and the contacts that were merged into it.
  data: Type.Object({ company: Id, contacts: Type.Array(Id) }),
  // The job is retried for some eleven hours, because the words that are left are personal data.
  retries: 12,
  retryDelaySeconds: 10,
});
