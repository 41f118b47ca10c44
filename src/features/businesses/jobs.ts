import { Type } from 'typebox';
import { defineJob } from '../../platform/jobs.ts';
import { Id } from '../../platform/schema.ts';

/** Takes a removed business out of the records that still name it; the room of departures does it, which knows all of these. */
export const ReleaseBusiness = defineJob({
  name: 'businesses.release',
  data: Type.Object({ company: Id, business: Id }),
  // Some four hours: until then records show a business that nobody finds.
  retries: 12,
  retryDelaySeconds: 5,
  // Half a million records take minutes; whoever takes over goes on where they end.
  heartbeatSeconds: 30,
});
