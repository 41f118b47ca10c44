/** Creates the contacts of phone numbers, for operations that have looked for them. */
import { ChangedMeanwhile } from '../../platform/store/overtaken.ts';
import { newId } from '../../platform/values/ids.ts';
import type { Phone } from '../../platform/values/phone.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import { createContacts, NOBODY } from './contacts.ts';
import { claimFreeIdentities } from './identities.ts';
import { keepContactsFromRemoval } from './queries.ts';
import type { ContactSource } from './schemas.ts';

/** `last_message_at`: when the message is stored for which the contact is created. */
export type PhoneContact = Phone & { name: string | null; last_message_at?: string };

/**
 * Creates a contact for each of these different numbers, with its event, and returns their ids in the same order. Throws ChangedMeanwhile when
 * another transaction has given one of the numbers to a contact meanwhile; a retry then finds it.
 */
export async function createByPhones(tx: TenantTx, source: ContactSource, people: PhoneContact[]): Promise<string[]> {
  const created = people.map((person) => ({
    isNew: true,
    person: { ...NOBODY, ...person, _id: newId() },
    changes: [],
  }));
  await createContacts(tx, source, created, claimFreeIdentities);
  return created.map(({ person }) => person._id);
}

/** Keeps these contacts from being removed until the transaction ends. Throws ChangedMeanwhile when one of them is gone already. */
export async function holdMany(tx: TenantTx, ids: string[]): Promise<void> {
  const distinct = [...new Set(ids)];
  if ((await keepContactsFromRemoval(tx, distinct)) !== distinct.length) throw new ChangedMeanwhile('A contact');
}
