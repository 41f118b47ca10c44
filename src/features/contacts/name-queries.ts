/**
 * Queries for the identities of contacts: phone numbers, e-mails, network identifiers and external ids. The primary key allows one contact
 * for each.
 */
import type { Identity } from '../../channels/identity.ts';
import { exec, many, oneValue } from '../../platform/store/db.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';

type IdentityKey = Pick<Identity, 'kind' | 'value'>;
export type HeldIdentity = IdentityKey & { contact: string };

const listKinds = (names: Pick<Identity, 'kind'>[]): string[] => names.map((name) => name.kind);
const listValues = (names: IdentityKey[]): string[] => names.map((name) => name.value);
const listContactIds = (names: Pick<HeldIdentity, 'contact'>[]): string[] => names.map((name) => name.contact);

/** Returns those of the given identities that a contact has. */
export function findIdentityHolders(tx: TenantTx, names: IdentityKey[]): Promise<HeldIdentity[]> {
  return many(tx, {
    name: 'contacts.findNames',
    text: `select i.kind, i.value, i.contact_id as contact from unnest($2::text[], $3::text[]) as asked (kind, value)
      join contact_identities i on i.company_id = $1 and i.kind = asked.kind and i.value = asked.value`,
    values: [tx.companyId, listKinds(names), listValues(names)],
  });
}

/**
 * Takes identities from contacts; with `value` null all of the kind. With `sameAddress` each takes along those whose answers were sent to the
 * same address, such as a number under which the network knew the person before.
 */
export function deleteIdentities(
  tx: TenantTx,
  names: { contact: string; kind: string; value: string | null }[],
  { sameAddress }: { sameAddress: boolean },
): Promise<number> {
  return exec(tx, {
    name: 'contacts.deleteNames',
    text: `delete from contact_identities i using unnest($2::text[], $3::text[], $4::text[]) as n (kind, value, contact_id)
      where i.company_id = $1 and i.contact_id = n.contact_id and i.kind = n.kind
        and (n.value is null or i.value = n.value or $5::boolean and i.address = (select o.address from contact_identities o
          where o.company_id = $1 and o.contact_id = n.contact_id and o.kind = n.kind and o.value = n.value))`,
    values: [tx.companyId, listKinds(names), names.map((name) => name.value), listContactIds(names), sameAddress],
  });
}

/** Gives identities of some contacts to others, or to the same one with another address. Returns how many had not changed before. */
export function passIdentities(tx: TenantTx, names: (Identity & { contact: string; from: string })[]): Promise<number> {
  return exec(tx, {
    name: 'contacts.passNames',
    text: `update contact_identities i set contact_id = n.contact_id, address = n.address
      from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) as n (kind, value, contact_id, address, holder)
      where i.company_id = $1 and i.kind = n.kind and i.value = n.value and i.contact_id = n.holder`,
    values: [
      tx.companyId,
      listKinds(names),
      listValues(names),
      listContactIds(names),
      names.map((name) => name.address),
      names.map((name) => name.from),
    ],
  });
}

/** Moves all identities of one contact to another. */
export function moveAllIdentities(tx: TenantTx, from: string, to: string): Promise<number> {
  return exec(tx, {
    name: 'contacts.moveNames',
    text: 'update contact_identities set contact_id = $3 where company_id = $1 and contact_id = $2',
    values: [tx.companyId, from, to],
  });
}

export function hasIdentity(tx: TenantTx, contact: string): Promise<boolean> {
  return oneValue(tx, {
    name: 'contacts.isNamed',
    text: 'select exists (select 1 from contact_identities where company_id = $1 and contact_id = $2) as named',
    values: [tx.companyId, contact],
  });
}
