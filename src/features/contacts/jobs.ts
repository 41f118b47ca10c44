import { Type } from 'typebox';
import { defineJob } from '../../platform/jobs.ts';
import { Id } from '../../platform/schema.ts';

/** Takes the words of an erased contact out of the log of deliveries; the webhooks' room does it. */
export const RedactContact = defineJob({
  name: 'contacts.redact',
  // The contact, and those that were merged into it.
  data: Type.Object({ company: Id, contacts: Type.Array(Id) }),
  // Some eleven hours: what is left over is personal data.
  retries: 12,
  retryDelaySeconds: 10,
});
