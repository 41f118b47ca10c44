/**
 * Writes the planned contacts of a portion with few statements. The plan was made before anything was locked: when a contact proves to have
 * changed since, ChangedMeanwhile is thrown, and the portion is tried again.
 */
import { isDeepStrictEqual } from 'node:util';
import { ChangedMeanwhile } from '../../../platform/store/overtaken.ts';
import type { TenantTx } from '../../../platform/store/tenant.ts';
import type { CustomField, HeldValues } from '../../custom-fields/schemas.ts';
import { mergeValues } from '../../custom-fields/values.ts';
import { holdMany } from '../by-phones.ts';
import { emitWritten, NOBODY, pickFields, type WrittenContact } from '../contacts.ts';
import { claimFreeIdentities } from '../identities.ts';
import { identityKey, type IdentityChanges } from '../identity-plan.ts';
import type { ContactDraft } from './plan.ts';
import { mergeCustomFields, type PersonRow } from './rows.ts';
import { growValues } from './sizes.ts';
import { deleteIdentities, findIdentityHolders, passIdentities, type HeldIdentity } from '../name-queries.ts';
import { insertContacts, lockContacts, updateContacts, type ContactFields, type LockedContact } from '../queries.ts';
import { IDENTITY_FIELD_NAMES, MAX_TAGS, type ContactSource } from '../schemas.ts';

interface WriteInput {
  drafts: ContactDraft[];
  identities: IdentityChanges;
  definitions: CustomField[];
  /** The source of contacts that are created. */
  source: ContactSource;
  /** A tag that all contacts get besides their others; null for none. */
  tag: string | null;
  /** With true, no events are emitted. */
  silent: boolean;
}

/** Returns the numbers of the rows that created a contact or changed what the rows before them had left. */
export async function writeContacts(
  tx: TenantTx,
  { drafts, identities, source, silent, ...rules }: WriteInput,
): Promise<Set<number>> {
  const fresh = drafts.filter(({ isNew }) => isNew).map((draft) => applyRows(NOBODY, draft, rules));
  const newcomers = fresh.map(({ person }) => person);
  const records = fresh.length > 0 ? await insertContacts(tx, newcomers, { source, silent }) : [];
  const existing = drafts.filter(({ isNew }) => !isNew);
  const ids = existing.map(({ _id }) => _id);
  if (ids.length > 0) await holdMany(tx, ids);
  await claimFreeIdentities(tx, identities.inserted);
  const applied = ids.length > 0 ? await applyToExisting(tx, { existing, identities, rules }) : [];
  const updated = applied.filter(({ isChanged }) => isChanged);
  const people = updated.map(({ person }) => person);
  if (people.length > 0) records.push(...(await updateContacts(tx, people, { silent })));
  const written = new Map([...fresh, ...updated].map((each) => [each.person._id, each]));
  // The events have the order of the rows.
  await emitWritten(
    tx,
    drafts.flatMap(({ _id }) => written.get(_id) ?? []),
    records,
  );
  return new Set([...fresh, ...applied].flatMap(({ changedRows }) => changedRows));
}

interface ExistingContacts {
  existing: ContactDraft[];
  identities: IdentityChanges;
  rules: ApplyRules;
}

/** Locks the contacts, moves identities, and returns the contacts as the rows leave them. */
async function applyToExisting(
  tx: TenantTx,
  { existing, identities, rules }: ExistingContacts,
): Promise<AppliedRows[]> {
  const locked = await lockPlanned(tx, existing, identities);
  const applied = existing.flatMap((draft): AppliedRows[] => {
    const contact = locked.get(draft._id);
    return contact ? [applyRows(pickFields(contact), draft, rules)] : [];
  });
  const { passed, deleted } = identities;
  if (passed.length > 0 && (await passIdentities(tx, passed)) !== passed.length)
    throw new ChangedMeanwhile('A contact');
  if (deleted.length > 0) await deleteIdentities(tx, deleted, { sameAddress: false });
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
