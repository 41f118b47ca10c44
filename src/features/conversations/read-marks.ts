/** Marks on the network about the last message of a contact: that the team has read it, and that someone writes an answer. */
import { NetworkRefusal } from '../../channels/channel.ts';
import type { AnsweredMessage } from '../../channels/thread.ts';
import type { NamedChannel } from '../../channels/registry.ts';
import type { Kit } from '../../kit.ts';
import { networkCredentials } from '../inboxes/connection.ts';
import { noteRefusal } from '../inboxes/refused.ts';
import { findLastInbound } from './queries.ts';

// The time limit of a call; a later mark is of no use to the contact.
const CALL_MS = 10_000;

/** Sets the network's read mark up to the contact's last message. It may run several times. */
export const sendReadMark = (kit: Kit, company: string, conversation: string): Promise<void> =>
  markLastMessage(kit, { company, conversation }, async (channel, message, settings) =>
    channel.markRead?.(message, settings, AbortSignal.timeout(CALL_MS)),
  );

/** Shows to the contact that someone writes an answer. The network then shows the contact's messages as read. */
export const sendTypingMark = (
  kit: Kit,
  about: { company: string; conversation: string },
  signal: AbortSignal,
): Promise<void> =>
  markLastMessage(kit, about, async (channel, message, settings) =>
    channel.showTyping?.(message, settings, AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)])),
  );

/** Calls the network about the contact's last message, if there is one. Throws when the network gave no answer or refused this call only. */
async function markLastMessage(
  kit: Kit,
  { company, conversation }: { company: string; conversation: string },
  mark: (channel: NamedChannel, message: AnsweredMessage, settings: Record<string, unknown>) => Promise<void>,
): Promise<void> {
  const read = kit.database.read(company);
  const last = await findLastInbound(read, conversation, kit.channels.identityPlaces);
  if (!last) return;
  const credentials = await networkCredentials(kit, read, last.inbox);
  if (!credentials) return;
  const channel = kit.channels.get(last.channel);
  try {
    const person = { names: last.person ? [last.person] : [] };
    await mark(channel, { externalId: last.external_id, person }, credentials.settings);
  } catch (error) {
    // Failure policy: when the network refuses the credentials the refusal is stored, because retries would fail as well; any other failure
    // is thrown, and the caller decides.
    if (!(error instanceof NetworkRefusal && channel.refusesCredentials?.(error.error.code))) throw error;
    await kit.database.tenantTx(company, (tx) => noteRefusal(kit, tx, credentials, error.error));
  }
}
