/**
 * Sends messages: stores the message, calls the network once, and stores the outcome. When the outcome is unknown, the message is not sent
 * again and stays QUEUED. A request and a job send in the same way.
 */
import { composeContent } from '../../channels/content.ts';
import type { Kit } from '../../kit.ts';
import type { Acting } from '../../platform/tenant.ts';
import { refuseSecondOpen } from '../conversations/update.ts';
import { callNetwork } from './network-call.ts';
import { storeOutgoing, type Outgoing } from './outgoing.ts';
import type { Message, SendText } from './schemas.ts';
import { settleCall } from './settle-call.ts';

export const sendText = (kit: Kit, acting: Acting, input: SendText): Promise<Message> =>
  sendMessage(kit, acting, {
    conversation: input.conversationId,
    content: composeContent('TEXT', { content: input.message.content }),
    replyTo: input.replyTo ?? null,
  });

/** Sends a message in the name of the actor. Returns the message as it is after the call. */
export async function sendMessage(kit: Kit, acting: Acting, outgoing: Outgoing): Promise<Message> {
  const { message, call } = await refuseSecondOpen(acting, { id: outgoing.conversation, path: 'conversationId' }, () =>
    acting.tx((tx) => storeOutgoing(kit, tx, acting, outgoing)),
  );
  return call ? settleCall(kit, acting, call, await callNetwork(kit, call)) : message;
}
