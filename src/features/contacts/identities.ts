/**
 * The identities that callers write: phone number, e-mail, network identifier and external id. The primary key of the identities decides
 * which contact has one. They are written before the contact is locked, in the same order as ingestion, to avoid deadlocks.
 */
import { alreadyHeld, AppError } from '../../platform/errors.ts';
import { onlyDigits, phoneKey } from '../../platform/phone.ts';
import type { TenantTx } from '../../platform/tenant.ts';
import { findHolders, insertIdentities, deleteIdentity, type NewIdentity } from './name-queries.ts';
import type { Contact } from './schemas.ts';

const FIELDS = ['phone_number', 'email', 'professional_network_identifier', 'external_id'] as const;
export type IdentityFields = { [field in (typeof FIELDS)[number]]?: Contact[field] };

const KINDS = {
  phone_number: 'PHONE',
  email: 'EMAIL',
  professional_network_identifier: 'NETWORK',
  external_id: 'EXTERNAL',
} as const;

export type NamedIdentity = Omit<NewIdentity, 'contact'> & { field: (typeof FIELDS)[number] };

export function toIdentities(naming: IdentityFields): NamedIdentity[] {
  return FIELDS.flatMap((field) => {
    const text = naming[field] ?? null;
    if (text === null) return [];
    const address = field === 'phone_number' ? onlyDigits(text) : text;
    return [{ field, kind: KINDS[field], value: toStoredValue(field, text), address }];
  });
}

function toStoredValue(field: NamedIdentity['field'], text: string): string {
  if (field === 'phone_number') return phoneKey(text);
  return field === 'email' ? text.toLowerCase() : text;
}

// Other transactions may take an identity and give it back between our statements; this many times in a row would be a defect.
const ROUNDS = 3;

/** Gives the contact these identities and keeps those it has. Throws CONTACT_EXISTS where another contact has one. */
export async function assignIdentities(tx: TenantTx, contact: string, naming: IdentityFields): Promise<void> {
  const identities = toIdentities(naming);
  if (identities.length === 0) return;
  const names = identities.map((identity) => ({ ...identity, contact }));
  for (let round = 0; round < ROUNDS; round += 1) {
    if ((await insertIdentities(tx, names)) === names.length) return;
    const holders = await findHolders(tx, names);
    for (const { field, kind } of identities) {
      const holder = holders.find((row) => row.kind === kind);
      if (holder && holder.contact !== contact) throw alreadyHeld('CONTACT_EXISTS', field, holder.contact);
    }
    if (holders.length === names.length) return;
  }
  throw new AppError('UNAVAILABLE', 'The contact changes too quickly', [], { 'retry-after': '1' });
}

/**
 * Removes the identities that were replaced. Clearing a field removes all identities of its kind, because the caller wants none of them
 * used. An id of a network (BSUID) stays.
 */
export async function releaseIdentities(
  tx: TenantTx,
  contact: string,
  before: IdentityFields,
  next: IdentityFields,
): Promise<void> {
  for (const field of FIELDS) {
    const [old, current] = [before[field] ?? null, next[field] ?? null];
    if (old === null) continue;
    const value = current === null ? null : toStoredValue(field, old);
    if (current === null || value !== toStoredValue(field, current)) {
      await deleteIdentity(tx, contact, { kind: KINDS[field], value });
    }
  }
}
