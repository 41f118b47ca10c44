import { Type } from 'typebox';
import { defineJob } from '../../platform/jobs.ts';
import { Id } from '../../platform/schema.ts';

/** Removes a deleted business from the records that still name it. The folder `departures` does the work, because it knows all of these. */
export const ReleaseBusiness = defineJob({
  name: 'businesses.release',
  data: Type.Object({ company: Id, business: Id }),
  // Retries for some four hours; until it succeeds, records show a business that can no longer be read.
  retries: 12,
  retryDelaySeconds: 5,
  // Half a million records take minutes. A worker that takes over goes on with the records that are left.
  heartbeatSeconds: 30,
});
