/** Read marks on the network: what a contact sees when the team has read its messages. */
import type { Kit } from '../../kit.ts';
import { NetworkRefusal } from '../../channels/channel.ts';
import { networkCredentials } from '../inboxes/connection.ts';
import { noteRefusal } from '../inboxes/refused.ts';
import { findLastInbound } from './queries.ts';

// A read mark is worth nothing to a contact who waits longer for it.
const CALL_MS = 10_000;

/** Tells the network that the contact's messages were read. Repeating it does no harm. */
export async function tellRead(kit: Kit, company: string, conversation: string): Promise<void> {
  const read = kit.database.read(company);
  const last = await findLastInbound(read, conversation);
  if (!last) return;
  const credentials = await networkCredentials(kit, read, last.inbox);
  if (!credentials) return;
  const channel = kit.channels.get(last.channel);
  try {
    await channel.markRead?.(last.external_id, credentials.settings, AbortSignal.timeout(CALL_MS));
  } catch (error) {
    // Failure policy: with refused credentials every further try is in vain; any other failure is the job's to repeat.
    if (!(error instanceof NetworkRefusal && channel.refusesCredentials?.(error.error.code))) throw error;
    await kit.database.tenantTx(company, (tx) => noteRefusal(kit, tx, credentials, error.error));
  }
}
