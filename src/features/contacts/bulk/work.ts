/** Makes the change of a run in one contact. */
import type { Kit } from '../../../kit.ts';
import { recordAudit, toLoggedActor, type Origin } from '../../../platform/http/audit.ts';
import type { Acting, TenantTx } from '../../../platform/store/tenant.ts';
import { invalid, notFound } from '../../../platform/values/errors.ts';
import type { ClaimLoop } from '../../../platform/work/claims/claim-loop.ts';
import { startChangeRuns } from '../../../platform/work/runs/changes.ts';
import { changeContact } from '../contacts.ts';
import { prepareRemoval, removeContactOnce } from '../erase.ts';
import { lockContacts } from '../queries.ts';
import { MAX_TAGS, type Contact, type ContactUpdate } from '../schemas.ts';
import { CONTACT_RUNS } from './runs.ts';
import type { ContactChange } from './schemas.ts';

export const startContactRuns = (kit: Kit): ClaimLoop =>
  startChangeRuns<ContactChange, string[]>(kit, {
    kind: CONTACT_RUNS,
    word: 'contact',
    prepare: async ({ companyId }, id, change) => (change.delete ? prepareRemoval(kit, companyId, id) : []),
    make: async (tx, acting, { id, change, audit, prepared = [] }) => {
      const { delete: isErased = false, ...fields } = change;
      const isChanged = isErased
        ? await removeContactOnce(kit, tx, id, prepared).then(() => true)
        : await changeFields(tx, id, fields);
      const action = isErased ? 'contacts.delete' : 'contacts.update';
      if (isChanged) tx.awaitAtCommit(record(tx, acting, { id, action, fields: Object.keys(change), ...audit }));
      return isChanged;
    },
  });

interface Recorded {
  id: string;
  action: string;
  fields: string[];
  origin: Origin | null;
}

const record = (tx: TenantTx, { actor }: Acting, { id, ...entry }: Recorded): Promise<void> =>
  recordAudit(tx, {
    company: tx.companyId,
    actor: toLoggedActor(actor),
    resource: 'contacts',
    resourceId: id,
    ...entry,
  });

type FieldChange = Omit<ContactChange, 'delete'>;

/** Changes the fields of one contact. Returns false when they were so already. */
async function changeFields(tx: TenantTx, id: string, change: FieldChange): Promise<boolean> {
  const [before] = await lockContacts(tx, [id]);
  if (!before) throw notFound();
  return (await changeContact(tx, id, toUpdate(change, before))).isChanged;
}

/** Makes the PATCH of one contact, which replaces all tags: added and removed tags are applied to those that it has. */
function toUpdate(
  { add_tags, remove_tags, ...plain }: FieldChange,
  { tags }: Pick<Contact, 'tags'>,
): Omit<ContactUpdate, 'country' | 'phone_number'> {
  if (!add_tags && !remove_tags) return plain;
  const next = [...new Set([...tags, ...(add_tags ?? [])])].filter((tag) => !remove_tags?.includes(tag));
  if (next.length > MAX_TAGS && next.length > tags.length) throw invalid('tags', `would be more than ${MAX_TAGS}`);
  return { ...plain, tags: next };
}
