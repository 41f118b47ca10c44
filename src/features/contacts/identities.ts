/**
 * The identities that callers write: phone number, e-mail, network identifier and external id. The primary key of the identities decides
 * which contact has one. They are written before the contact is locked, in the same order as ingestion, to avoid deadlocks.
 */
import type { Identity } from '../../channels/identity.ts';
import { ChangedMeanwhile } from '../../platform/store/overtaken.ts';
import { alreadyTaken } from '../../platform/values/errors.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import { identityKey, type GivenIdentity } from './identity-plan.ts';
import { claimIdentities } from './ingest-queries.ts';
import { findIdentityHolders, deleteIdentities } from './name-queries.ts';
import { IDENTITY_FIELD_NAMES, IDENTITY_FIELDS, type Contact, type IdentityField } from './schemas.ts';

export type NamingFields = { [field in IdentityField]?: Contact[field] };

export interface FieldIdentity extends Identity {
  field: IdentityField;
}

export type ShownIdentity = FieldIdentity & GivenIdentity;

export function toIdentities(naming: NamingFields): FieldIdentity[] {
  return IDENTITY_FIELD_NAMES.flatMap((field) => {
    const text = naming[field] ?? null;
    return text === null ? [] : [{ field, ...IDENTITY_FIELDS[field].identify(text) }];
  });
}

const insertIdentities = (tx: TenantTx, names: GivenIdentity[]): Promise<number> =>
  claimIdentities(
    tx,
    names.map((name) => ({ ...name, company: tx.companyId })),
  );

// The number of tries: other transactions may take an identity and give it back between two statements; this many times in a row would be a
// defect.
const ROUNDS = 3;

/** The identities that the fields of these contacts show. */
export const listShown = (contacts: ({ _id: string } & NamingFields)[]): ShownIdentity[] =>
  contacts.flatMap((contact) => toIdentities(contact).map((identity) => ({ ...identity, contact: contact._id })));

/** Gives contacts these identities, and they keep the others. Throws CONTACT_EXISTS when another contact has one of them. */
export async function assignIdentities(tx: TenantTx, names: ShownIdentity[]): Promise<void> {
  if (names.length === 0) return;
  for (let round = 0; round < ROUNDS; round += 1) {
    if ((await insertIdentities(tx, names)) === names.length) return;
    const holders = new Map((await findIdentityHolders(tx, names)).map((each) => [identityKey(each), each.contact]));
    for (const name of names) {
      const holder = holders.get(identityKey(name)) ?? name.contact;
      if (holder !== name.contact) throw alreadyTaken('CONTACT_EXISTS', name.field, holder);
    }
    if (holders.size === names.length) return;
  }
  throw new ChangedMeanwhile('The contact');
}

/** Gives contacts identities that were free a moment ago. Throws ChangedMeanwhile when one is no longer; a retry then finds its contact. */
export async function claimFreeIdentities(tx: TenantTx, names: GivenIdentity[]): Promise<void> {
  if (names.length > 0 && (await insertIdentities(tx, names)) !== names.length) throw new ChangedMeanwhile('A contact');
}

/** Takes one identity from a contact. */
export const releaseIdentity = (tx: TenantTx, contact: string, identity: Identity): Promise<number> =>
  deleteIdentities(tx, [{ ...identity, contact }], { sameAddress: true });

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
  const replaced = toIdentities(before).flatMap(({ field, kind, value }): Replaced[] => {
    const current = next[field] ?? null;
    if (current === null) return [{ kind, value: null, contact }];
    return value === IDENTITY_FIELDS[field].identify(current).value ? [] : [{ kind, value, contact }];
  });
  if (replaced.length > 0) await deleteIdentities(tx, replaced, { sameAddress: true });
}

type Replaced = Parameters<typeof deleteIdentities>[1][number];
