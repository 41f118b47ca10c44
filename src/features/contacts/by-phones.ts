/** Creates the contacts of many phone numbers with few statements. */
import { PHONE_NUMBER } from '../../channels/identity.ts';
import { ChangedMeanwhile } from '../../platform/store/overtaken.ts';
import { emit } from '../../platform/store/events.ts';
import { newId } from '../../platform/values/ids.ts';
import type { Phone } from '../../platform/values/phone.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import { NOBODY } from './contacts.ts';
import { insertImported } from './import/queries.ts';
import { insertIdentities } from './name-queries.ts';
import { findContacts, keepContactsFromRemoval } from './queries.ts';
import type { ContactSource } from './schemas.ts';

export type PhoneContact = Phone & { name: string | null };

/**
 * Creates a contact for each of these different numbers, with its event, and returns their ids in the same order. Throws ChangedMeanwhile when
 * another transaction has given one of the numbers to a contact meanwhile; a retry then finds it.
 */
export async function createByPhones(tx: TenantTx, source: ContactSource, people: PhoneContact[]): Promise<string[]> {
  if (people.length === 0) return [];
  const created = people.map((person) => ({ _id: newId(), ...NOBODY, ...person }));
  const ids = created.map(({ _id }) => _id);
  await insertImported(tx, created, source);
  const identities = created.map(({ _id, phone_number }) => ({ ...PHONE_NUMBER.identify(phone_number), contact: _id }));
  if ((await insertIdentities(tx, identities)) !== identities.length) throw new ChangedMeanwhile('A contact');
  const contacts = await findContacts(tx, ids);
  await emit(
    tx,
    contacts.map((data) => ({ event: 'CONTACT_CREATED', data })),
  );
  return ids;
}

/** Keeps these contacts from being removed until the transaction ends. Throws ChangedMeanwhile when one of them is gone already. */
export async function holdMany(tx: TenantTx, ids: string[]): Promise<void> {
  const distinct = [...new Set(ids)];
  if ((await keepContactsFromRemoval(tx, distinct)) !== distinct.length) throw new ChangedMeanwhile('A contact');
}
