/** The background work of a process: its jobs, and the loops that poll for due work. */
import { purgeTrailsJob } from './features/audit/jobs.ts';
import { changesToAddUp } from './features/companies/usage.ts';
import { contactImporter } from './features/contacts/import/importer.ts';
import { markReadJob, wakeJob } from './features/conversations/jobs.ts';
import { stripFieldJob } from './features/custom-fields/jobs.ts';
import { releaseBusinessJob, releaseUserJob } from './features/departures/jobs.ts';
import { giveUpImportsJob } from './features/imports/jobs.ts';
import { startImports } from './features/imports/turns.ts';
import type { RowImporter } from './features/imports/work.ts';
import { giveUpUnknownJob, mergeSplitJob, purgeCallbacksJob } from './features/inbound/jobs.ts';
import { crossedStatuses } from './features/inbound/upkeep.ts';
import { checkConnectionJob, confirmAllJob, confirmConnectionJob } from './features/inboxes/jobs.ts';
import { emptyStepJob } from './features/pipelines/jobs.ts';
import { tableRowImporter } from './features/tables/rows/importer.ts';
import { eraseRowsJob } from './features/tables/jobs.ts';
import { purgeLinksJob, sendInvitationJob, sendResetJob } from './features/users/jobs.ts';
import { startDeliveries } from './features/webhooks/deliver.ts';
import { purgeDeliveriesJob, redactContactJob } from './features/webhooks/jobs.ts';
import type { Kit } from './kit.ts';
import type { Job, Jobs, Worked } from './platform/jobs.ts';
import { pollDueWork } from './platform/due-work.ts';
import type { TSchema } from 'typebox';

// How often a process looks in the database for work that other processes have left. A process with the embedded database is alone: all
// work comes from the process itself and begins without a look, so looking less often is enough.
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

/** All job queues of the platform; `npm run migrate` creates them in the database. */
export const queues = (): Job<TSchema>[] => jobs.map((make) => make({} as Kit).job);

/**
 * Starts all background work. Returns a function that stops it: no new work begins, and running work is finished. `isAlone`: no other
 * process uses this database.
 */
export async function startWorker(kit: Kit, running: Jobs, isAlone: boolean): Promise<() => Promise<void>> {
  for (const make of jobs) await running.work(make(kit) as Worked<TSchema>);
  const deliverer = startDeliveries(kit);
  const imports = startImports(kit, {
    CONTACTS: contactImporter as RowImporter,
    TABLE: tableRowImporter as RowImporter,
  });
  const looks = [crossedStatuses(kit), changesToAddUp(kit)];
  const dueWork = [deliverer.dueWork, running.dueWork(queues().map(({ name }) => name)), imports.dueWork, ...looks];
  const stopLooking = pollDueWork(kit.database.system('upkeep'), dueWork, {
    everyMs: isAlone ? LOOK_ALONE_MS : LOOK_MS,
    log: kit.log,
  });
  return async () => {
    await Promise.all([
      stopLooking(),
      ...looks.map(({ stop }) => stop()),
      deliverer.stop(),
      imports.stop(),
      running.rest(),
    ]);
  };
}
