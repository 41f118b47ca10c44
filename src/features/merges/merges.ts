/** Two contacts that are one person: everything that points to one of them comes to point to the other, in one transaction. */
import { emit } from '../../platform/events.ts';
import type { Tenant, TenantTx } from '../../platform/tenant.ts';
import { readContact } from '../contacts/contacts.ts';
import type { Contact } from '../contacts/schemas.ts';
import { absorb, seizePair } from '../contacts/union.ts';
import { findConversationsOf } from '../conversations/ingest-queries.ts';
import { closeDoubles, moveConversations, moveMessages, moveRows, type Move } from './queries.ts';
import type { ContactMerge } from './schemas.ts';

// Some hundred milliseconds a statement.
const PORTION = 5_000;

export function mergeContact(tenant: Tenant, id: string, input: ContactMerge): Promise<Contact> {
  return tenant.tx(async (tx) => {
    const pair = await seizePair(tx, id, input.contact);
    const move = { from: input.contact, to: id };
    const closed = await closeDoubles(tx, move);
    await moveEverything(tx, move);
    const contact = await absorb(tx, pair);
    const keys = closed.map(({ _id }) => ({ company: tx.companyId, _id }));
    const conversations = keys.length > 0 ? await findConversationsOf(tx, keys) : [];
    await emit(
      tx,
      conversations.map((data) => ({ event: 'CONVERSATION_UPDATED', data })),
    );
    return contact;
  });
}

/** For a repeat: the contact as it is now. */
export const readMerged = (tenant: Tenant, id: string): Promise<Contact> => readContact(tenant, id);

async function moveEverything(tx: TenantTx, move: Move): Promise<void> {
  while ((await moveMessages(tx, move, PORTION)) > 0);
  await moveConversations(tx, move);
  while ((await moveRows(tx, move, PORTION)) > 0);
}
