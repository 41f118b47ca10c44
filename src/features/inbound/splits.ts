/**
 * Merges two contacts that the network shows to be one person. A merge moves every message of a contact, which takes too long for a
 * callback, so a job does it.
 */
import type { Static } from 'typebox';
import type { Kit } from '../../kit.ts';
import { AppError } from '../../platform/values/errors.ts';
import { emit } from '../../platform/store/events.ts';
import { findContactsByKeys } from '../contacts/ingest-queries.ts';
import { renamePeople } from '../contacts/ingest-renames.ts';
import { mergeInto } from '../merges/merges.ts';
import type { SplitPerson } from './schemas.ts';

export async function mergeSplit(kit: Kit, { renaming, kept, absorbed }: Static<typeof SplitPerson>): Promise<void> {
  const { company } = renaming;
  try {
    await kit.database.tenantTx(company, (tx) => mergeInto(tx, kept, absorbed));
  } catch (error) {
    // Failure policy: one of the two contacts was merged or erased meanwhile, so nothing is left to merge. Every other error is retried.
    if (!(error instanceof AppError && ['NOT_FOUND', 'UNKNOWN_REFERENCE'].includes(error.code))) throw error;
  }
  // The older contact still has its old phone number or id.
  await kit.database.systemTx(`company:${company}`, async (tx) => {
    const { changed } = await renamePeople(tx, [renaming]);
    if (changed.size === 0) return;
    const contacts = await findContactsByKeys(
      tx,
      [...changed].map((_id) => ({ company, _id })),
    );
    await emit(
      tx,
      contacts.map((data) => ({ event: 'CONTACT_UPDATED', data })),
    );
  });
}
