import { Type } from 'typebox';
import type { Kit } from '../../kit.ts';
import { defineJob, type JobWork } from '../../platform/work/jobs.ts';
import { endForgottenImports } from './give-up.ts';

const GiveUpImports = defineJob({
  name: 'imports.give-up',
  data: Type.Object({}),
  retries: 0,
  retryDelaySeconds: 1,
  cron: '53 * * * *',
});

export function giveUpImportsJob(kit: Kit): JobWork<typeof GiveUpImports.data> {
  return { job: GiveUpImports, handle: () => endForgottenImports(kit) };
}
