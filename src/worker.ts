/** What a worker does: the jobs in their order, and the two loops that are not jobs. */
import { purgeTrailsJob } from './features/audit/jobs.ts';
import { importContactsJob } from './features/contacts/jobs.ts';
import { markReadJob, wakeJob } from './features/conversations/jobs.ts';
import { stripFieldJob } from './features/custom-fields/jobs.ts';
import { releaseBusinessJob, releaseUserJob } from './features/departures/jobs.ts';
import { giveUpImportsJob } from './features/imports/jobs.ts';
import { giveUpUnknownJob, purgeCallbacksJob } from './features/inbound/jobs.ts';
import { watchCrossed } from './features/inbound/upkeep.ts';
import { checkConnectionJob } from './features/inboxes/jobs.ts';
import { emptyStepJob } from './features/pipelines/jobs.ts';
import { eraseRowsJob, importRowsJob } from './features/tables/jobs.ts';
import { purgeLinksJob, sendInvitationJob, sendResetJob } from './features/users/jobs.ts';
import { startDeliveries } from './features/webhooks/deliver.ts';
import { purgeDeliveriesJob } from './features/webhooks/jobs.ts';
import type { Kit } from './kit.ts';
import type { Job, Jobs, Worked } from './platform/jobs.ts';
import type { TSchema } from 'typebox';

const jobs = [
  sendInvitationJob,
  sendResetJob,
  purgeLinksJob,
  purgeTrailsJob,
  stripFieldJob,
  checkConnectionJob,
  importContactsJob,
  emptyStepJob,
  markReadJob,
  wakeJob,
  eraseRowsJob,
  importRowsJob,
  giveUpImportsJob,
  releaseUserJob,
  releaseBusinessJob,
  giveUpUnknownJob,
  purgeCallbacksJob,
  purgeDeliveriesJob,
];

/** Every queue of the platform; `migrate` creates them. */
export const queues = (): Job<TSchema>[] => jobs.map((make) => make({} as Kit).job);

/** Returns the way to stop: nothing new is begun, and what was begun is finished. */
export async function startWorker(kit: Kit, running: Jobs): Promise<() => Promise<void>> {
  for (const make of jobs) await running.work(make(kit) as Worked<TSchema>);
  const deliverer = startDeliveries(kit);
  const stopWatching = watchCrossed(kit);
  return async () => {
    stopWatching();
    await Promise.all([deliverer.stop(), running.rest()]);
  };
}
