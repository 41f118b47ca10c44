/** Finds what the rows of a portion refer to: businesses and users by their ids, and contacts by their ids and identities. */
import type { TenantTx } from '../../../platform/tenant.ts';
import type { Fault, ReadRow } from '../../imports/reading.ts';
import { INACTIVE_USER } from '../../users/assignments.ts';
import { toIdentities } from '../identities.ts';
import { findPointers, type Pointer } from './queries.ts';
import type { Person } from './rows.ts';
import { findHolders } from '../name-queries.ts';

/** An id or identity in a row that identifies a contact. */
export interface RowKey {
  field: string;
  kind: string;
  value: string;
}

export const keyText = ({ kind, value }: Omit<RowKey, 'field'>): string => `${kind} ${value}`;

export const toRowKeys = ({ _id, plain }: Person): RowKey[] => [
  ...(_id === null ? [] : [{ field: '_id', kind: 'ID', value: _id }]),
  ...toIdentities(plain),
];

export interface FailedRow {
  number: number;
  faults: Fault[];
}

export interface Matched {
  /** The rows without a fault. */
  people: Person[];
  failed: FailedRow[];
  /** The ids of the stored contacts, by the keys of the rows that name them. */
  stored: Map<string, string>;
}

export async function matchRows(tx: TenantTx, read: ReadRow<Person>[]): Promise<Matched> {
  const rows = await checkPointers(tx, read);
  const people = rows.flatMap(({ value, faults }) => (value && faults.length === 0 ? [value] : []));
  const holders = await findHolders(
    tx,
    people.flatMap(({ plain }) => toIdentities(plain)),
  );
  const named = people.flatMap(({ _id }) => (_id === null ? [] : [{ kind: 'ID', value: _id, contact: _id }]));
  return {
    people,
    failed: rows.filter(({ faults }) => faults.length > 0),
    stored: new Map([...holders, ...named].map((key) => [keyText(key), key.contact])),
  };
}

/** Adds a fault to a row for each of its ids that points to nothing that the row may name. */
async function checkPointers(tx: TenantTx, rows: ReadRow<Person>[]): Promise<ReadRow<Person>[]> {
  const asked = rows.flatMap(collectPointers);
  if (asked.length === 0) return rows;
  const found = new Map((await findPointers(tx, asked)).map((each) => [`${each.field} ${each._id}`, each]));
  const findFaults = ({ field, _id }: Pointer): Fault[] => {
    const known = found.get(`${field} ${_id}`);
    if (known && !known.inactive) return [];
    return [{ field, message: known ? INACTIVE_USER : 'points to nothing' }];
  };
  return rows.map((row) => ({ ...row, faults: [...row.faults, ...collectPointers(row).flatMap(findFaults)] }));
}

/** Returns the valid ids of other records that a row names. */
function collectPointers({ value, faults }: ReadRow<Person>): Pointer[] {
  const { business = null, owner = null } = value?.plain ?? {};
  return Object.entries({ _id: value?._id ?? null, business, owner }).flatMap(([name, id]) => {
    const field = name as Pointer['field'];
    return id === null || faults.some((fault) => fault.field === field) ? [] : [{ field, _id: id }];
  });
}
