import type { Kit } from '../../kit.ts';
import type { JobWork } from '../../platform/work/jobs.ts';
import { ReleaseBusiness } from '../businesses/jobs.ts';
import { ReleaseTeam } from '../teams/jobs.ts';
import { ReleaseUser } from '../users/jobs.ts';
import { removeBusinessReferences, removeTeamReferences, removeUserReferences } from './release.ts';

export function releaseUserJob(kit: Kit): JobWork<typeof ReleaseUser.data> {
  return { job: ReleaseUser, handle: (asked) => removeUserReferences(kit, asked) };
}

export function releaseTeamJob(kit: Kit): JobWork<typeof ReleaseTeam.data> {
  return { job: ReleaseTeam, handle: (asked) => removeTeamReferences(kit, asked) };
}

export function releaseBusinessJob(kit: Kit): JobWork<typeof ReleaseBusiness.data> {
  return { job: ReleaseBusiness, handle: (asked) => removeBusinessReferences(kit, asked) };
}
