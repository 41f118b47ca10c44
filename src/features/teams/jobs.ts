import { Type } from 'typebox';
import { defineJob } from '../../platform/work/jobs.ts';
import { Id } from '../../platform/values/schema.ts';

/** Removes a deleted team from the records that still name it. The folder `departures` does the work. */
export const ReleaseTeam = defineJob({
  name: 'teams.release',
  data: Type.Object({ company: Id, team: Id }),
  // Retries for some four hours; until it succeeds, records show a team that can no longer be read.
  retries: 12,
  retryDelaySeconds: 5,
  heartbeatSeconds: 30,
});
