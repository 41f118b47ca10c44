import { Type } from 'typebox';
import type { Kit } from '../../../kit.ts';
import { defineJob, type JobWork } from '../../../platform/work/jobs.ts';
import { Id } from '../../../platform/values/schema.ts';
import { requestHistory, settleHistory } from './history.ts';

/** Asks the network for the contacts and the old messages of the phone. */
export const RequestHistory = defineJob({
  name: 'inboxes.request-history',
  data: Type.Object({ company: Id, inbox: Id }),
  isByCompany: true,
  // The delays double from half a minute, so the job tries for some nine hours. The network accepts the request within a day.
  retries: 10,
  retryDelaySeconds: 30,
});

export function requestHistoryJob(kit: Kit): JobWork<typeof RequestHistory.data> {
  return { job: RequestHistory, handle: ({ company, inbox }) => requestHistory(kit, company, inbox) };
}

/** Decides what has become of a history of which nothing has arrived. */
export const HistoryOverdue = defineJob({
  name: 'inboxes.history-overdue',
  data: Type.Object({ company: Id, inbox: Id }),
  isByCompany: true,
  retries: 4,
  retryDelaySeconds: 300,
});

// The next look, when the network has accepted the request less than a day ago.
const LOOK_AGAIN_SECONDS = 3_600;

export function historyOverdueJob(kit: Kit): JobWork<typeof HistoryOverdue.data> {
  return {
    job: HistoryOverdue,
    handle: ({ company, inbox }) =>
      kit.database.tenantTx(company, async (tx) => {
        if (await settleHistory(tx, inbox)) return;
        await kit.enqueue(tx, HistoryOverdue, { company, inbox }, { key: inbox, delaySeconds: LOOK_AGAIN_SECONDS });
      }),
  };
}
