/** Decides for each row of a portion whether it creates a contact, changes one, or fails. */
import { newId } from '../../../platform/values/ids.ts';
import type { Fault } from '../../imports/reading.ts';
import { toIdentities, type FieldIdentity } from '../identities.ts';
import { toKeyText, toRowKeys, type FailedRow, type MatchedRows, type RowKey } from './match.ts';
import type { PersonRow } from './rows.ts';

/** One contact with all rows of the portion that are about it. */
export interface ContactDraft {
  _id: string;
  isNew: boolean;
  rows: PersonRow[];
  /** The identities by which the rows found the contact. */
  called: FieldIdentity[];
}

export interface ImportPlan {
  drafts: Map<string, ContactDraft>;
  failed: FailedRow[];
}

/** Plans row by row: a later row finds the contact of an earlier one as if it had been stored. */
export function planContacts({ people, failed, stored }: MatchedRows, updates: boolean): ImportPlan {
  const plan: ImportPlan = { drafts: new Map(), failed: [...failed] };
  const holders = new Map(stored);
  for (const person of people) {
    const held = toRowKeys(person).filter((rowKey) => holders.has(toKeyText(rowKey)));
    const [first] = held;
    const target = first && holders.get(toKeyText(first));
    const fault =
      findConflict(held, holders) ?? (first && target && !updates ? makeUpdateRefusal(first, plan, target) : null);
    if (fault) {
      plan.failed.push({ number: person.number, faults: [fault] });
      continue;
    }
    const contact = target ?? newId();
    const draft = plan.drafts.get(contact) ?? { _id: contact, isNew: target === undefined, rows: [], called: [] };
    plan.drafts.set(contact, draft);
    const identities = toIdentities(person.plain);
    const called = identities.filter((name) => stored.has(toKeyText(name)));
    draft.rows.push({ ...person, plain: withoutIdentities(person.plain, called) });
    draft.called.push(...called);
    for (const name of identities) holders.set(toKeyText(name), contact);
  }
  return plan;
}

/** A row must not name two contacts. */
function findConflict([first, ...others]: RowKey[], holders: Map<string, string>): Fault | null {
  if (!first) return null;
  const other = others.find((rowKey) => holders.get(toKeyText(rowKey)) !== holders.get(toKeyText(first)));
  return other ? { field: other.field, message: `belongs to another contact than ${first.field}` } : null;
}

const makeUpdateRefusal = ({ field }: RowKey, { drafts }: ImportPlan, contact: string): Fault => ({
  field,
  message: drafts.get(contact)?.isNew ? 'stands in an earlier row' : `belongs to contact ${contact}`,
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
