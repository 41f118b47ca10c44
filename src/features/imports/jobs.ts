import { Type } from 'typebox';
import type { Kit } from '../../kit.ts';
import { defineJob, type JobWork } from '../../platform/work/jobs.ts';
import { giveUpRuns } from '../../platform/work/runs/runs.ts';
import { IMPORTS } from './imports.ts';

const GiveUpImports = defineJob({
  name: 'imports.give-up',
  data: Type.Object({}),
  retries: 0,
  retryDelaySeconds: 1,
  cron: '53 * * * *',
});

const CAUSE = { code: 'UNAVAILABLE', message: 'It could not be processed for a day; what was already stored is kept' };

export function giveUpImportsJob(kit: Kit): JobWork<typeof GiveUpImports.data> {
  return { job: GiveUpImports, handle: () => giveUpRuns(kit.database, IMPORTS, CAUSE) };
}
