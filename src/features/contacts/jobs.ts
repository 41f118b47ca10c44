import type { Kit } from '../../kit.ts';
import { defineJob, type Worked } from '../../platform/jobs.ts';
import { ImportJob } from '../imports/schemas.ts';
import { workContactImport } from './import-store.ts';

export const ImportContacts = defineJob({
  name: 'contacts.import',
  data: ImportJob,
  // Some four hours: a database that is away for longer is not waited for.
  retries: 12,
  retryDelaySeconds: 5,
  // Each turn ends by itself within seconds; who is silent for longer has died, and another goes on.
  heartbeatSeconds: 20,
});

export function importContactsJob(kit: Kit): Worked<typeof ImportContacts.data> {
  return {
    job: ImportContacts,
    handle: (job) => workContactImport(kit, job, (tx) => kit.enqueue(tx, ImportContacts, job, { key: job.import })),
  };
}
