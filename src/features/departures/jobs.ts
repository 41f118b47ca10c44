import type { Kit } from '../../kit.ts';
import type { Worked } from '../../platform/jobs.ts';
import { ReleaseUser, releaseUser } from './release.ts';

export function releaseUserJob(kit: Kit): Worked<typeof ReleaseUser.data> {
  return { job: ReleaseUser, handle: (asked) => releaseUser(kit, asked) };
}
