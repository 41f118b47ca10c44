/** Finds what the rows of a portion refer to: businesses and users by their ids, and contacts by their ids and identities. */
import type { TenantTx } from '../../../platform/store/tenant.ts';
import type { Fault, ReadRow } from '../../imports/reading.ts';
import { INACTIVE_USER } from '../../users/assignments.ts';
import { toIdentities } from '../identities.ts';
import { identityKey } from '../identity-plan.ts';
import { findMatchedContacts, findReferences, type MatchedContact, type RowReference } from './queries.ts';
import type { PersonRow } from './rows.ts';
import { findIdentityHolders } from '../name-queries.ts';

/** An id or identity in a row that identifies a contact. */
export interface RowKey {
  field: string;
  kind: string;
  value: string;
}

export const toRowKeys = ({ _id, plain }: PersonRow): RowKey[] => [
  ...(_id === null ? [] : [{ field: '_id', kind: 'ID', value: _id }]),
  ...toIdentities(plain),
];

export interface FailedRow {
  number: number;
  faults: Fault[];
}

export interface MatchedRows {
  /** The rows without a fault. */
  people: PersonRow[];
  failed: FailedRow[];
  /** The ids of the stored contacts, by the keys of the rows that name them. */
  stored: Map<string, string>;
  /** These contacts, with what rows may replace. */
  contacts: MatchedContact[];
}

export async function matchRows(tx: TenantTx, rows: ReadRow<PersonRow>[]): Promise<MatchedRows> {
  const people = rows.flatMap(({ value, faults }) => (value && faults.length === 0 ? [value] : []));
  const holders = await findIdentityHolders(
    tx,
    people.flatMap(({ plain }) => toIdentities(plain)),
  );
  const named = people.flatMap(({ _id }) => (_id === null ? [] : [{ kind: 'ID', value: _id, contact: _id }]));
  const stored = new Map([...holders, ...named].map((key) => [identityKey(key), key.contact]));
  const ids = [...new Set(stored.values())];
  const givesValues = people.some(({ given }) => Object.keys(given).length > 0);
  return {
    people,
    failed: rows.filter(({ faults }) => faults.length > 0),
    stored,
    contacts: ids.length > 0 ? await findMatchedContacts(tx, ids, givesValues) : [],
  };
}

/** Adds a fault to a row for each of its ids that refers to a record that does not exist that the row may name. */
export async function dropUnknownReferences(tx: TenantTx, rows: ReadRow<PersonRow>[]): Promise<ReadRow<PersonRow>[]> {
  const asked = rows.flatMap(collectReferences);
  if (asked.length === 0) return rows;
  const found = new Map((await findReferences(tx, asked)).map((each) => [`${each.field} ${each._id}`, each]));
  const findFaults = ({ field, _id }: RowReference): Fault[] => {
    const known = found.get(`${field} ${_id}`);
    if (known && !known.inactive) return [];
    return [{ field, message: known ? INACTIVE_USER : 'refers to a record that does not exist' }];
  };
  return rows.map((row) => ({ ...row, faults: [...row.faults, ...collectReferences(row).flatMap(findFaults)] }));
}

/** Returns the valid ids of other records that a row names. */
function collectReferences({ value, faults }: ReadRow<PersonRow>): RowReference[] {
  const { business = null, owner = null } = value?.plain ?? {};
  return Object.entries({ _id: value?._id ?? null, business, owner }).flatMap(([name, id]) => {
    const field = name as RowReference['field'];
    return id === null || faults.some((fault) => fault.field === field) ? [] : [{ field, _id: id }];
  });
}
