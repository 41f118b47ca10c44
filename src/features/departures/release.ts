/** Removes a deleted or deactivated user, or a deleted business, from the records that name it, a portion at a time, with events. */
import type { Kit } from '../../kit.ts';
import { emit } from '../../platform/events.ts';
import { inPortions } from '../../platform/portions.ts';
import type { TenantTx } from '../../platform/tenant.ts';
import { findContactsByKeys } from '../contacts/ingest-queries.ts';
import { findConversationsByKeys } from '../conversations/ingest-queries.ts';
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
  lockDeparting,
  type Departing,
} from './queries.ts';

// A transaction for this many records takes some hundred milliseconds, events included.
const PORTION = 300;

/** Returns how many records one transaction changed; zero when none is left or other transactions hold all that are left. */
type Release = (tx: TenantTx, id: string) => Promise<number>;

interface Departure {
  departing: Departing;
  releases: Release[];
  isNamed(tx: TenantTx, id: string): Promise<boolean>;
}

const contactRelease =
  (departing: Departing): Release =>
  async (tx, id) => {
    const keys = toKeys(tx, await releaseContacts(tx, departing, id, PORTION));
    const contacts = keys.length > 0 ? await findContactsByKeys(tx, keys) : [];
    await emit(
      tx,
      contacts.map((data) => ({ event: 'CONTACT_UPDATED', data })),
    );
    return keys.length;
  };

const toKeys = (tx: TenantTx, rows: { _id: string }[]) => rows.map(({ _id }) => ({ company: tx.companyId, _id }));

const USER_DEPARTURE: Departure = {
  departing: 'users',
  releases: [
    // Inboxes come first, so that no new conversations are given to the user.
    releaseInboxes,
    async (tx, user) => {
      const keys = toKeys(tx, await releaseConversations(tx, user, PORTION));
      const conversations = keys.length > 0 ? await findConversationsByKeys(tx, keys) : [];
      await emit(
        tx,
        conversations.map((data) => ({ event: 'CONVERSATION_UPDATED', data })),
      );
      return keys.length;
    },
    contactRelease('users'),
    // A change of a business's owner emits no event.
    (tx, user) => releaseBusinesses(tx, user, PORTION),
  ],
  isNamed: isUserNamed,
};

const BUSINESS_DEPARTURE: Departure = {
  departing: 'businesses',
  // A change of a table's row emits no event.
  releases: [contactRelease('businesses'), (tx, business) => releaseRows(tx, business, PORTION)],
  isNamed: isBusinessNamed,
};

export const releaseUser = (kit: Kit, { company, user }: { company: string; user: string }): Promise<void> =>
  release(kit, USER_DEPARTURE, company, user);

export const releaseBusiness = (
  kit: Kit,
  { company, business }: { company: string; business: string },
): Promise<void> => release(kit, BUSINESS_DEPARTURE, company, business);

/**
 * May run again after an interruption: records that have had their event no longer name the user or business. A user who is ACTIVE again
 * keeps the records that still name them.
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
    const seized = await lockDeparting(tx, departing, id);
    if (!seized) return;
    // Some records were locked during their portion, or were written by a transaction that began before; the queue's next attempt finds
    // them.
    if (await isNamed(tx, id)) throw new Error(`records still name what departs from ${departing}`);
    if (seized.removed) await deleteRemoved(tx, departing, id);
  });
}
