import { Type } from 'typebox';
import type { Kit } from '../../kit.ts';
import { defineJob, type JobWork } from '../../platform/work/jobs.ts';
import { SplitPerson } from './schemas.ts';
import { mergeSplit } from './splits.ts';
import { giveUpUnknownOutcomes, purgeCallbacks } from './upkeep.ts';

/** Marks a message whose outcome has been unknown for 24 hours as FAILED; a later status can still correct it. */
const GiveUpUnknown = defineJob({
  name: 'inbound.give-up-unknown',
  data: Type.Object({}),
  retries: 0,
  retryDelaySeconds: 1,
  cron: '*/5 * * * *',
});

const PurgeCallbacks = defineJob({
  name: 'inbound.purge-callbacks',
  data: Type.Object({}),
  retries: 0,
  retryDelaySeconds: 1,
  cron: '17 3 * * *',
});

export const MergeSplit = defineJob({
  name: 'inbound.merge-split',
  data: SplitPerson,
  // The retries last some four hours, and the person has two contacts until one of them succeeds.
  retries: 12,
  retryDelaySeconds: 5,
});

export function mergeSplitJob(kit: Kit): JobWork<typeof MergeSplit.data> {
  return { job: MergeSplit, handle: (split) => mergeSplit(kit, split) };
}

export function giveUpUnknownJob(kit: Kit): JobWork<typeof GiveUpUnknown.data> {
  return { job: GiveUpUnknown, handle: () => giveUpUnknownOutcomes(kit) };
}

export function purgeCallbacksJob(kit: Kit): JobWork<typeof PurgeCallbacks.data> {
  return { job: PurgeCallbacks, handle: () => purgeCallbacks(kit) };
}
