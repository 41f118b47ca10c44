/** The part of a merge that concerns the two contacts themselves. */
import { invalid, notFound, unknownReference } from '../../platform/values/errors.ts';
import { expectRecordSize } from '../../platform/values/sizes.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import { uniteValues } from '../custom-fields/values.ts';
import { emitWritten, pickFields } from './contacts.ts';
import { storeAbsorbedContact } from './erase-queries.ts';
import { moveAllIdentities } from './name-queries.ts';
import { moveNotes } from './notes/queries.ts';
import {
  deleteContact,
  mergeReportedFields,
  lockContactsForRemoval,
  lockConversationsForRemoval,
  updateContact,
  type ContactFields,
  type LockedContact,
} from './queries.ts';
import { MAX_TAGS, type Contact } from './schemas.ts';

export interface ContactPair {
  target: LockedContact;
  /** The contact that the merge removes. */
  source: LockedContact;
}

/**
 * Locks both contacts and their conversations in the order that all operations use. Throws NOT_FOUND for the target, UNKNOWN_REFERENCE for
 * the source.
 */
export async function lockContactPair(tx: TenantTx, target: string, source: string): Promise<ContactPair> {
  if (target === source) throw invalid('contact', 'is the contact itself');
  await lockConversationsForRemoval(tx, [target, source]);
  const found = await lockContactsForRemoval(tx, [target, source]);
  const [kept, gone] = [target, source].map((id) => found.find(({ _id }) => _id === id));
  if (!kept) throw notFound();
  if (!gone) throw unknownReference('contact');
  return { target: kept, source: gone };
}

/**
 * Fills empty fields of the target from the source, deletes the source and emits the events. All records of the source have been moved
 * before. Throws VALIDATION_FAILED naming `custom_fields` when the values of both are too large together, because only a person can decide
 * which to drop.
 */
export async function absorbContact(tx: TenantTx, { target, source }: ContactPair): Promise<Contact> {
  const { held, changes } = await uniteValues(tx, 'contact', { held: target.held, other: source.held });
  await moveAllIdentities(tx, source._id, target._id);
  await moveNotes(tx, source._id, target._id);
  await storeAbsorbedContact(tx, target._id, source._id);
  await deleteContact(tx, source._id);
  await mergeReportedFields(tx, target._id, source);
  const fields = { ...uniteContactFields(target, source), held };
  const contact = expectRecordSize('custom_fields', await updateContact(tx, target._id, fields, changes));
  await emitWritten(tx, [{ isNew: false, person: contact, changes }], [contact]);
  return contact;
}

function uniteContactFields(target: LockedContact, source: LockedContact): ContactFields {
  const [own, other] = [pickFields(target), pickFields(source)];
  // The country code belongs to the phone number, so both come from the same contact.
  const phone = own.phone_number === null ? other : own;
  return {
    ...own,
    name: own.name ?? other.name,
    email: own.email ?? other.email,
    phone_number: phone.phone_number,
    country_code: phone.country_code,
    professional_network_identifier: own.professional_network_identifier ?? other.professional_network_identifier,
    external_id: own.external_id ?? other.external_id,
    avatar_url: own.avatar_url ?? other.avatar_url,
    language: own.language ?? other.language,
    // A merged contact has no more tags than a caller may write.
    tags: [...new Set([...own.tags, ...other.tags])].slice(0, MAX_TAGS),
    business: own.business ?? other.business,
    owner: own.owner ?? other.owner,
    // An opt-out counts for the merged contact, whichever of the two it was made with.
    opted_out: own.opted_out || other.opted_out,
    blocked: own.blocked || other.blocked,
  };
}
