/** Merges two contacts of one person: everything that refers to one of them is moved to the other, in one transaction. */
import { emit } from '../../platform/events.ts';
import { inPortions } from '../../platform/portions.ts';
import type { Tenant, TenantTx } from '../../platform/tenant.ts';
import { readContact } from '../contacts/contacts.ts';
import type { Contact } from '../contacts/schemas.ts';
import { absorb, lockPair } from '../contacts/union.ts';
import { continueWindows, findConversationsByKeys } from '../conversations/ingest-queries.ts';
import { closeDoubles, moveConversations, moveMessages, moveRows, type Move } from './queries.ts';
import type { ContactMerge } from './schemas.ts';

// A statement for this many messages or rows takes some hundred milliseconds.
const PORTION = 5_000;

export function mergeContact(tenant: Tenant, id: string, input: ContactMerge): Promise<Contact> {
  return tenant.tx((tx) => mergeInto(tx, id, input.contact));
}

/**
 * Merges the contact `from` into `to` and emits the events, in the caller's transaction. Throws NOT_FOUND for `to`, UNKNOWN_REFERENCE for
 * `from`.
 */
export async function mergeInto(tx: TenantTx, to: string, from: string): Promise<Contact> {
  const pair = await lockPair(tx, to, from);
  const move = { from, to };
  const changed = await closeDoubles(tx, move);
  const moved = await moveEverything(tx, move);
  await continueWindows(tx, to, null);
  const contact = await absorb(tx, pair);
  await emitConversations(tx, [...changed, ...moved.filter(({ open }) => open)]);
  return contact;
}

async function emitConversations(tx: TenantTx, changed: { _id: string }[]): Promise<void> {
  if (changed.length === 0) return;
  const ids = [...new Set(changed.map(({ _id }) => _id))];
  const conversations = await findConversationsByKeys(
    tx,
    ids.map((_id) => ({ company: tx.companyId, _id })),
  );
  await emit(
    tx,
    conversations.map((data) => ({ event: 'CONVERSATION_UPDATED', data })),
  );
}

/** Answers a repeated request with the contact as it is now. */
export const readMerged = (tenant: Tenant, id: string): Promise<Contact> => readContact(tenant, id);

/** Moves messages, conversations and rows, and returns the conversations. */
async function moveEverything(tx: TenantTx, move: Move): ReturnType<typeof moveConversations> {
  await inPortions(() => moveMessages(tx, move, PORTION));
  const conversations = await moveConversations(tx, move);
  await inPortions(() => moveRows(tx, move, PORTION));
  return conversations;
}
