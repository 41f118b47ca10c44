/** Read marks on the network: what a contact sees when the team has read its messages. */
import type { Kit } from '../../kit.ts';
import { networkSettings } from '../inboxes/connection.ts';
import { findLastInbound } from './queries.ts';

// A read mark is worth nothing to a contact who waits longer for it.
const CALL_MS = 10_000;

/** Tells the network that the contact's messages were read. Repeating it does no harm. */
export async function tellRead(kit: Kit, company: string, conversation: string): Promise<void> {
  const read = kit.database.read(company);
  const last = await findLastInbound(read, conversation);
  if (!last) return;
  const settings = await networkSettings(kit, read, last.inbox);
  const channel = kit.channels.get(last.channel);
  if (settings) await channel.markRead?.(last.external_id, settings, AbortSignal.timeout(CALL_MS));
}
