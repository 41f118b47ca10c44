import { Type } from 'typebox';
import { defineJob } from '../../platform/work/jobs.ts';
import { Id } from '../../platform/values/schema.ts';

/**
 * Removes a deleted business from the records that still name it. The folder `departures` does the work, because it may change all of these
 * records.
 */
export const ReleaseBusiness = defineJob({
  name: 'businesses.release',
  data: Type.Object({ company: Id, business: Id }),
  // Retries for some four hours; until it succeeds, records show a business that can no longer be read.
  retries: 12,
  retryDelaySeconds: 5,
  // Half a million records take minutes. A worker that takes over an interrupted job continues with the remaining records.
  heartbeatSeconds: 30,
});
