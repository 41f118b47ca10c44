/**
 * The identities that callers write: phone number, e-mail, network identifier and external id. The primary key of the identities decides
 * which contact has one. They are written before the contact is locked, in the same order as ingestion, to avoid deadlocks.
 */
import type { Identity } from '../../channels/identity.ts';
import { alreadyTaken, AppError } from '../../platform/values/errors.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import { findIdentityHolders, insertIdentities, deleteIdentity } from './name-queries.ts';
import { IDENTITY_FIELD_NAMES, IDENTITY_FIELDS, type Contact, type IdentityField } from './schemas.ts';

export type NamingFields = { [field in IdentityField]?: Contact[field] };

export interface FieldIdentity extends Identity {
  field: IdentityField;
}

export function toIdentities(naming: NamingFields): FieldIdentity[] {
  return IDENTITY_FIELD_NAMES.flatMap((field) => {
    const text = naming[field] ?? null;
    return text === null ? [] : [{ field, ...IDENTITY_FIELDS[field].identify(text) }];
  });
}

// The number of tries: other transactions may take an identity and give it back between two statements; this many times in a row would be a
// defect.
const ROUNDS = 3;

/** Gives the contact these identities and keeps those that it has. Throws CONTACT_EXISTS when another contact has one of them. */
export async function assignIdentities(tx: TenantTx, contact: string, naming: NamingFields): Promise<void> {
  const identities = toIdentities(naming);
  if (identities.length === 0) return;
  const names = identities.map((identity) => ({ ...identity, contact }));
  for (let round = 0; round < ROUNDS; round += 1) {
    if ((await insertIdentities(tx, names)) === names.length) return;
    const holders = await findIdentityHolders(tx, names);
    for (const { field, kind } of identities) {
      const holder = holders.find((row) => row.kind === kind);
      if (holder && holder.contact !== contact) throw alreadyTaken('CONTACT_EXISTS', field, holder.contact);
    }
    if (holders.length === names.length) return;
  }
  throw new AppError('UNAVAILABLE', 'The contact is changing too fast', [], { 'retry-after': '1' });
}

/** Takes one identity from a contact. */
export const releaseIdentity = (tx: TenantTx, contact: string, identity: Identity): Promise<number> =>
  deleteIdentity(tx, contact, identity);

/**
 * Removes the identities that were replaced. Clearing a field removes all identities of its kind, because the caller wants none of them
 * used. Identities that no field shows, such as ids of networks, stay.
 */
export async function releaseIdentities(
  tx: TenantTx,
  contact: string,
  before: NamingFields,
  next: NamingFields,
): Promise<void> {
  for (const field of IDENTITY_FIELD_NAMES) {
    const [old, current] = [before[field] ?? null, next[field] ?? null];
    if (old === null) continue;
    const { kind, value } = IDENTITY_FIELDS[field].identify(old);
    if (current === null) await deleteIdentity(tx, contact, { kind, value: null });
    else if (value !== IDENTITY_FIELDS[field].identify(current).value)
      await deleteIdentity(tx, contact, { kind, value });
  }
}
