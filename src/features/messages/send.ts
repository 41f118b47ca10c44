/**
 * Sending. The message is stored before anything leaves; the network is called once, within the request; what it said is
 * stored. When nobody can tell whether it took the message, nothing is sent again: it stays QUEUED.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel, NetworkError, OutboundMessage, SendResult } from '../../channels/channel.ts';
import { composeContent, type MessageContent } from '../../channels/content.ts';
import type { Kit } from '../../kit.ts';
import type { Actor } from '../../platform/actor.ts';
import { invalid, unknownReference } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { Acting, TenantTx } from '../../platform/tenant.ts';
import { touchContacts } from '../contacts/ingest-queries.ts';
import { noteOutgoing } from '../conversations/conversations.ts';
import { refuseSecondOpen, reopenConversation } from '../conversations/update.ts';
import { networkCredentials, type Credentials } from '../inboxes/connection.ts';
import { noteRefusal } from '../inboxes/refused.ts';
import { readAuthor } from './authors.ts';
import { findBlock } from './blocks.ts';
import { applyParked, applyStatuses } from './ingest.ts';
import { failQueued, findMessage, findReplied, insertOutgoing, lockSendTarget, type SendTarget } from './queries.ts';
import { MAX_TEXT, type Message, type PlatformCause, type SendText } from './schemas.ts';

// The whole call to the network.
const CALL_MS = 10_000;
// A lock or a crowded pool is gone in a moment; the caller waits for an answer meanwhile.
const SETTLE_PAUSES_MS = [0, 250, 1_000];

/** A message to be sent. */
export interface Outgoing {
  conversation: string;
  content: MessageContent;
  /** The message that it answers. */
  replyTo: string | null;
}

export const sendText = (kit: Kit, tenant: Acting, input: SendText): Promise<Message> =>
  sendMessage(kit, tenant, {
    conversation: input.conversationId,
    content: composeContent('TEXT', { content: input.message.content }),
    replyTo: input.replyTo ?? null,
  });

/** Sends as whoever the tenant acts as, in a request or in a job. Returns the message in the state in which the call left it. */
export async function sendMessage(kit: Kit, tenant: Acting, outgoing: Outgoing): Promise<Message> {
  const { message, call } = await refuseSecondOpen(tenant, { id: outgoing.conversation, path: 'conversationId' }, () =>
    tenant.tx((tx) => queueMessage(kit, tx, tenant, outgoing)),
  );
  if (!call) return message;
  const channel = kit.channels.get(message.channel);
  const result = await callNetwork(kit, channel, call);
  kit.metrics.sends.inc({ channel: channel.name, outcome: result.outcome });
  for (const pauseMs of SETTLE_PAUSES_MS) {
    try {
      if (pauseMs > 0) await sleep(pauseMs);
      const settled = await tenant.tx((tx) => settleSend(kit, tx, { channel, message, result, call }));
      return settled ?? (await findMessage(tenant.read, message._id)) ?? message;
    } catch (error) {
      // Failure policy: the network was called, and an error would invite the caller to send again. After the last try the
      // message stays QUEUED; a status of the network, or the 24 hours, settle it.
      kit.log.error({ err: error, message_id: message._id }, 'send: the outcome could not be stored');
    }
  }
  return message;
}

/** Everything that the network is called with: once the message is stored, nothing that could fail stands between. */
interface Call {
  message: OutboundMessage;
  credentials: Credentials | null;
}

async function queueMessage(
  kit: Kit,
  tx: TenantTx,
  tenant: Acting,
  { conversation, content, replyTo }: Outgoing,
): Promise<{ message: Message; call: Call | null }> {
  const target = await openTarget(tx, tenant, conversation);
  const replied = replyTo ? await findReplied(tx, target.conversation, replyTo) : null;
  if (replyTo && !replied) throw unknownReference('replyTo');
  const channel = kit.channels.get(target.channel);
  const wireContent = nameOperator(target, tenant.actor, content);
  const blocked = findBlock(target, channel, content.contentType);
  const message = await insertOutgoing(tx, {
    ...readAuthor(tenant.actor),
    _id: newId(),
    conversation: target.conversation,
    contact: target.contact,
    inbox: target.inbox,
    channel: target.channel,
    message_type: 'OUTGOING',
    content,
    reply_to: replyTo,
    is_test: target.is_test,
    status: blocked ? 'FAILED' : 'QUEUED',
    errors: blocked ? [blocked] : [],
  });
  tx.makes(message._id);
  if (blocked) {
    kit.metrics.sends.inc({ channel: channel.name, outcome: 'blocked' });
    return { message, call: null };
  }
  await noteOutgoing(tx, target.conversation, { _id: message._id, answers: true });
  await touchContacts(tx, [
    { company: tx.companyId, contact: target.contact, message_at: message.createdAt, inbound_at: null },
  ]);
  const credentials = await networkCredentials(kit, tx, target.inbox);
  const wireMessage = {
    messageId: message._id,
    to: target.to ?? {},
    content: wireContent,
    replyTo: replied?.external_id ?? null,
  };
  return { message, call: { message: wireMessage, credentials } };
}

/** A send opens a closed conversation again, and with it the 24 hours that another one of the contact has left. */
async function openTarget(tx: TenantTx, tenant: Acting, id: string): Promise<SendTarget> {
  const target = await lockSendTarget(tx, id);
  if (!target) throw unknownReference('conversationId');
  if (!target.is_closed) return target;
  await reopenConversation(tx, tenant, id);
  return (await lockSendTarget(tx, id)) ?? target;
}

/** Puts the operator's name before a text. It is for the contact's eyes only, and not part of the stored message. */
function nameOperator(target: SendTarget, actor: Actor, message: MessageContent): MessageContent {
  const { contentType, content } = message;
  if (!target.operator_name || actor.type !== 'user' || contentType !== 'TEXT') return message;
  // Bold as the network writes it; nothing in the name may end the bold or the line.
  const named = `*${actor.name.replaceAll(/[*\s]+/g, ' ').trim()}*\n${content}`;
  // The network would refuse it, and nobody would see why.
  if (Array.from(named).length > MAX_TEXT)
    throw invalid(
      'message.content',
      `is longer than ${MAX_TEXT} characters with the operator's name before it`,
      'MAX_LENGTH',
    );
  return { ...message, content: named };
}

const rejected = (code: PlatformCause, message: string): SendResult => ({
  outcome: 'rejected',
  error: { code, title: 'Not sent', message, details: '' },
  network: false,
});

async function callNetwork(kit: Kit, channel: Channel, { message, credentials }: Call): Promise<SendResult> {
  if (!channel.send || !credentials) return rejected('PROVIDER_REJECTED', 'The inbox has no settings to send with');
  try {
    return await channel.send(message, credentials.settings, AbortSignal.timeout(CALL_MS));
  } catch (error) {
    // Failure policy: a translator that throws may have spoken to the network; nobody knows, so nothing is sent again.
    kit.log.error({ err: error, message_id: message.messageId }, 'send: the channel failed');
    return { outcome: 'unknown' };
  }
}

/** Null when a status of the network settled the message first. */
async function settleSend(
  kit: Kit,
  tx: TenantTx,
  {
    channel,
    message,
    result,
    call: { credentials },
  }: { channel: Channel; message: Message; result: SendResult; call: Call },
): Promise<Message | null> {
  // Nobody knows whether the network took it: it stays QUEUED until a status, or the 24 hours, settle it.
  if (result.outcome === 'unknown') return null;
  if (result.outcome === 'rejected') {
    const refused = result.network && channel.refusesCredentials?.(result.error.code);
    if (refused && credentials) await noteRefusal(kit, tx, credentials, result.error);
    return failQueued(tx, message._id, explainRejection(channel, result));
  }
  const key = { company: tx.companyId, inbox: message.inbox, external_id: result.externalId };
  const now = new Date().toISOString();
  // Accepted is the same fact as a first status: whichever is stored first tells it, and the other changes nothing.
  await applyStatuses(tx, [
    {
      ...key,
      message: message._id,
      bsuid: result.person.bsuid ?? null,
      status: 'ACCEPTED',
      at: now,
      errors: [],
      failure_reason: null,
      reportsFailures: true,
    },
  ]);
  await applyParked(tx, [key]);
  return null;
}

function explainRejection(channel: Channel, { error, network }: { error: NetworkError; network: boolean }) {
  const text = channel.failureText?.(error.code);
  return { errors: [error], reason: network && text ? { code: error.code, message: text } : null };
}
