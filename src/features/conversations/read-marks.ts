/** Read marks on the network, which show a contact that the team has read the messages. */
import type { Kit } from '../../kit.ts';
import { NetworkRefusal } from '../../channels/channel.ts';
import { networkCredentials } from '../inboxes/connection.ts';
import { noteRefusal } from '../inboxes/refused.ts';
import { findLastInbound } from './queries.ts';

// The time limit of a read mark; a later one is of no use to the contact.
const CALL_MS = 10_000;

/** Sets the network's read mark up to the contact's last message. It may run several times. */
export async function sendReadMark(kit: Kit, company: string, conversation: string): Promise<void> {
  const read = kit.database.read(company);
  const last = await findLastInbound(read, conversation);
  if (!last) return;
  const credentials = await networkCredentials(kit, read, last.inbox);
  if (!credentials) return;
  const channel = kit.channels.get(last.channel);
  try {
    await channel.markRead?.(last.external_id, credentials.settings, AbortSignal.timeout(CALL_MS));
  } catch (error) {
    // Failure policy: when the network refuses the credentials the refusal is stored, because retries would fail as well; any other failure
    // is thrown and the job retries.
    if (!(error instanceof NetworkRefusal && channel.refusesCredentials?.(error.error.code))) throw error;
    await kit.database.tenantTx(company, (tx) => noteRefusal(kit, tx, credentials, error.error));
  }
}
