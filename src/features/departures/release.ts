/**
 * Removes a deleted or deactivated user, or a deleted team or business, from the records that name it, a portion at a time, and emits their events.
 */
import type { Kit } from '../../kit.ts';
import { emit } from '../../platform/store/events.ts';
import { workInPortions } from '../../platform/store/portions.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import { findContactsByKeys } from '../contacts/ingest-queries.ts';
import { emitConversations } from '../conversations/announce.ts';
import {
  deleteRemovedRecord,
  shareLockDeparting,
  isBusinessNamed,
  isTeamNamed,
  isUserNamed,
  removeUserFromBusinesses,
  removeFromContacts,
  removeFromMembers,
  removeNotifications,
  removeTeamFromConversations,
  removeTeamFromInboxes,
  removeTeamFromPolicies,
  removeUserFromConversations,
  removeUserFromCampaigns,
  removeUserFromInboxes,
  removeUserFromParticipants,
  removeUserFromTeams,
  removeBusinessFromRows,
  releaseViews,
  lockDeparting,
  type DepartingTable,
} from './queries.ts';

// The number of records that one transaction changes, which takes some hundred milliseconds with their events.
const PORTION = 300;

/**
 * Changes the next records in one transaction and returns how many; zero when none is left or other transactions have locked all that are
 * left.
 */
type RemoveReferences = (tx: TenantTx, id: string) => Promise<number>;

interface Departure {
  departing: DepartingTable;
  releases: RemoveReferences[];
  isNamed(tx: TenantTx, id: string): Promise<boolean>;
  /** Removes, with a record that is deleted, the few records that are its own. They stay when a user is only deactivated. */
  removeOwn?(tx: TenantTx, id: string): Promise<number>;
}

const createContactRemoval =
  (departing: 'users' | 'businesses'): RemoveReferences =>
  async (tx, id) => {
    const changed = await removeFromContacts(tx, departing, id, PORTION);
    const keys = changed.map(({ _id }) => ({ company: tx.companyId, _id }));
    const contacts = keys.length > 0 ? await findContactsByKeys(tx, keys) : [];
    await emit(
      tx,
      contacts.map((data) => ({ event: 'CONTACT_UPDATED', data })),
    );
    return keys.length;
  };

const createConversationRemoval =
  (remove: (tx: TenantTx, id: string, limit: number) => Promise<{ _id: string }[]>): RemoveReferences =>
  async (tx, id) => {
    const changed = (await remove(tx, id, PORTION)).map(({ _id }) => _id);
    await emitConversations(tx, changed);
    return changed.length;
  };

const USER_DEPARTURE: Departure = {
  departing: 'users',
  releases: [
    // Inboxes and campaigns come first, so that no new conversation gets the user as its owner.
    removeUserFromInboxes,
    (tx, user) => removeFromMembers(tx, 'users', user),
    removeUserFromCampaigns,
    createConversationRemoval(removeUserFromConversations),
    createContactRemoval('users'),
    // A change of the owner of a business emits no event.
    (tx, user) => removeUserFromBusinesses(tx, user, PORTION),
    removeUserFromTeams,
    (tx, user) => removeUserFromParticipants(tx, user, PORTION),
    (tx, user) => removeNotifications(tx, user, PORTION),
  ],
  isNamed: isUserNamed,
  removeOwn: releaseViews,
};

const TEAM_DEPARTURE: Departure = {
  departing: 'teams',
  releases: [
    removeTeamFromInboxes,
    (tx, team) => removeFromMembers(tx, 'teams', team),
    removeTeamFromPolicies,
    createConversationRemoval(removeTeamFromConversations),
  ],
  isNamed: isTeamNamed,
};

const BUSINESS_DEPARTURE: Departure = {
  departing: 'businesses',
  // A change of a table row emits no event.
  releases: [createContactRemoval('businesses'), (tx, business) => removeBusinessFromRows(tx, business, PORTION)],
  isNamed: isBusinessNamed,
};

export const removeUserReferences = (kit: Kit, { company, user }: { company: string; user: string }): Promise<void> =>
  removeAllReferences(kit, USER_DEPARTURE, company, user);

export const removeTeamReferences = (kit: Kit, { company, team }: { company: string; team: string }): Promise<void> =>
  removeAllReferences(kit, TEAM_DEPARTURE, company, team);

export const removeBusinessReferences = (
  kit: Kit,
  { company, business }: { company: string; business: string },
): Promise<void> => removeAllReferences(kit, BUSINESS_DEPARTURE, company, business);

/**
 * Removes the references to a user, team or business. May run again after an interruption: records whose event was emitted
 * no longer name it. A user who is ACTIVE again keeps the records that still name the user.
 */
async function removeAllReferences(
  kit: Kit,
  { departing, releases, isNamed, removeOwn }: Departure,
  company: string,
  id: string,
): Promise<void> {
  for (const each of releases) {
    await workInPortions(() =>
      kit.database.tenantTx(company, async (tx) =>
        (await shareLockDeparting(tx, departing, id)) === 0 ? 0 : each(tx, id),
      ),
    );
  }
  await kit.database.tenantTx(company, async (tx) => {
    const seized = await lockDeparting(tx, departing, id);
    if (!seized) return;
    // Some records were locked during their portion, or were written by a transaction that began before; the next attempt of the queue
    // finds them.
    if (await isNamed(tx, id)) throw new Error(`records still name what departs from ${departing}`);
    if (!seized.removed) return;
    await removeOwn?.(tx, id);
    await deleteRemovedRecord(tx, departing, id);
  });
}
