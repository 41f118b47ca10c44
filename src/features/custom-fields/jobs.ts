import { Type } from 'typebox';
import type { Kit } from '../../kit.ts';
import { defineJob, type JobWork } from '../../platform/work/jobs.ts';
import { Id, oneOf } from '../../platform/values/schema.ts';
import { FIELD_CONTEXTS } from './schemas.ts';
import { stripField } from './strip.ts';

export const StripField = defineJob({
  name: 'custom-fields.strip',
  data: Type.Object({ company: Id, field: Id, context: oneOf(FIELD_CONTEXTS) }),
  // Retries for some three hours: no one sees the values that are left, but they may be personal data.
  retries: 10,
  retryDelaySeconds: 10,
});

export function stripFieldJob(kit: Kit): JobWork<typeof StripField.data> {
  return { job: StripField, handle: ({ company, field, context }) => stripField(kit, company, field, context) };
}
