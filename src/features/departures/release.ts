/** A user who was removed: what names them comes to name nobody, a portion at a time, each with its events. */
import type { Kit } from '../../kit.ts';
import { emit } from '../../platform/events.ts';
import type { TenantTx } from '../../platform/tenant.ts';
import { findContactsOf } from '../contacts/ingest-queries.ts';
import { findConversationsOf } from '../conversations/ingest-queries.ts';
import {
  deleteUser,
  isNamed,
  releaseBusinesses,
  releaseContacts,
  releaseConversations,
  releaseInboxes,
  seizeRemoved,
} from './queries.ts';

export { ReleaseUser } from '../users/assignments.ts';

// Some hundred milliseconds a transaction, events included.
const PORTION = 300;

/** How many records one transaction changed; zero when none is left, or those that are left are held. */
type Release = (tx: TenantTx, user: string) => Promise<number>;

const RELEASES: Release[] = [
  // First, so that no more conversations come to them.
  releaseInboxes,
  async (tx, user) => {
    const keys = keysOf(tx, await releaseConversations(tx, user, PORTION));
    const conversations = keys.length > 0 ? await findConversationsOf(tx, keys) : [];
    await emit(
      tx,
      conversations.map((data) => ({ event: 'CONVERSATION_UPDATED', data })),
    );
    return keys.length;
  },
  async (tx, user) => {
    const keys = keysOf(tx, await releaseContacts(tx, user, PORTION));
    const contacts = keys.length > 0 ? await findContactsOf(tx, keys) : [];
    await emit(
      tx,
      contacts.map((data) => ({ event: 'CONTACT_UPDATED', data })),
    );
    return keys.length;
  },
  // No event tells of a business.
  (tx, user) => releaseBusinesses(tx, user, PORTION),
];

const keysOf = (tx: TenantTx, rows: { _id: string }[]) => rows.map(({ _id }) => ({ company: tx.companyId, _id }));

/** May be repeated, and begun again where it was interrupted: what was told names the user no more. */
export async function releaseUser(kit: Kit, { company, user }: { company: string; user: string }): Promise<void> {
  for (const release of RELEASES) {
    while ((await kit.database.tenantTx(company, (tx) => release(tx, user))) > 0);
  }
  await kit.database.tenantTx(company, async (tx) => {
    if ((await seizeRemoved(tx, user)) === 0) return;
    // Held when it was their turn, or written by whoever had seen the user before the removal: the queue's next try finds them.
    if (await isNamed(tx, user)) throw new Error('records still name a user who was removed');
    await deleteUser(tx, user);
  });
}
