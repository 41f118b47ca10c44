/**
 * Stores a portion of an import's contacts with few statements. Existing contacts are looked up first and checked again once they are
 * locked; if one has changed in between, the portion is tried again.
 */
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../platform/errors.ts';
import { emit, type EventItem } from '../../platform/events.ts';
import { newId } from '../../platform/ids.ts';
import type { TenantTx } from '../../platform/tenant.ts';
import type { CustomField } from '../custom-fields/schemas.ts';
import { listAllDefinitions, fieldEvents, mergeValues, type FieldChange } from '../custom-fields/values.ts';
import type { Fault, ReadRow } from '../imports/reading.ts';
import { rowErrors } from '../imports/row-errors.ts';
import type { Import, RowError } from '../imports/schemas.ts';
import type { ImportedRows, RowImporter } from '../imports/work.ts';
import { INACTIVE_USER } from '../users/assignments.ts';
import { pickFields, NOBODY } from './contacts.ts';
import { toIdentities, type NamedIdentity } from './identities.ts';
import {
  findPeople,
  findPointers,
  insertImported,
  updateImported,
  type Pointer,
  type StoredPerson,
} from './import-queries.ts';
import type { Person, RowRules } from './import-rows.ts';
import { findGrowthFault, refuseTooLarge } from './import-sizes.ts';
import { deleteIdentities, findHolders, insertIdentities, type HeldIdentity } from './name-queries.ts';
import { holdContacts, lockContacts, type ContactFields } from './queries.ts';

/** One contact with all rows of the portion that are about it. */
interface Draft {
  _id: string;
  isNew: boolean;
  rows: Person[];
  /** The identities by which the rows found the contact. */
  called: NamedIdentity[];
}

interface Plan {
  drafts: Map<string, Draft>;
  /** The identities that these contacts have and will have, as far as the rows name them. */
  names: (HeldIdentity & { address: string })[];
  /** Identities that were stored before, with the contacts that have them. */
  known: Map<string, string>;
  created: number;
  updated: number;
  faults: { number: number; faults: Fault[] }[];
}

/** An id or identity in a row that identifies a contact. */
interface RowKey {
  field: string;
  kind: string;
  value: string;
}

const keyText = ({ kind, value }: Omit<RowKey, 'field'>): string => `${kind} ${value}`;
const idKey = (_id: string): RowKey => ({ field: '_id', kind: 'ID', value: _id });

/** Imports the rows of a sheet as contacts. */
export const contactImporter: RowImporter<RowRules, Person> = {
  slots: async (tx, { country }) => ({ definitions: await listAllDefinitions(tx, 'contact'), country }),
  take: takeContacts,
};

interface Read {
  number: number;
  person: Person;
  faults: Fault[];
}

async function takeContacts(
  tx: TenantTx,
  asked: Import,
  rows: ReadRow<Person>[],
  { definitions }: RowRules,
): Promise<ImportedRows> {
  const read = rows.map(({ number, value, faults }): Read => ({
    number,
    person: value ?? NO_PERSON,
    faults: [...faults],
  }));
  await checkReferences(tx, read);
  const sound = read.filter(({ faults }) => faults.length === 0);
  const known = await findHolders(
    tx,
    sound.flatMap(({ person }) => toIdentities(person.plain)),
  );
  const plan = makePlan(sound, known, asked.update_existing);
  await refuseTooLarge(tx, plan, definitions);
  plan.names = [...plan.drafts.values()].flatMap(draftIdentities);
  const changed = await store(tx, plan, definitions);
  if (!asked.silent) await emitEvents(tx, changed);
  const broken = [
    ...read.filter(({ faults }) => faults.length > 0).map(({ number, faults }) => ({ number, faults })),
    ...plan.faults,
  ].toSorted((a, b) => a.number - b.number);
  const errors: RowError[] = broken.flatMap(({ number, faults }) => rowErrors(number, faults));
  return { created: plan.created, updated: plan.updated, failed: broken.length, errors };
}

const NO_PERSON: Person = { number: 0, _id: null, plain: {}, given: {} };

async function checkReferences(tx: TenantTx, read: Read[]): Promise<void> {
  const pointers = read.map((each) => ({ ...each, pointers: collectPointers(each) }));
  const asked = pointers.flatMap((each) => each.pointers);
  if (asked.length === 0) return;
  const found = new Map((await findPointers(tx, asked)).map((each) => [`${each.field} ${each._id}`, each]));
  for (const { pointers: own, faults } of pointers) {
    for (const { field, _id } of own) {
      const known = found.get(`${field} ${_id}`);
      if (!known) faults.push({ field, message: 'points to nothing' });
      else if (known.inactive) faults.push({ field, message: INACTIVE_USER });
    }
  }
}

/** Returns the valid ids of other records that a row names. */
function collectPointers({ person: { _id, plain }, faults }: Read): Pointer[] {
  const { business = null, owner = null } = plain;
  return Object.entries({ _id, business, owner }).flatMap(([name, id]) => {
    const field = name as Pointer['field'];
    return id === null || faults.some((fault) => fault.field === field) ? [] : [{ field, _id: id }];
  });
}

/** Plans the portion row by row. A later row finds the contact of an earlier one as if it had been stored. */
function makePlan(people: Read[], known: HeldIdentity[], updates: boolean): Plan {
  const ids = people.flatMap(({ person }) => person._id ?? []);
  const holders = new Map([
    ...known.map((name) => [keyText(name), name.contact] as const),
    ...ids.map((_id) => [keyText(idKey(_id)), _id] as const),
  ]);
  const plan: Plan = {
    drafts: new Map(),
    names: [],
    known: new Map(holders),
    created: 0,
    updated: 0,
    faults: [],
  };
  for (const { number, person } of people) {
    const identities = toIdentities(person.plain);
    const rowKeys: RowKey[] = [...(person._id === null ? [] : [idKey(person._id)]), ...identities];
    const held = rowKeys.filter((rowKey) => holders.has(keyText(rowKey)));
    const [first] = held;
    const target = first && holders.get(keyText(first));
    const fault = findKeyFault(held, holders, updates, plan.drafts);
    if (fault) {
      plan.faults.push({ number, faults: [fault] });
      continue;
    }
    const contact = target ?? newId();
    const draft = plan.drafts.get(contact) ?? { _id: contact, isNew: target === undefined, rows: [], called: [] };
    const called = identities.filter((name) => plan.known.has(keyText(name)));
    draft.rows.push({ ...person, plain: withoutIdentities(person.plain, called) });
    draft.called.push(...called);
    plan.drafts.set(contact, draft);
    if (target === undefined) plan.created += 1;
    else plan.updated += 1;
    for (const name of identities) holders.set(keyText(name), contact);
  }
  return plan;
}

/**
 * Removes the identities by which the contact was found: they replace nothing, because a contact may have more of them than its record
 * shows.
 */
function withoutIdentities(plain: Person['plain'], called: NamedIdentity[]): Person['plain'] {
  const left = { ...plain };
  for (const { field } of called) {
    delete left[field];
    // The country code belongs to the phone number and is removed with it.
    if (field === 'phone_number') delete left.country_code;
  }
  return left;
}

/** When rows give a contact two numbers, the last one is stored and only that one becomes an identity. */
const draftIdentities = (draft: Draft): Plan['names'] =>
  [...draft.called, ...toIdentities(mergePlain(draft))].map(({ kind, value, address }) => ({
    kind,
    value,
    address,
    contact: draft._id,
  }));

function findKeyFault(
  held: RowKey[],
  holders: Map<string, string>,
  updates: boolean,
  drafts: Map<string, Draft>,
): Fault | null {
  const [first] = held;
  if (!first) return null;
  const target = holders.get(keyText(first)) ?? '';
  const other = held.find((rowKey) => holders.get(keyText(rowKey)) !== target);
  if (other) return { field: other.field, message: `belongs to another contact than ${first.field}` };
  if (updates) return null;
  const isEarlier = drafts.get(target)?.isNew;
  return { field: first.field, message: isEarlier ? 'stands in an earlier row' : `belongs to contact ${target}` };
}

interface Changed {
  _id: string;
  isNew: boolean;
  changes: FieldChange[];
}

/** Returns the contacts that are new or really changed, in the order of their rows. */
async function store(tx: TenantTx, plan: Plan, definitions: CustomField[]): Promise<Changed[]> {
  const drafts = [...plan.drafts.values()];
  const { names } = plan;
  const merged = new Map<string, { person: StoredPerson; changes: FieldChange[] }>();
  const fresh = drafts.filter(({ isNew }) => isNew);
  for (const draft of fresh) merged.set(draft._id, mergeRows(NOBODY, draft, definitions));
  if (fresh.length > 0) await insertImported(tx, toStoredPersons(fresh, merged));
  const existing = drafts.filter(({ isNew }) => !isNew);
  const ids = existing.map(({ _id }) => _id);
  if (ids.length > 0 && (await holdContacts(tx, ids)) !== ids.length) throw changedMeanwhile();
  const free = names.filter((name) => !plan.known.has(keyText(name)));
  if (free.length > 0 && (await insertIdentities(tx, free)) !== free.length) throw changedMeanwhile();
  if (existing.length > 0) await updateExisting(tx, { existing, names, definitions, merged });
  return drafts.flatMap(({ _id, isNew }) => {
    const changes = merged.get(_id)?.changes;
    return changes ? [{ _id, isNew, changes }] : [];
  });
}

interface Existing {
  existing: Draft[];
  names: HeldIdentity[];
  definitions: CustomField[];
  /** The contacts that really change are added to this map. */
  merged: Map<string, { person: StoredPerson; changes: FieldChange[] }>;
}

async function updateExisting(tx: TenantTx, { existing, names, definitions, merged }: Existing): Promise<void> {
  const ids = existing.map(({ _id }) => _id);
  const locked = new Map((await lockContacts(tx, ids)).map((contact) => [contact._id, contact]));
  const ours = names.filter(({ contact }) => locked.has(contact));
  const held = new Map((await findHolders(tx, ours)).map((name) => [keyText(name), name.contact]));
  // Another transaction removed, merged or changed one of the contacts between the look-up and the lock.
  if (locked.size !== ids.length || ours.some((name) => held.get(keyText(name)) !== name.contact))
    throw changedMeanwhile();
  const replaced: HeldIdentity[] = [];
  const changed: Draft[] = [];
  for (const draft of existing) {
    const contact = locked.get(draft._id);
    if (!contact) continue;
    const own = pickFields(contact);
    if (findGrowthFault({ held: own.held, rows: draft.rows, definitions })) throw changedMeanwhile();
    const next = mergeRows(own, draft, definitions);
    const { _id, ...fields } = next.person;
    if (isDeepStrictEqual(fields, own)) continue;
    changed.push(draft);
    // Custom field values that did not change are not written again.
    merged.set(_id, next.changes.length > 0 ? next : { ...next, person: { ...next.person, held: null } });
    const kept = new Set(toIdentities(fields).map(keyText));
    for (const name of toIdentities(own))
      if (!kept.has(keyText(name))) replaced.push({ kind: name.kind, value: name.value, contact: _id });
  }
  if (replaced.length > 0) await deleteIdentities(tx, replaced);
  if (changed.length > 0) await updateImported(tx, toStoredPersons(changed, merged));
}

const toStoredPersons = (drafts: Draft[], merged: Map<string, { person: StoredPerson }>): StoredPerson[] =>
  drafts.flatMap(({ _id }) => merged.get(_id)?.person ?? []);

const changedMeanwhile = (): AppError => new AppError('UNAVAILABLE', 'The contacts changed meanwhile');

/** Merges the fields of all rows of a contact; the last row wins. */
const mergePlain = ({ rows }: Draft): Person['plain'] => Object.assign({}, ...rows.map((row) => row.plain));

/** Merges the rows into the stored contact. Fields that the rows leave empty stay as they are. */
function mergeRows(
  before: ContactFields,
  draft: Draft,
  definitions: CustomField[],
): { person: StoredPerson; changes: FieldChange[] } {
  const given = Object.assign({}, ...draft.rows.map((row) => row.given)) as Person['given'];
  const { held, changes } = mergeValues(definitions, before.held, given);
  return { person: { _id: draft._id, ...before, ...mergePlain(draft), held }, changes };
}

async function emitEvents(tx: TenantTx, changed: Changed[]): Promise<void> {
  if (changed.length === 0) return;
  const ids = changed.map(({ _id }) => _id);
  const records = new Map((await findPeople(tx, ids)).map((contact) => [contact._id, contact]));
  const items = changed.flatMap(({ _id, isNew, changes }): EventItem[] => {
    const contact = records.get(_id);
    if (!contact) return [];
    const about = { _id, company: contact.company, contact: _id };
    return [{ event: isNew ? 'CONTACT_CREATED' : 'CONTACT_UPDATED', data: contact }, ...fieldEvents(about, changes)];
  });
  await emit(tx, items);
}
