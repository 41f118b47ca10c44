import { Type } from 'typebox';
import type { Kit } from '../../kit.ts';
import { defineJob, type Worked } from '../../platform/jobs.ts';
import { Id } from '../../platform/schema.ts';
import { confirmConnection, recheckConnection, walkUnchecked } from './connection.ts';

// The job looks again in case the process that asked first dies before its own check is through.
export const RECHECK_SECONDS = 30;

export const CheckConnection = defineJob({
  name: 'inboxes.check-connection',
  data: Type.Object({ company: Id, inbox: Id }),
  // Doubling from half a minute: some nine hours of a network that is away.
  retries: 10,
  retryDelaySeconds: 30,
});

export function checkConnectionJob(kit: Kit): Worked<typeof CheckConnection.data> {
  return {
    job: CheckConnection,
    handle: async ({ company, inbox }) => {
      if (await recheckConnection(kit, company, inbox)) return;
      throw new Error('the network has not accepted the credentials yet');
    },
  };
}

/** Once a day each CONNECTED inbox: its token may have been taken back, and its number may have joined or left the business app. */
export const ConfirmConnection = defineJob({
  name: 'inboxes.confirm-connection',
  data: Type.Object({ company: Id, inbox: Id }),
  // Some two and a half hours; the next day looks again.
  retries: 4,
  retryDelaySeconds: 300,
});

export const ConfirmAll = defineJob({
  name: 'inboxes.confirm-all',
  data: Type.Object({}),
  retries: 3,
  retryDelaySeconds: 60,
  cron: '41 4 * * *',
});

// Three calls each: far below what the network allows, and 36,000 inboxes within two hours.
const CONFIRMED_PER_SECOND = 5;

export function confirmConnectionJob(kit: Kit): Worked<typeof ConfirmConnection.data> {
  return {
    job: ConfirmConnection,
    handle: async ({ company, inbox }) => {
      if (await confirmConnection(kit, company, inbox)) return;
      throw new Error('the network gave no verdict on the credentials');
    },
  };
}

export function confirmAllJob(kit: Kit): Worked<typeof ConfirmAll.data> {
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
