/**
 * Writes the planned contacts of a portion with few statements. The plan was made before anything was locked: when a contact proves to have
 * changed since, ChangedMeanwhile is thrown, and the portion is tried again.
 */
import { isDeepStrictEqual } from 'node:util';
import { ChangedMeanwhile } from '../../../platform/store/overtaken.ts';
import type { TenantTx } from '../../../platform/store/tenant.ts';
import type { CustomField } from '../../custom-fields/schemas.ts';
import { mergeValues, type FieldChange } from '../../custom-fields/values.ts';
import { pickFields, NOBODY } from '../contacts.ts';
import { toIdentities } from '../identities.ts';
import { toKeyText } from './match.ts';
import type { ContactDraft } from './plan.ts';
import { insertImported, updateImported, type StoredPerson } from './queries.ts';
import { mergeCustomFields, mergePlainFields } from './rows.ts';
import { findGrowthFault } from './sizes.ts';
import { deleteIdentities, findIdentityHolders, insertIdentities, type HeldIdentity } from '../name-queries.ts';
import { keepContactsFromRemoval, lockContacts, type ContactFields } from '../queries.ts';
import type { ContactSource } from '../schemas.ts';

/** A contact that is new or really changed. */
export interface WrittenContact {
  isNew: boolean;
  person: StoredPerson;
  changes: FieldChange[];
}

interface WriteInput {
  drafts: ContactDraft[];
  /** The ids of the contacts that were stored when the plan was made, by the keys of the rows that name them. */
  stored: Map<string, string>;
  definitions: CustomField[];
  /** The source of contacts that are created. */
  source: ContactSource;
}

/** Returns the contacts that were written, in the order of their rows. */
export async function writeContacts(
  tx: TenantTx,
  { drafts, stored, definitions, source }: WriteInput,
): Promise<WrittenContact[]> {
  const fresh = drafts.filter(({ isNew }) => isNew).map((draft) => applyRowsToContact(NOBODY, draft, definitions));
  if (fresh.length > 0)
    await insertImported(
      tx,
      fresh.map(({ person }) => person),
      source,
    );
  const existing = drafts.filter(({ isNew }) => !isNew);
  const ids = existing.map(({ _id }) => _id);
  if (ids.length > 0 && (await keepContactsFromRemoval(tx, ids)) !== ids.length)
    throw new ChangedMeanwhile('A contact');
  const identities = drafts.flatMap(collectIdentities);
  const free = identities.filter((identity) => !stored.has(toKeyText(identity)));
  if (free.length > 0 && (await insertIdentities(tx, free)) !== free.length) throw new ChangedMeanwhile('A contact');
  const changed = ids.length > 0 ? await updateExisting(tx, { existing, identities, definitions }) : [];
  const written = new Map([...fresh, ...changed].map((each) => [each.person._id, each]));
  return drafts.flatMap(({ _id }) => written.get(_id) ?? []);
}

/** When rows give a contact two numbers, the last one is stored and only that one becomes an identity. */
const collectIdentities = ({ _id, rows, called }: ContactDraft): (HeldIdentity & { address: string })[] =>
  [...called, ...toIdentities(mergePlainFields(rows))].map(({ kind, value, address }) => ({
    kind,
    value,
    address,
    contact: _id,
  }));

interface ExistingContacts {
  existing: ContactDraft[];
  identities: HeldIdentity[];
  definitions: CustomField[];
}

async function updateExisting(
  tx: TenantTx,
  { existing, identities, definitions }: ExistingContacts,
): Promise<WrittenContact[]> {
  const locked = new Map(
    (
      await lockContacts(
        tx,
        existing.map(({ _id }) => _id),
      )
    ).map((each) => [each._id, each]),
  );
  const ours = identities.filter(({ contact }) => locked.has(contact));
  const held = new Map((await findIdentityHolders(tx, ours)).map((name) => [toKeyText(name), name.contact]));
  // Another transaction removed, merged or changed one of the contacts between the look-up and the lock.
  if (locked.size !== existing.length || ours.some((name) => held.get(toKeyText(name)) !== name.contact))
    throw new ChangedMeanwhile('A contact');
  const replaced: HeldIdentity[] = [];
  const changed = existing.flatMap((draft): WrittenContact[] => {
    const contact = locked.get(draft._id);
    if (!contact) return [];
    const own = pickFields(contact);
    if (findGrowthFault({ held: own.held, rows: draft.rows, definitions })) throw new ChangedMeanwhile('A contact');
    const next = applyRowsToContact(own, draft, definitions);
    const { _id, ...fields } = next.person;
    if (isDeepStrictEqual(fields, own)) return [];
    const kept = new Set(toIdentities(fields).map(toKeyText));
    const lost = toIdentities(own).filter((name) => !kept.has(toKeyText(name)));
    replaced.push(...lost.map(({ kind, value }) => ({ kind, value, contact: _id })));
    // Custom field values that did not change are not written again.
    return [next.changes.length > 0 ? next : { ...next, person: { ...next.person, held: null } }];
  });
  if (replaced.length > 0) await deleteIdentities(tx, replaced);
  if (changed.length > 0)
    await updateImported(
      tx,
      changed.map(({ person }) => person),
    );
  return changed;
}

/** Applies the rows to the stored contact. Fields that the rows leave empty stay as they are. */
function applyRowsToContact(
  before: ContactFields,
  { _id, isNew, rows }: ContactDraft,
  definitions: CustomField[],
): WrittenContact {
  const { held, changes } = mergeValues(definitions, before.held, mergeCustomFields(rows));
  return { isNew, person: { _id, ...before, ...mergePlainFields(rows), held }, changes };
}
