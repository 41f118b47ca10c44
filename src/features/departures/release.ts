/** A user who was removed or deactivated, or a removed business: what names it comes to name nobody, a portion at a time, with its events. */
import type { Kit } from '../../kit.ts';
import { emit } from '../../platform/events.ts';
import { inPortions } from '../../platform/portions.ts';
import type { TenantTx } from '../../platform/tenant.ts';
import { findContactsOf } from '../contacts/ingest-queries.ts';
import { findConversationsOf } from '../conversations/ingest-queries.ts';
import {
  deleteRemoved,
  holdDeparting,
  isBusinessNamed,
  isUserNamed,
  releaseBusinesses,
  releaseContacts,
  releaseConversations,
  releaseInboxes,
  releaseRows,
  seizeDeparting,
  type Departing,
} from './queries.ts';

// Some hundred milliseconds a transaction, events included.
const PORTION = 300;

/** How many records one transaction changed; zero when none is left, or those that are left are held. */
type Release = (tx: TenantTx, id: string) => Promise<number>;

interface Departure {
  departing: Departing;
  releases: Release[];
  isNamed(tx: TenantTx, id: string): Promise<boolean>;
}

const contactsOf =
  (departing: Departing): Release =>
  async (tx, id) => {
    const keys = keysOf(tx, await releaseContacts(tx, departing, id, PORTION));
    const contacts = keys.length > 0 ? await findContactsOf(tx, keys) : [];
    await emit(
      tx,
      contacts.map((data) => ({ event: 'CONTACT_UPDATED', data })),
    );
    return keys.length;
  };

const keysOf = (tx: TenantTx, rows: { _id: string }[]) => rows.map(({ _id }) => ({ company: tx.companyId, _id }));

const OF_USER: Departure = {
  departing: 'users',
  releases: [
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
    contactsOf('users'),
    // No event tells of a business.
    (tx, user) => releaseBusinesses(tx, user, PORTION),
  ],
  isNamed: isUserNamed,
};

const OF_BUSINESS: Departure = {
  departing: 'businesses',
  // No event tells of a row.
  releases: [contactsOf('businesses'), (tx, business) => releaseRows(tx, business, PORTION)],
  isNamed: isBusinessNamed,
};

export const releaseUser = (kit: Kit, { company, user }: { company: string; user: string }): Promise<void> =>
  release(kit, OF_USER, company, user);

export const releaseBusiness = (
  kit: Kit,
  { company, business }: { company: string; business: string },
): Promise<void> => release(kit, OF_BUSINESS, company, business);

/**
 * May be repeated, and begun again where it was interrupted: what was told names the departing record no more. A user who is ACTIVE
 * again keeps what is still theirs.
 */
async function release(
  kit: Kit,
  { departing, releases, isNamed }: Departure,
  company: string,
  id: string,
): Promise<void> {
  for (const each of releases) {
    const portion = async (tx: TenantTx): Promise<number> =>
      (await holdDeparting(tx, departing, id)) === 0 ? 0 : each(tx, id);
    await inPortions(kit.database, company, portion);
  }
  await kit.database.tenantTx(company, async (tx) => {
    const seized = await seizeDeparting(tx, departing, id);
    if (!seized) return;
    // Held when it was their turn, or written by whoever had looked before: the queue's next try finds them.
    if (await isNamed(tx, id)) throw new Error(`records still name what departs from ${departing}`);
    if (seized.removed) await deleteRemoved(tx, departing, id);
  });
}
