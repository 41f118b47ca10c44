/**
 * Sends messages: stores the message, calls the network once within the request, and stores the outcome. When the outcome is unknown,
 * the message is not sent again and stays QUEUED.
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

// The time-out of the call to the network, with all its tries.
const CALL_MS = 10_000;
// The pauses between tries to store the outcome. They are short, because a lock soon passes and the caller waits for the answer.
const SETTLE_PAUSES_MS = [0, 250, 1_000];

/** A message to be sent. */
export interface Outgoing {
  conversation: string;
  content: MessageContent;
  /** The id of the message that this one answers. */
  replyTo: string | null;
}

export const sendText = (kit: Kit, tenant: Acting, input: SendText): Promise<Message> =>
  sendMessage(kit, tenant, {
    conversation: input.conversationId,
    content: composeContent('TEXT', { content: input.message.content }),
    replyTo: input.replyTo ?? null,
  });

/** Sends a message in the name of the tenant's actor, in a request or a job. Returns the message as it is after the call. */
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
      // Failure policy: no error is thrown, because it would make the caller send again. After the last try the message stays QUEUED until
      // a status arrives, or until it becomes FAILED after 24 hours.
      kit.log.error({ err: error, message_id: message._id }, 'send: the outcome could not be stored');
    }
  }
  return message;
}

/** The arguments of the call to the network. They are collected before the message is stored, so that afterwards only the call can fail. */
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
  const target = await openTarget(kit, tx, tenant, conversation);
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
    to: { names: target.to ? [target.to] : [] },
    content: wireContent,
    replyTo: replied?.external_id ?? null,
  };
  return { message, call: { message: wireMessage, credentials } };
}

/** Locks the conversation. A closed one is reopened and gets the reply window that the contact has opened in a later conversation. */
async function openTarget(kit: Kit, tx: TenantTx, tenant: Acting, id: string): Promise<SendTarget> {
  const target = await lockSendTarget(tx, id, kit.channels.identityPlaces);
  if (!target) throw unknownReference('conversationId');
  if (!target.is_closed) return target;
  await reopenConversation(tx, tenant, id);
  return (await lockSendTarget(tx, id, kit.channels.identityPlaces)) ?? target;
}

/** Puts the operator's name before the text that is sent. The stored message does not have the name. */
function nameOperator(target: SendTarget, actor: Actor, message: MessageContent): MessageContent {
  const { contentType, content } = message;
  if (!target.operator_name || actor.type !== 'user' || contentType !== 'TEXT') return message;
  // Asterisks make the name bold, so asterisks and line breaks in the name itself are replaced by spaces.
  const named = `*${actor.name.replaceAll(/[*\s]+/g, ' ').trim()}*\n${content}`;
  // The network would refuse a longer text without a clear reason.
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
    // Failure policy: a channel that throws may already have called the network, so the outcome is unknown and nothing is sent again.
    kit.log.error({ err: error, message_id: message.messageId }, 'send: the channel failed');
    return { outcome: 'unknown' };
  }
}

/** Stores the outcome of a call. Null means that the caller has to read the message again to see its present status. */
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
  if (result.outcome === 'unknown') return null;
  if (result.outcome === 'rejected') {
    const refused = result.network && channel.refusesCredentials?.(result.error.code);
    if (refused && credentials) await noteRefusal(kit, tx, credentials, result.error);
    return failQueued(tx, message._id, explainRejection(channel, result));
  }
  const key = { company: tx.companyId, inbox: message.inbox, external_id: result.externalId };
  const now = new Date().toISOString();
  // The acceptance is applied like a first status: whichever of the two is stored first emits MESSAGE_SENT.
  await applyStatuses(tx, [
    {
      ...key,
      message: message._id,
      recipient: result.person.names,
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
