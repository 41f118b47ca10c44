import type { Kit } from '../../kit.ts';
import { defineJob, type Worked } from '../../platform/jobs.ts';
import { IMPORTING } from '../imports/schemas.ts';
import { workContactImport } from './import-store.ts';

export const ImportContacts = defineJob({ name: 'contacts.import', ...IMPORTING });

export function importContactsJob(kit: Kit): Worked<typeof ImportContacts.data> {
  return {
    job: ImportContacts,
    handle: (job) => workContactImport(kit, job, (tx) => kit.enqueue(tx, ImportContacts, job, { key: job.import })),
  };
}
