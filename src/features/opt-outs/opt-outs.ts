/** A contact says, without a log-in, that they want no more messages of a company. */
import type { Kit } from '../../kit.ts';
import { recordAudit, toLoggedActor, type Origin } from '../../platform/http/audit.ts';
import { optOutContact } from '../contacts/contacts.ts';
import { readOptOutToken } from './links.ts';
import { renderOptOut } from './page.ts';
import { findRefuser } from './queries.ts';

/** Returns the page that asks the contact of a link, or says that they are opted out; null when no contact has the link. */
export async function showOptOut(kit: Kit, token: string): Promise<string | null> {
  const refuser = readOptOutToken(kit, token);
  const found = refuser && (await findRefuser(kit.database.read(refuser.company), refuser.contact));
  return found && renderOptOut(found);
}

const ACTOR = { type: 'system', id: null, name: 'Unsubscribe link' } as const;

/** Sets `opted_out` of the contact of a link, and returns the page that says so; null when no contact has the link. A repetition changes nothing. */
export async function optOutByLink(kit: Kit, token: string, origin: Origin): Promise<string | null> {
  const refuser = readOptOutToken(kit, token);
  if (!refuser) return null;
  return kit.database.tenantTx(refuser.company, async (tx) => {
    const found = await findRefuser(tx, refuser.contact);
    if (!found) return null;
    if (await optOutContact(tx, found.contact))
      await recordAudit(tx, {
        company: refuser.company,
        actor: toLoggedActor(ACTOR),
        action: 'contacts.opt-out',
        resource: 'contacts',
        resourceId: found.contact,
        fields: ['opted_out'],
        origin,
      });
    return renderOptOut({ ...found, optedOut: true });
  });
}
