/** Stores a message that is to be sent, and collects what the call to the network needs. */
import type { MessageContent } from '../../channels/content.ts';
import type { Kit } from '../../kit.ts';
import type { Actor } from '../../platform/actor.ts';
import { invalid, unknownReference } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { Acting, TenantTx } from '../../platform/tenant.ts';
import { touchContacts } from '../contacts/ingest-queries.ts';
import { noteOutgoing } from '../conversations/conversations.ts';
import { reopenConversation } from '../conversations/update.ts';
import { networkCredentials } from '../inboxes/connection.ts';
import { readAuthor } from './authors.ts';
import { findBlock } from './blocks.ts';
import type { Call } from './network-call.ts';
import { findReplied, insertOutgoing, lockSendTarget, type SendTarget } from './queries.ts';
import { MAX_TEXT, type Message } from './schemas.ts';

/** A message to be sent. */
export interface Outgoing {
  conversation: string;
  content: MessageContent;
  /** The id of the message that this one answers. */
  replyTo: string | null;
}

/** Stores the message as QUEUED, or as FAILED with its cause when the platform itself does not send it; then `call` is null. */
export async function storeOutgoing(
  kit: Kit,
  tx: TenantTx,
  acting: Acting,
  { conversation, content, replyTo }: Outgoing,
): Promise<{ message: Message; call: Call | null }> {
  const [target, replied] = await Promise.all([
    openTarget(kit, tx, acting, conversation),
    replyTo === null ? null : findReplied(tx, conversation, replyTo),
  ]);
  if (replyTo !== null && !replied) throw unknownReference('replyTo');
  const channel = kit.channels.get(target.channel);
  const named = nameOperator(target, acting.actor, content);
  const blocked = findBlock(target, channel, content.contentType);
  const [message, credentials] = await Promise.all([
    insertOutgoing(tx, {
      ...readAuthor(acting.actor),
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
    }),
    blocked ? null : networkCredentials(kit, tx, target.inbox),
  ]);
  tx.makes(message._id);
  tx.changed([{ company: tx.companyId, kind: 'MESSAGE', ids: [message._id] }]);
  if (blocked) {
    kit.metrics.sends.inc({ channel: channel.name, outcome: 'blocked' });
    return { message, call: null };
  }
  noteOutgoing(tx, target.conversation, { _id: message._id, answers: true });
  const activity = { company: tx.companyId, contact: target.contact, message_at: message.createdAt, inbound_at: null };
  tx.trails(touchContacts(tx, [activity]));
  const outbound = {
    messageId: message._id,
    to: { names: target.to ? [target.to] : [] },
    content: named,
    replyTo: replied?.external_id ?? null,
  };
  return { message, call: { channel, stored: message, outbound, credentials } };
}

/** Locks the conversation. A closed one is reopened and gets the reply window that the contact has opened in a later conversation. */
async function openTarget(kit: Kit, tx: TenantTx, acting: Acting, id: string): Promise<SendTarget> {
  const target = await lockSendTarget(tx, id, kit.channels.identityPlaces);
  if (!target) throw unknownReference('conversationId');
  if (!target.is_closed) return target;
  await reopenConversation(tx, acting, id);
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
