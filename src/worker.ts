/** The background work of a process: its jobs, and the loops that poll for due work. */
import { purgeAwayTextsJob } from './features/away-texts/jobs.ts';
import { AWAY_TEXTS } from './features/away-texts/source.ts';
import { CSAT_SURVEYS } from './features/csat/source.ts';
import { sweepFilesJob } from './features/attachments/jobs.ts';
import { purgeRequestDataJob } from './features/audit/jobs.ts';
import { purgeBulkJob } from './features/bulk/jobs.ts';
import { campaignCounters, startCampaigns } from './features/campaigns/loop.ts';
import { createUsageUpkeep } from './features/companies/usage.ts';
import { purgeAppsJob } from './features/connected-apps/jobs.ts';
import { contactImporter } from './features/contacts/import/importer.ts';
import { purgeContactRunsJob } from './features/contacts/bulk/jobs.ts';
import { startContactRuns } from './features/contacts/bulk/work.ts';
import { purgeConversationRunsJob } from './features/conversations/bulk/jobs.ts';
import { markReadJob, wakeJob } from './features/conversations/jobs.ts';
import { stripFieldJob } from './features/custom-fields/jobs.ts';
import { releaseBusinessJob, releaseTeamJob, releaseUserJob } from './features/departures/jobs.ts';
import { createDistribution } from './features/distribution/distribution.ts';
import { giveUpImportsJob } from './features/imports/jobs.ts';
import { startImports, type RowImporter } from './features/imports/work.ts';
import { giveUpUnknownJob, mergeSplitJob, purgeCallbacksJob } from './features/inbound/jobs.ts';
import { startFetching } from './features/inbound/fetching/loop.ts';
import { startDownloads } from './features/inbound/downloads/loop.ts';
import { crossedStatuses, latePlaces } from './features/inbound/upkeep.ts';
import {
  checkConnectionJob,
  checkReportedJob,
  confirmAllJob,
  confirmConnectionJob,
  readStandingJob,
} from './features/inboxes/jobs.ts';
import { historyOverdueJob, requestHistoryJob } from './features/inboxes/history/jobs.ts';
import { startPreparing } from './features/knowledge/loop.ts';
import { purgeChangesJob } from './features/live/jobs.ts';
import { startConversationRuns } from './features/macros/runs.ts';
import { findUndividedJob, makePartitionsJob } from './features/messages/jobs.ts';
import { createPartsUpkeep } from './features/messages/parts-upkeep.ts';
import { mailAwayJob, purgeNotificationsJob, sendAwayMailJob } from './features/notifications/jobs.ts';
import { startPushes } from './features/notifications/push/loop.ts';
import { emptyStepJob } from './features/pipelines/jobs.ts';
import { tableRowImporter } from './features/tables/rows/importer.ts';
import { eraseRowsJob } from './features/tables/jobs.ts';
import { createReportUpkeep } from './features/reports/folding.ts';
import { FOLLOW_UPS } from './features/agents/follow-ups/source.ts';
import { purgeTurnsJob } from './features/agents/jobs.ts';
import { startAgents } from './features/agents/turns/loop.ts';
import { purgeRuleRunsJob } from './features/rules/jobs.ts';
import { startRules } from './features/rules/loop.ts';
import { purgeScheduledJob } from './features/scheduled-messages/jobs.ts';
import { SCHEDULED_MESSAGES } from './features/scheduled-messages/source.ts';
import { startDueSends } from './features/sends/due/loop.ts';
import { createSlaUpkeep } from './features/slas/slas.ts';
import { startCopies } from './features/templates/copy.ts';
import { inboxConnectedJob } from './features/templates/jobs.ts';
import { purgeLinksJob, sendFactorMailJob, sendInvitationJob, sendResetJob } from './features/users/jobs.ts';
import { declareEvolutionFormat } from './doors/evolution/webhook-format.ts';
import { startDeliveries } from './features/webhooks/deliver.ts';
import { startReplays } from './features/webhooks/replays/replays.ts';
import { purgeDeliveriesJob, redactContactJob } from './features/webhooks/jobs.ts';
import type { Kit } from './kit.ts';
import type { Job, Jobs, JobWork } from './platform/work/jobs.ts';
import { pollDueWork } from './platform/work/due-work.ts';
import type { TSchema } from 'typebox';

// How often a process looks in the database for work that other processes have left. A process with the embedded database is alone: all
// work comes from the process itself and begins without a look, so looking less often is enough.
const LOOK_MS = 200;
const LOOK_ALONE_MS = 2_000;

const jobs = [
  sendInvitationJob,
  sendResetJob,
  sendFactorMailJob,
  purgeLinksJob,
  purgeRequestDataJob,
  purgeAppsJob,
  stripFieldJob,
  sweepFilesJob,
  checkConnectionJob,
  checkReportedJob,
  confirmConnectionJob,
  readStandingJob,
  requestHistoryJob,
  historyOverdueJob,
  confirmAllJob,
  emptyStepJob,
  markReadJob,
  wakeJob,
  inboxConnectedJob,
  eraseRowsJob,
  giveUpImportsJob,
  releaseUserJob,
  releaseTeamJob,
  releaseBusinessJob,
  giveUpUnknownJob,
  mergeSplitJob,
  purgeCallbacksJob,
  purgeDeliveriesJob,
  purgeBulkJob,
  purgeTurnsJob,
  purgeConversationRunsJob,
  purgeContactRunsJob,
  purgeChangesJob,
  purgeNotificationsJob,
  mailAwayJob,
  sendAwayMailJob,
  purgeScheduledJob,
  purgeRuleRunsJob,
  purgeAwayTextsJob,
  findUndividedJob,
  makePartitionsJob,
  redactContactJob,
];

/** All job queues of the platform; `npm run migrate` creates them in the database. */
export const queues = (): Job<TSchema>[] => jobs.map((make) => make({} as Kit).job);

/**
 * Starts all background work. Returns a function that stops it: no new work begins, and running work is finished. `isAlone`: no other
 * process uses this database.
 */
export async function startWorker(kit: Kit, running: Jobs, isAlone: boolean): Promise<() => Promise<void>> {
  declareEvolutionFormat();
  for (const make of jobs) await running.work(make(kit) as JobWork<TSchema>);
  const loops = [
    startDeliveries(kit),
    startImports(kit, { CONTACTS: contactImporter as RowImporter, TABLE: tableRowImporter as RowImporter }),
    startCopies(kit),
    startDownloads(kit),
    startFetching(kit),
    startConversationRuns(kit),
    startContactRuns(kit),
    startReplays(kit),
    startCampaigns(kit),
    startPreparing(kit),
    startAgents(kit),
    startDueSends(kit, FOLLOW_UPS),
    startDueSends(kit, SCHEDULED_MESSAGES),
    startRules(kit),
    startDueSends(kit, AWAY_TEXTS),
    startDueSends(kit, CSAT_SURVEYS),
    startPushes(kit),
  ];
  const looks = [
    crossedStatuses(kit),
    latePlaces(kit),
    createUsageUpkeep(kit),
    campaignCounters(kit),
    createPartsUpkeep(kit),
    createDistribution(kit),
    createReportUpkeep(kit),
    ...createSlaUpkeep(kit),
  ];
  const polled = loops.map((loop) => loop.dueWork);
  const dueWork = [...polled, running.dueWork(queues().map(({ name }) => name)), ...looks];
  const stopLooking = pollDueWork(kit.database.system('upkeep'), dueWork, {
    everyMs: isAlone ? LOOK_ALONE_MS : LOOK_MS,
    log: kit.log,
  });
  return async () => {
    await Promise.all([
      stopLooking(),
      ...looks.map(({ stop }) => stop()),
      ...loops.map(({ stop }) => stop()),
      running.rest(),
    ]);
  };
}
