import { Type } from 'typebox';
import type { Kit } from '../../kit.ts';
import { defineJob, type Worked } from '../../platform/jobs.ts';
import { Id } from '../../platform/schema.ts';
import { recheckConnection } from './connection.ts';

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
