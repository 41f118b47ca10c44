/** What a worker does: the jobs in their order, and the loops that are not jobs. */
import { purgeTrailsJob } from './features/audit/jobs.ts';
import { changesToAddUp } from './features/companies/usage.ts';
import { contactTaker } from './features/contacts/import-store.ts';
import { markReadJob, wakeJob } from './features/conversations/jobs.ts';
import { stripFieldJob } from './features/custom-fields/jobs.ts';
import { releaseBusinessJob, releaseUserJob } from './features/departures/jobs.ts';
import { giveUpImportsJob } from './features/imports/jobs.ts';
import { startImports } from './features/imports/turns.ts';
import type { Taker } from './features/imports/work.ts';
import { giveUpUnknownJob, mergeSplitJob, purgeCallbacksJob } from './features/inbound/jobs.ts';
import { crossedStatuses } from './features/inbound/upkeep.ts';
import { checkConnectionJob, confirmAllJob, confirmConnectionJob } from './features/inboxes/jobs.ts';
import { emptyStepJob } from './features/pipelines/jobs.ts';
import { rowTaker } from './features/tables/import-store.ts';
import { eraseRowsJob } from './features/tables/jobs.ts';
import { purgeLinksJob, sendInvitationJob, sendResetJob } from './features/users/jobs.ts';
import { startDeliveries } from './features/webhooks/deliver.ts';
import { purgeDeliveriesJob, redactContactJob } from './features/webhooks/jobs.ts';
import type { Kit } from './kit.ts';
import type { Job, Jobs, Worked } from './platform/jobs.ts';
import { lookOut } from './platform/look-out.ts';
import type { TSchema } from 'typebox';

// What another process has left to do waits no longer than this. With a database of its own a process leaves everything to itself, and
// begins it without a look.
const LOOK_MS = 200;
const LOOK_ALONE_MS = 500;

const jobs = [
  sendInvitationJob,
  sendResetJob,
  purgeLinksJob,
  purgeTrailsJob,
  stripFieldJob,
  checkConnectionJob,
  confirmConnectionJob,
  confirmAllJob,
  emptyStepJob,
  markReadJob,
  wakeJob,
  eraseRowsJob,
  giveUpImportsJob,
  releaseUserJob,
  releaseBusinessJob,
  giveUpUnknownJob,
  mergeSplitJob,
  purgeCallbacksJob,
  purgeDeliveriesJob,
  redactContactJob,
];

/** Every queue of the platform; `migrate` creates them. */
export const queues = (): Job<TSchema>[] => jobs.map((make) => make({} as Kit).job);

/** Returns the way to stop: nothing new is begun, and what was begun is finished. `isAlone`: no other process uses this database. */
export async function startWorker(kit: Kit, running: Jobs, isAlone: boolean): Promise<() => Promise<void>> {
  for (const make of jobs) await running.work(make(kit) as Worked<TSchema>);
  const deliverer = startDeliveries(kit);
  const imports = startImports(kit, { CONTACTS: contactTaker as Taker, TABLE: rowTaker as Taker });
  const dueWork = [
    deliverer.dueWork,
    running.dueWork(queues().map(({ name }) => name)),
    imports.dueWork,
    crossedStatuses(kit),
    changesToAddUp(kit),
  ];
  const stopLooking = lookOut(kit.database.system('upkeep'), dueWork, {
    everyMs: isAlone ? LOOK_ALONE_MS : LOOK_MS,
    log: kit.log,
  });
  return async () => {
    stopLooking();
    await Promise.all([deliverer.stop(), imports.stop(), running.rest()]);
  };
}
