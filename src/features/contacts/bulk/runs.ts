/** One change to many contacts. */
import type { Origin } from '../../../platform/http/audit.ts';
import type { Tenant, TenantRead } from '../../../platform/store/tenant.ts';
import { invalid } from '../../../platform/values/errors.ts';
import { ref } from '../../../platform/values/schema.ts';
import { changeKind, startChange } from '../../../platform/work/runs/changes.ts';
import { findRuns } from '../../../platform/work/runs/queries.ts';
import { expectBusiness } from '../../businesses/references.ts';
import { applyValues } from '../../custom-fields/values.ts';
import { expectUsers } from '../../users/assignments.ts';
import { listFoundContacts } from '../list/found-queries.ts';
import { readContactMatch } from '../list/list.ts';
import { findNewestFirst } from './queries.ts';
import { ContactRun, type ContactChange, type ContactRunCreate } from './schemas.ts';

export const CONTACT_RUNS = changeKind<ContactRun>({
  name: 'CONTACT_CHANGES',
  word: 'contact',
  schema: ref(ContactRun),
  list: 'contact-runs',
});

/** Selects the contacts and stores the run. Throws when the change cannot be made in any contact. */
export const startRun = (tenant: Tenant, asked: ContactRunCreate, origin: Origin): Promise<ContactRun> =>
  startChange(
    tenant,
    { ...asked, origin },
    {
      kind: CONTACT_RUNS,
      check: (change: ContactChange) => checkChange(tenant.read, change),
      match: async (filter, most) => listFoundContacts(tenant.read, await readContactMatch(tenant, filter), most),
      sort: (ids) => findNewestFirst(tenant.read, ids),
    },
  );

/** Checks what holds for all contacts. */
async function checkChange(read: TenantRead, { delete: isErased, ...change }: ContactChange): Promise<void> {
  const given = Object.keys(change).length;
  if (isErased === false) throw invalid('delete', 'must be true, or be left out');
  if (isErased && given > 0) throw invalid('delete', 'is not allowed with other changes');
  await expectUsers(read, { owner: change.owner });
  await expectBusiness(read, 'business', change.business);
  await applyValues(read, 'contact', {}, change.custom_fields);
}

/** Reads runs by their ids, for callers that follow their progress. Those that do not exist are left out. */
export const readContactRuns = (read: TenantRead, ids: string[]): Promise<ContactRun[]> =>
  findRuns(read, CONTACT_RUNS, ids);
