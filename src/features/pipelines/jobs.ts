import { Type } from 'typebox';
import type { Kit } from '../../kit.ts';
import { defineJob, type JobWork } from '../../platform/work/jobs.ts';
import { Id } from '../../platform/values/schema.ts';
import { emptyStep } from './empty-step.ts';
import { StepCause } from './schemas.ts';

export const EmptyStep = defineJob({
  name: 'pipelines.empty-step',
  data: Type.Object({ company: Id, step: Id, cause: StepCause }),
  // The job is retried for some four hours, because until it succeeds conversations are in a step that no list shows.
  retries: 12,
  retryDelaySeconds: 5,
});

export function emptyStepJob(kit: Kit): JobWork<typeof EmptyStep.data> {
  return { job: EmptyStep, handle: (asked) => emptyStep(kit, asked) };
}
