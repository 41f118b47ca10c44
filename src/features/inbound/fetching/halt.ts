/** Handles a server that sends far more than an inbox should. */
import type { Kit } from '../../../kit.ts';
import type { Credentials } from '../../inboxes/connection.ts';
import { stopInbox } from '../../inboxes/refused.ts';
import { haltFetches } from './queries.ts';

/** Marks the inbox as ERROR, and asks its server nothing more until a user saves it. */
export function haltInbox(kit: Kit, company: string, credentials: Credentials, error: string): Promise<void> {
  return kit.database.tenantTx(company, async (tx) => {
    await stopInbox(kit, tx, credentials, error);
    await haltFetches(tx, credentials.inbox, credentials.version);
  });
}
