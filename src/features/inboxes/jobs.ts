import { Type } from 'typebox';
import type { Kit } from '../../kit.ts';
import { defineJob, type JobWork } from '../../platform/work/jobs.ts';
import { Id } from '../../platform/values/schema.ts';
import { readStanding } from './portfolio.ts';
import { checkReported, confirmConnection, recheckConnection, walkUnchecked } from './connection.ts';

// The delay of the job that checks the inbox again, in case the process that saved it dies before its own check ends.
export const RECHECK_SECONDS = 30;

export const CheckConnection = defineJob({
  name: 'inboxes.check-connection',
  data: Type.Object({ company: Id, inbox: Id }),
  isByCompany: true,
  // The delays double from half a minute, so the job tries for some nine hours while the network cannot be reached.
  retries: 10,
  retryDelaySeconds: 30,
});

export function checkConnectionJob(kit: Kit): JobWork<typeof CheckConnection.data> {
  return {
    job: CheckConnection,
    handle: async ({ company, inbox }) => {
      if (await recheckConnection(kit, company, inbox)) return;
      throw new Error('the network has not accepted the credentials yet');
    },
  };
}

/** Checks a CONNECTED inbox once a day: its token may have been revoked, and its number may have joined or left the business app. */
export const ConfirmConnection = defineJob({
  name: 'inboxes.confirm-connection',
  data: Type.Object({ company: Id, inbox: Id }),
  isByCompany: true,
  // The retries last for some two and a half hours; the next day's check follows.
  retries: 4,
  retryDelaySeconds: 300,
});

/** Checks an inbox whose network has reported a change of its connection. */
export const CheckReported = defineJob({
  name: 'inboxes.check-reported',
  data: Type.Object({ company: Id, inbox: Id }),
  isByCompany: true,
  // The network reports the next change as well, and each inbox is checked daily, so retries would only pile up.
  retries: 0,
  retryDelaySeconds: 1,
});

export function checkReportedJob(kit: Kit): JobWork<typeof CheckReported.data> {
  return { job: CheckReported, handle: ({ company, inbox }) => checkReported(kit, company, inbox) };
}

/** Asks the network again how it rates the number of an inbox, because it has reported a change of the account. */
export const ReadStanding = defineJob({
  name: 'inboxes.read-standing',
  data: Type.Object({ company: Id, inbox: Id }),
  isByCompany: true,
  // The retries last for some two and a half hours; the daily check follows.
  retries: 4,
  retryDelaySeconds: 300,
});

export function readStandingJob(kit: Kit): JobWork<typeof ReadStanding.data> {
  return { job: ReadStanding, handle: ({ company, inbox }) => readStanding(kit, company, inbox) };
}

export const ConfirmAll = defineJob({
  name: 'inboxes.confirm-all',
  data: Type.Object({}),
  retries: 3,
  retryDelaySeconds: 60,
  cron: '41 4 * * *',
});

// The number of inboxes that are checked per second. A check makes up to three calls, which is far below the limits of the network, and
// 36,000 inboxes are checked within two hours.
const CONFIRMED_PER_SECOND = 5;

export function confirmConnectionJob(kit: Kit): JobWork<typeof ConfirmConnection.data> {
  return {
    job: ConfirmConnection,
    handle: async ({ company, inbox }) => {
      if (await confirmConnection(kit, company, inbox)) return;
      throw new Error('the network gave no verdict on the credentials');
    },
  };
}

export function confirmAllJob(kit: Kit): JobWork<typeof ConfirmAll.data> {
  return {
    job: ConfirmAll,
    handle: () =>
      walkUnchecked(kit, (due, place) => {
        const delaySeconds = Math.floor(place / CONFIRMED_PER_SECOND);
        return kit.database.tenantTx(due.company, (tx) =>
          kit.enqueue(tx, ConfirmConnection, due, { key: due.inbox, delaySeconds }),
        );
      }),
  };
}
