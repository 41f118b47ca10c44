/** Applies the choices of people, which the network reports: that they want no more messages of a business, or want them again. */
import type { Person } from '../../channels/identity.ts';
import { emit } from '../../platform/store/events.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import { identityKey } from './identity-plan.ts';
import { listIdentities, findKnownIdentities } from './ingest-people.ts';
import { findContactsByKeys } from './ingest-queries.ts';
import { setOptOuts } from './ingest-wish-queries.ts';

export interface OptOutWish {
  company: string;
  person: Person;
  /** The person's contact, when it is known already. */
  contact?: string;
  optedOut: boolean;
  at: string;
}

/**
 * Sets and clears `opted_out`. The newest choice of a person wins, in whatever order the choices arrive. Returns how many were about stored
 * contacts.
 */
export async function applyOptOutWishes(tx: SystemTx, wishes: OptOutWish[]): Promise<number> {
  if (wishes.length === 0) return 0;
  const known = await findKnownIdentities(tx, wishes.flatMap(listIdentities));
  const meant = wishes.flatMap((wish) => {
    const [holder] = [
      wish.contact,
      ...listIdentities(wish).map((name) => known.get(identityKey(name))?.contact),
    ].filter((contact) => contact !== undefined);
    return holder ? [{ ...wish, contact: holder }] : [];
  });
  // A statement can update a contact only once, so only the newest choice of each contact is kept.
  const newest = new Map<string, (typeof meant)[number]>();
  for (const wish of meant.toSorted((a, b) => (a.at < b.at ? -1 : 1))) newest.set(wish.contact, wish);
  if (newest.size === 0) return 0;
  const changed = await setOptOuts(tx, [...newest.values()]);
  if (changed.length > 0) {
    const contacts = await findContactsByKeys(tx, changed);
    await emit(
      tx,
      contacts.map((data) => ({ event: 'CONTACT_UPDATED', data })),
    );
  }
  return meant.length;
}
