/** Erases a contact with its conversations and messages, and the person's words in all other tables. */
import type { Kit } from '../../kit.ts';
import { expectFound } from '../../platform/values/errors.ts';
import { ChangedMeanwhile, isChangedMeanwhile, repeatOvertaken } from '../../platform/store/overtaken.ts';
import { workInPortions } from '../../platform/store/portions.ts';
import { callerShareOwner } from '../../platform/store/connection-shares.ts';
import type { Tenant, TenantTx } from '../../platform/store/tenant.ts';
import {
  eraseKeptCallbacksPortion,
  eraseMessages,
  eraseParkedEdits,
  eraseThreads,
  listAbsorbedContacts,
  listNetworkIdentities,
  unlinkRows,
} from './erase-queries.ts';
import { RedactContact } from './jobs.ts';
import { deleteContact, findContact, lockContactsForRemoval, lockConversationsForRemoval } from './queries.ts';
import type { Contact } from './schemas.ts';

// The number of messages or conversations that one statement deletes, which takes some hundred milliseconds.
const PORTION = 5_000;
// The number of table rows in a portion, which is smaller because the search index is updated for each changed row.
const ROW_PORTION = 1_000;
// The number of kept callbacks in a portion: a callback may be large, and each is searched byte by byte.
const ASIDE_PORTION = 100;
// The shortest identity that is searched in callbacks; a shorter one could appear in a callback about another person by chance.
const SHORTEST_IDENTITY = 8;

/**
 * Erases the contact without an event. Table rows that name it and kept callbacks may be very many, so they are handled before, in portions
 * that commit by themselves: a transaction that held the contact's lock meanwhile would time out. They are not recorded in the audit, which
 * has one line for the erasure. The log of deliveries is longer still and is left to a job.
 */
export async function removeContact(kit: Kit, tenant: Tenant, id: string): Promise<Contact> {
  expectFound(await findContact(tenant.read, id));
  return repeatOvertaken(async () => {
    const known = await prepareRemoval(kit, tenant.companyId, id);
    return tenant.tx((tx) => removeContactOnce(kit, tx, id, known));
  }, isChangedMeanwhile);
}

/** Does what a removal does before its transaction. Returns the names of the contact that are known now. */
export async function prepareRemoval(kit: Kit, company: string, id: string): Promise<string[]> {
  await workInPortions(() => kit.database.tenantTx(company, (tx) => unlinkRows(tx, id, ROW_PORTION)));
  const known = await kit.database.tenantTx(company, (tx) => listNetworkIdentities(tx, id));
  await eraseKeptCallbacks(kit, company, known);
  return known;
}

/** Removes the contact. Throws ChangedMeanwhile for a name that is not `known`, because kept callbacks with it would outlive the contact. */
export async function removeContactOnce(kit: Kit, tx: TenantTx, id: string, known: string[]): Promise<Contact> {
  const company = tx.companyId;
  await lockConversationsForRemoval(tx, [id]);
  const contact = expectFound((await lockContactsForRemoval(tx, [id]))[0]);
  const names = await listNetworkIdentities(tx, id);
  if (names.some((name) => !known.includes(name))) throw new ChangedMeanwhile('The contact');
  await workInPortions(() => eraseMessages(tx, id, PORTION));
  await workInPortions(() => eraseThreads(tx, id, PORTION));
  await eraseParkedEdits(tx, names);
  const contacts = [id, ...(await listAbsorbedContacts(tx, id))];
  await kit.enqueue(tx, RedactContact, { company, contacts }, { key: id });
  await deleteContact(tx, id);
  return contact;
}

/** Deletes callbacks to the company's inboxes about the person that could not be read and were kept for the operator. */
async function eraseKeptCallbacks(kit: Kit, company: string, known: string[]): Promise<void> {
  const names = known.filter((name) => name.length >= SHORTEST_IDENTITY);
  if (names.length === 0) return;
  const behalf = callerShareOwner(company, '');
  await workInPortions((last: string | null) =>
    kit.database.systemTx(behalf, (tx) =>
      eraseKeptCallbacksPortion(tx, { company, names, after: last ?? '', limit: ASIDE_PORTION }),
    ),
  );
}
