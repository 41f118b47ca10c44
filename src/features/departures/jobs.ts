import type { Kit } from '../../kit.ts';
import type { Worked } from '../../platform/jobs.ts';
import { ReleaseBusiness } from '../businesses/jobs.ts';
import { ReleaseUser } from '../users/jobs.ts';
import { releaseBusiness, releaseUser } from './release.ts';

export function releaseUserJob(kit: Kit): Worked<typeof ReleaseUser.data> {
  return { job: ReleaseUser, handle: (asked) => releaseUser(kit, asked) };
}

export function releaseBusinessJob(kit: Kit): Worked<typeof ReleaseBusiness.data> {
  return { job: ReleaseBusiness, handle: (asked) => releaseBusiness(kit, asked) };
}
