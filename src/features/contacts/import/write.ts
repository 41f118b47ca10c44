/**
 * Writes the planned contacts of a portion with few statements. The plan was made before anything was locked: when a contact proves to have
 * changed since, ChangedMeanwhile is thrown, and the portion is tried again.
 */
import { isDeepStrictEqual } from 'node:util';
import { ChangedMeanwhile } from '../../../platform/store/overtaken.ts';
import type { TenantTx } from '../../../platform/store/tenant.ts';
import type { CustomField, HeldValues } from '../../custom-fields/schemas.ts';
import { mergeValues, type FieldChange } from '../../custom-fields/values.ts';
import { pickFields, NOBODY } from '../contacts.ts';
import { identityKey, type IdentityChanges } from '../identity-plan.ts';
import type { ContactDraft } from './plan.ts';
import { insertImported, updateImported, type StoredPerson } from './queries.ts';
import { mergeCustomFields, type PersonRow } from './rows.ts';
import { growValues } from './sizes.ts';
import {
  deleteIdentities,
  findIdentityHolders,
  insertIdentities,
  passIdentities,
  type HeldIdentity,
} from '../name-queries.ts';
import { keepContactsFromRemoval, lockContacts, type ContactFields, type LockedContact } from '../queries.ts';
import { IDENTITY_FIELD_NAMES, MAX_TAGS, type ContactSource } from '../schemas.ts';

/** A contact that is new or really changed. */
export interface WrittenContact {
  isNew: boolean;
  person: StoredPerson;
  changes: FieldChange[];
}

interface WriteInput {
  drafts: ContactDraft[];
  identities: IdentityChanges;
  definitions: CustomField[];
  /** The source of contacts that are created. */
  source: ContactSource;
  /** A tag that all contacts get besides their others; null for none. */
  tag: string | null;
}

export interface WrittenContacts {
  /** The contacts that were written, in the order of their rows. */
  written: WrittenContact[];
  /** The numbers of the rows that created a contact or changed what the rows before them had left. */
  changed: Set<number>;
}

export async function writeContacts(
  tx: TenantTx,
  { drafts, identities, source, ...rules }: WriteInput,
): Promise<WrittenContacts> {
  const fresh = drafts.filter(({ isNew }) => isNew).map((draft) => applyRows(NOBODY, draft, rules));
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
  const { inserted } = identities;
  if (inserted.length > 0 && (await insertIdentities(tx, inserted)) !== inserted.length)
    throw new ChangedMeanwhile('A contact');
  const updated = ids.length > 0 ? await updateExisting(tx, { existing, identities, rules }) : [];
  const all = [...fresh, ...updated];
  const written = new Map(all.filter(({ isChanged }) => isChanged).map((each) => [each.person._id, each]));
  return {
    written: drafts.flatMap(({ _id }) => written.get(_id) ?? []),
    changed: new Set(all.flatMap(({ changedRows }) => changedRows)),
  };
}

interface ExistingContacts {
  existing: ContactDraft[];
  identities: IdentityChanges;
  rules: ApplyRules;
}

async function updateExisting(tx: TenantTx, { existing, identities, rules }: ExistingContacts): Promise<AppliedRows[]> {
  const locked = await lockPlanned(tx, existing, identities);
  const applied = existing.flatMap((draft): AppliedRows[] => {
    const contact = locked.get(draft._id);
    return contact ? [applyRows(pickFields(contact), draft, rules)] : [];
  });
  const { passed, deleted } = identities;
  if (passed.length > 0 && (await passIdentities(tx, passed)) !== passed.length)
    throw new ChangedMeanwhile('A contact');
  if (deleted.length > 0) await deleteIdentities(tx, deleted);
  const changed = applied.filter(({ isChanged }) => isChanged);
  if (changed.length > 0)
    await updateImported(
      tx,
      changed.map(({ person }) => person),
    );
  return applied;
}

/**
 * Locks the contacts of the plan. Throws ChangedMeanwhile when another transaction removed, merged or changed one of them in a way that
 * matters to the plan since they were looked up.
 */
async function lockPlanned(
  tx: TenantTx,
  existing: ContactDraft[],
  { inserted }: IdentityChanges,
): Promise<Map<string, LockedContact>> {
  const ids = existing.map(({ _id }) => _id);
  const locked = new Map((await lockContacts(tx, ids)).map((each) => [each._id, each]));
  const isAsPlanned = ({ _id, shown }: ContactDraft): boolean => {
    const contact = locked.get(_id);
    return contact !== undefined && IDENTITY_FIELD_NAMES.every((field) => contact[field] === shown[field]);
  };
  const expected: HeldIdentity[] = existing.flatMap(({ called }) => called);
  expected.push(...inserted.filter(({ contact }) => locked.has(contact)));
  const held = new Map((await findIdentityHolders(tx, expected)).map((name) => [identityKey(name), name.contact]));
  if (!existing.every(isAsPlanned) || expected.some((name) => held.get(identityKey(name)) !== name.contact))
    throw new ChangedMeanwhile('A contact');
  return locked;
}

interface AppliedRows extends WrittenContact {
  /** Whether the contact is another one after the last row. */
  isChanged: boolean;
  /** The numbers of the rows that changed what the rows before them had left. */
  changedRows: number[];
}

/** Applies the rows to the stored contact, one after the other. Fields that the rows leave empty stay as they are. */
function applyRows(before: ContactFields, { _id, isNew, rows }: ContactDraft, rules: ApplyRules): AppliedRows {
  const { definitions, tag } = rules;
  let fields = before;
  const changedRows: number[] = [];
  for (const row of rows) {
    const { tags = fields.tags } = row.plain;
    const next = {
      ...fields,
      ...row.plain,
      tags: withTag(tags, tag),
      held: isNew ? mergeRow(fields, row, definitions) : growRow(fields, row, definitions),
    };
    if (!isDeepStrictEqual(next, fields)) changedRows.push(row.number);
    fields = next;
  }
  const { held, changes } = mergeValues(definitions, before.held, mergeCustomFields(rows));
  // Custom field values that did not change are not written again.
  const written = !isNew && changes.length === 0 ? null : held;
  const person = { _id, ...fields, held: written };
  return { isNew, person, changes, isChanged: isNew || !isDeepStrictEqual(fields, before), changedRows };
}

type ApplyRules = Pick<WriteInput, 'definitions' | 'tag'>;

const withTag = (tags: string[], tag: string | null): string[] =>
  tag === null || tags.includes(tag) || tags.length >= MAX_TAGS ? tags : [...tags, tag];

const mergeRow = ({ held }: ContactFields, { given }: PersonRow, definitions: CustomField[]): HeldValues =>
  mergeValues(definitions, held, given).held;

function growRow({ held }: ContactFields, row: PersonRow, definitions: CustomField[]): HeldValues {
  const grown = growValues(held, row, definitions);
  // The plan found that the values fit, so the contact has got others since.
  if ('fault' in grown) throw new ChangedMeanwhile('A contact');
  return grown.held;
}
