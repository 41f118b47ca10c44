import { Type } from 'typebox';
import type { Kit } from '../../kit.ts';
import { defineJob, type JobWork } from '../../platform/work/jobs.ts';
import { purgeTurns } from './turns/upkeep.ts';

const PurgeTurns = defineJob({
  name: 'agents.purge',
  data: Type.Object({}),
  retries: 0,
  retryDelaySeconds: 1,
  cron: '23 4 * * *',
});

export function purgeTurnsJob(kit: Kit): JobWork<typeof PurgeTurns.data> {
  return { job: PurgeTurns, handle: () => purgeTurns(kit) };
}
