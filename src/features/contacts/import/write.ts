/**
 * Writes the planned contacts of a portion with few statements. The plan was made before anything was locked: when a contact proves to have
 * changed since, UNAVAILABLE is thrown, and the portion is tried again.
 */
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../../platform/errors.ts';
import type { TenantTx } from '../../../platform/tenant.ts';
import type { CustomField } from '../../custom-fields/schemas.ts';
import { mergeValues, type FieldChange } from '../../custom-fields/values.ts';
import { pickFields, NOBODY } from '../contacts.ts';
import { toIdentities } from '../identities.ts';
import { keyText } from './match.ts';
import type { Draft } from './plan.ts';
import { insertImported, updateImported, type StoredPerson } from './queries.ts';
import { mergeGiven, mergePlain } from './rows.ts';
import { findGrowthFault } from './sizes.ts';
import { deleteIdentities, findHolders, insertIdentities, type HeldIdentity } from '../name-queries.ts';
import { holdContacts, lockContacts, type ContactFields } from '../queries.ts';

/** A contact that is new or really changed. */
export interface Written {
  isNew: boolean;
  person: StoredPerson;
  changes: FieldChange[];
}

interface Writing {
  drafts: Draft[];
  /** The ids of the contacts that were stored when the plan was made, by the keys of the rows that name them. */
  stored: Map<string, string>;
  definitions: CustomField[];
}

/** Returns the contacts that were written, in the order of their rows. */
export async function writeContacts(tx: TenantTx, { drafts, stored, definitions }: Writing): Promise<Written[]> {
  const fresh = drafts.filter(({ isNew }) => isNew).map((draft) => applyRows(NOBODY, draft, definitions));
  if (fresh.length > 0)
    await insertImported(
      tx,
      fresh.map(({ person }) => person),
    );
  const existing = drafts.filter(({ isNew }) => !isNew);
  const ids = existing.map(({ _id }) => _id);
  if (ids.length > 0 && (await holdContacts(tx, ids)) !== ids.length) throw changedMeanwhile();
  const identities = drafts.flatMap(collectIdentities);
  const free = identities.filter((identity) => !stored.has(keyText(identity)));
  if (free.length > 0 && (await insertIdentities(tx, free)) !== free.length) throw changedMeanwhile();
  const changed = ids.length > 0 ? await updateExisting(tx, { existing, identities, definitions }) : [];
  const written = new Map([...fresh, ...changed].map((each) => [each.person._id, each]));
  return drafts.flatMap(({ _id }) => written.get(_id) ?? []);
}

/** When rows give a contact two numbers, the last one is stored and only that one becomes an identity. */
const collectIdentities = ({ _id, rows, called }: Draft): (HeldIdentity & { address: string })[] =>
  [...called, ...toIdentities(mergePlain(rows))].map(({ kind, value, address }) => ({
    kind,
    value,
    address,
    contact: _id,
  }));

interface Existing {
  existing: Draft[];
  identities: HeldIdentity[];
  definitions: CustomField[];
}

async function updateExisting(tx: TenantTx, { existing, identities, definitions }: Existing): Promise<Written[]> {
  const locked = new Map(
    (
      await lockContacts(
        tx,
        existing.map(({ _id }) => _id),
      )
    ).map((each) => [each._id, each]),
  );
  const ours = identities.filter(({ contact }) => locked.has(contact));
  const held = new Map((await findHolders(tx, ours)).map((name) => [keyText(name), name.contact]));
  // Another transaction removed, merged or changed one of the contacts between the look-up and the lock.
  if (locked.size !== existing.length || ours.some((name) => held.get(keyText(name)) !== name.contact))
    throw changedMeanwhile();
  const replaced: HeldIdentity[] = [];
  const changed = existing.flatMap((draft): Written[] => {
    const contact = locked.get(draft._id);
    if (!contact) return [];
    const own = pickFields(contact);
    if (findGrowthFault({ held: own.held, rows: draft.rows, definitions })) throw changedMeanwhile();
    const next = applyRows(own, draft, definitions);
    const { _id, ...fields } = next.person;
    if (isDeepStrictEqual(fields, own)) return [];
    const kept = new Set(toIdentities(fields).map(keyText));
    const lost = toIdentities(own).filter((name) => !kept.has(keyText(name)));
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

const changedMeanwhile = (): AppError => new AppError('UNAVAILABLE', 'The contacts changed meanwhile');

/** Applies the rows to the stored contact. Fields that the rows leave empty stay as they are. */
function applyRows(before: ContactFields, { _id, isNew, rows }: Draft, definitions: CustomField[]): Written {
  const { held, changes } = mergeValues(definitions, before.held, mergeGiven(rows));
  return { isNew, person: { _id, ...before, ...mergePlain(rows), held }, changes };
}
