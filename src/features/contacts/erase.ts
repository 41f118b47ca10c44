/** Erasing a contact: with its conversations and messages, and its words wherever else they stand. */
import type { Kit } from '../../kit.ts';
import { notFound } from '../../platform/errors.ts';
import { inPortions } from '../../platform/portions.ts';
import { callerBehalf, type Tenant } from '../../platform/tenant.ts';
import {
  eraseAside,
  eraseMessages,
  eraseParked,
  eraseThreads,
  listAbsorbed,
  listNetworkNames,
  unlinkRows,
  type AsidePortion,
} from './erase-queries.ts';
import { RedactContact } from './jobs.ts';
import { deleteContact, seizeContacts, seizeThreads } from './queries.ts';
import type { Contact } from './schemas.ts';

// Some hundred milliseconds a statement.
const PORTION = 5_000;
// The same for rows: each that changes goes into the index of their search anew.
const ROW_PORTION = 1_000;
// Each may hold a whole callback, which is searched byte by byte.
const ASIDE_PORTION = 100;
// A shorter name could stand in anybody's callback by chance.
const SHORTEST_NAME = 8;

/**
 * Erases the contact; no event tells of it. Rows of tables may be very many: they are unlinked before, each portion for good, outside
 * the request's trail, which tells of the erasure only. The log of deliveries is longer still: a job follows it.
 */
export async function removeContact(kit: Kit, tenant: Tenant, id: string): Promise<Contact> {
  const { companyId } = tenant;
  await inPortions(kit.database, companyId, (tx) => unlinkRows(tx, id, ROW_PORTION));
  await forgetAside(kit, companyId, await kit.database.tenantTx(companyId, (tx) => listNetworkNames(tx, id)));
  return tenant.tx(async (tx) => {
    await seizeThreads(tx, [id]);
    const [contact] = await seizeContacts(tx, [id]);
    if (!contact) throw notFound();
    while ((await eraseMessages(tx, id, PORTION)) > 0);
    while ((await eraseThreads(tx, id, PORTION)) > 0);
    await eraseParked(tx, await listNetworkNames(tx, id));
    const contacts = [id, ...(await listAbsorbed(tx, id))];
    await kit.enqueue(tx, RedactContact, { company: companyId, contacts }, { key: id });
    await deleteContact(tx, id);
    return contact;
  });
}

/** What could not be understood of the person's callbacks was kept for the operator, as it came. */
async function forgetAside(kit: Kit, company: string, known: string[]): Promise<void> {
  const names = known.filter((name) => name.length >= SHORTEST_NAME);
  if (names.length === 0) return;
  const behalf = callerBehalf(company, '');
  for (let after: string | null = ''; after !== null;) {
    const portion: AsidePortion = { company, names, after, limit: ASIDE_PORTION };
    after = await kit.database.systemTx(behalf, (tx) => eraseAside(tx, portion));
  }
}
