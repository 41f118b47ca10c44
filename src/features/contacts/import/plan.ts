/** Decides for each row of a portion whether it creates a contact, changes one, or fails. */
import type { Identity } from '../../../channels/identity.ts';
import { newId } from '../../../platform/values/ids.ts';
import type { CustomField, HeldValues } from '../../custom-fields/schemas.ts';
import type { Fault } from '../../imports/reading.ts';
import { toIdentities, type FieldIdentity, type NamingFields } from '../identities.ts';
import type { HeldIdentity } from '../name-queries.ts';
import {
  beginIdentityPlan,
  giveIdentity,
  listIdentityChanges,
  releaseIdentity,
  identityKey,
  type IdentityChanges,
  type IdentityPlan,
} from '../identity-plan.ts';
import { toRowKeys, type FailedRow, type MatchedRows, type RowKey } from './match.ts';
import type { PersonRow } from './rows.ts';
import { growValues } from './sizes.ts';

/** One contact with all rows of the portion that are about it. */
export interface ContactDraft {
  _id: string;
  isNew: boolean;
  /** The rows without the identities by which they found the contact. */
  rows: PersonRow[];
  /** The identities by which rows found the contact, and which it had before the first row. */
  called: HeldIdentity[];
  /** What the stored contact showed when the rows were planned; the plan holds only as long as it shows the same. */
  shown: NamingFields;
}

export interface ImportPlan {
  drafts: Map<string, ContactDraft>;
  failed: FailedRow[];
  identities: IdentityChanges;
}

interface Planning {
  plan: Omit<ImportPlan, 'identities'>;
  identities: IdentityPlan;
  /** The fields of the contacts as the rows until now leave them. */
  states: Map<string, ContactState>;
  rules: PlanRules;
}

interface ContactState {
  shown: NamingFields;
  held: HeldValues;
  /** The stored identities of the contact whose address differs from their value. */
  addressed: Identity[];
}

export interface PlanRules {
  /** With false, rows about contacts that exist fail. */
  updates: boolean;
  definitions: CustomField[];
}

/** Plans row by row: a later row finds what the earlier ones leave, as if each had been stored by a request of its own. */
export function planContacts({ people, failed, stored, contacts }: MatchedRows, rules: PlanRules): ImportPlan {
  const planning: Planning = {
    plan: { drafts: new Map(), failed: [...failed] },
    identities: beginIdentityPlan(stored),
    states: new Map(contacts.map(({ _id, held, addressed, ...shown }) => [_id, { shown, held, addressed }])),
    rules,
  };
  for (const person of people) planRow(planning, person);
  return { ...planning.plan, identities: listIdentityChanges(planning.identities) };
}

function planRow(planning: Planning, person: PersonRow): void {
  const { plan, identities, states, rules } = planning;
  const { holders } = identities;
  const held = toRowKeys(person).filter((rowKey) => holders.has(identityKey(rowKey)));
  const [first] = held;
  const target = first && holders.get(identityKey(first));
  const refuse = (fault: Fault): void => void plan.failed.push({ number: person.number, faults: [fault] });
  const conflict = findConflict(held, holders);
  if (conflict) return refuse(conflict);
  if (first && target && !rules.updates) return refuse(makeUpdateRefusal(first, plan, target));
  const contact = target ?? newId();
  const state = states.get(contact) ?? { shown: {}, held: {}, addressed: [] };
  const called = toIdentities(person.plain).filter((name) => holders.get(identityKey(name)) === contact);
  const row = { ...person, plain: withoutIdentities(person.plain, called) };
  const grown = growValues(state.held, row, rules.definitions);
  if ('fault' in grown) return refuse(grown.fault);
  const isNew = target === undefined;
  const draft = plan.drafts.get(contact) ?? { _id: contact, isNew, rows: [], called: [], shown: state.shown };
  plan.drafts.set(contact, draft);
  draft.rows.push(row);
  const known = called.filter((name) => !identities.given.has(identityKey(name)));
  draft.called.push(...known.map(({ kind, value }) => ({ kind, value, contact })));
  const shown = replaceIdentities(identities, contact, state, row.plain);
  states.set(contact, { ...state, shown, held: grown.held });
}

/**
 * Gives the contact the new identities of a row, and takes those that it showed in their place, with those that have the same address.
 * Returns what it shows now.
 */
function replaceIdentities(
  identities: IdentityPlan,
  contact: string,
  { shown, addressed }: ContactState,
  plain: PersonRow['plain'],
): NamingFields {
  const fresh = toIdentities(plain);
  const replaced = toIdentities(shown).filter(({ field }) => fresh.some((name) => name.field === field));
  for (const { kind, value } of replaced) {
    const names = addressed.filter((name) => name.kind === kind);
    const { address } = names.find((name) => name.value === value) ?? { address: value };
    const same = names.filter((name) => name.address === address).map((name) => name.value);
    for (const each of new Set([value, address, ...same])) releaseIdentity(identities, { kind, value: each, contact });
  }
  for (const name of fresh) giveIdentity(identities, { ...name, contact });
  return { ...shown, ...Object.fromEntries(fresh.map(({ field }) => [field, plain[field] ?? null])) };
}

/** A row must not name two contacts. */
function findConflict([first, ...others]: RowKey[], holders: Map<string, string>): Fault | null {
  if (!first) return null;
  const other = others.find((rowKey) => holders.get(identityKey(rowKey)) !== holders.get(identityKey(first)));
  return other ? { field: other.field, message: `belongs to a different contact than ${first.field}` } : null;
}

const makeUpdateRefusal = ({ field }: RowKey, { drafts }: Pick<ImportPlan, 'drafts'>, contact: string): Fault => ({
  field,
  message: drafts.get(contact)?.isNew ? 'is also in an earlier row' : `belongs to contact ${contact}`,
});

/**
 * Removes the identities by which the contact was found: they replace nothing, because a contact may have more of them than its record
 * shows.
 */
function withoutIdentities(plain: PersonRow['plain'], called: FieldIdentity[]): PersonRow['plain'] {
  const left = { ...plain };
  for (const { field } of called) {
    delete left[field];
    // The country code belongs to the phone number and is removed with it.
    if (field === 'phone_number') delete left.country_code;
  }
  return left;
}
