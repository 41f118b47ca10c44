/** Deletes a sent message for everyone: at the network, and then its content here. */
import { NetworkRefusal } from '../../channels/channel.ts';
import type { AnsweredMessage } from '../../channels/thread.ts';
import type { Kit } from '../../kit.ts';
import { AppError, expectFound } from '../../platform/values/errors.ts';
import type { Tenant, TenantTx } from '../../platform/store/tenant.ts';
import { networkCredentials } from '../inboxes/connection.ts';
import { callInTurn } from '../inboxes/network-turns.ts';
import { applyCorrections } from './ingest.ts';
import { findMessage, findSendTarget } from './queries.ts';
import type { Message } from './schemas.ts';

/** A message that is deleted already is returned as it is. Throws MESSAGE_NOT_REVOCABLE for one that cannot be deleted. */
export async function revokeMessage(kit: Kit, tenant: Tenant, id: string): Promise<Message> {
  const message = expectFound(await findMessage(tenant.read, id));
  if (message.revoked_at !== null) return tenant.tx((tx) => expectMessage(tx, id));
  const external_id = expectRevocable(kit, message);
  const target = expectFound(await findSendTarget(tenant.read, message.conversation, kit.channels.identityPlaces));
  await revokeAtNetwork(kit, tenant, message, { externalId: external_id, person: { names: target.names ?? [] } });
  // The transaction sees all inboxes, because a message of an inbox that the user does not see may have the file, too.
  return tenant.whole().tx(async (tx) => {
    const { company, inbox } = message;
    const nothing = { from: null, content_type: null, content: null, media: null };
    const at = new Date().toISOString();
    // The network may have reported the deletion already, which then stays as it is.
    await applyCorrections(tx, [{ company, inbox, external_id, kind: 'REVOKE', at, ...nothing }]);
    return expectMessage(tx, id);
  });
}

async function expectMessage(tx: TenantTx, id: string): Promise<Message> {
  tx.created(id);
  return expectFound(await findMessage(tx, id));
}

/** Returns the network's id of the message. */
function expectRevocable(kit: Kit, { message_type, contentType, status, external_id, channel }: Message): string {
  const refuse = (why: string): AppError => new AppError('MESSAGE_NOT_REVOCABLE', why);
  if (!kit.channels.get(channel).can.revoke) throw refuse(`The channel ${channel} cannot delete messages`);
  if (message_type !== 'OUTGOING') throw refuse('Only messages to the contact can be deleted');
  if (contentType === 'REACTION') throw refuse('A reaction is removed by a reaction without an emoji');
  if (status === 'FAILED' || external_id === null) throw refuse('The message has not been sent');
  return external_id;
}

async function revokeAtNetwork(kit: Kit, tenant: Tenant, { channel, inbox }: Message, sent: AnsweredMessage) {
  const { revoke } = kit.channels.get(channel);
  const credentials = await networkCredentials(kit, tenant.read, inbox);
  if (!revoke || !credentials) throw new AppError('MESSAGE_NOT_REVOCABLE', 'The inbox is not connected');
  try {
    await callInTurn(tenant.companyId, (signal) => revoke(sent, credentials.settings, signal));
  } catch (error) {
    // Failure policy: the message stays as it is. If the network has deleted it without an answer, it may report that later.
    if (error instanceof AppError) throw error;
    if (!(error instanceof NetworkRefusal)) throw new AppError('UNAVAILABLE', 'The network did not answer');
    const { code, message } = error.error;
    throw new AppError('NETWORK_REFUSED', message, [{ path: 'network', code: String(code), message }]);
  }
}
