/** Merges two contacts of one person: everything that refers to one of them is moved to the other, in one transaction. */
import { workInPortions } from '../../platform/store/portions.ts';
import type { Tenant, TenantTx } from '../../platform/store/tenant.ts';
import { readContact } from '../contacts/contacts.ts';
import type { Contact } from '../contacts/schemas.ts';
import { absorbContact, lockContactPair } from '../contacts/union.ts';
import { emitConversations } from '../conversations/announce.ts';
import { continueWindows } from '../conversations/ingest-queries.ts';
import {
  closeDoubleConversations,
  forgetClosings,
  moveBulkRows,
  moveEnrollments,
  moveConversations,
  moveMessages,
  moveRows,
  type ContactMove,
} from './queries.ts';
import type { ContactMerge } from './schemas.ts';

// A statement for this many messages or rows takes some hundred milliseconds.
const PORTION = 5_000;

export function mergeContact(tenant: Tenant, id: string, input: ContactMerge): Promise<Contact> {
  // What belongs to the other contact moves in all inboxes, whichever the caller sees.
  return tenant.whole().tx((tx) => mergeInto(tx, id, input.contact));
}

/**
 * Merges the contact `from` into `to` and emits the events, in the caller's transaction. Throws NOT_FOUND for `to`, UNKNOWN_REFERENCE for
 * `from`.
 */
export async function mergeInto(tx: TenantTx, to: string, from: string): Promise<Contact> {
  const pair = await lockContactPair(tx, to, from);
  const move = { from, to };
  const changed = await closeDoubleConversations(tx, move);
  await forgetClosings(
    tx,
    changed.map(({ _id }) => _id),
  );
  const moved = await moveContactRecords(tx, move);
  await continueWindows(tx, to, null);
  const contact = await absorbContact(tx, pair);
  await emitConversations(
    tx,
    [...changed, ...moved.filter(({ open }) => open)].map(({ _id }) => _id),
  );
  return contact;
}

/** Answers a repeated request with the contact as it is now. */
export const readMerged = (tenant: Tenant, id: string): Promise<Contact> => readContact(tenant, id);

/** Moves messages, conversations, table rows and rows of bulk runs, and returns the conversations. */
async function moveContactRecords(tx: TenantTx, move: ContactMove): ReturnType<typeof moveConversations> {
  await workInPortions(() => moveMessages(tx, move, PORTION));
  const conversations = await moveConversations(tx, move);
  await workInPortions(() => moveRows(tx, move, PORTION));
  await moveBulkRows(tx, move);
  await moveEnrollments(tx, move);
  return conversations;
}
