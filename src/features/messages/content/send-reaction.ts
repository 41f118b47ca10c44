/** Sends a reaction to a message of a conversation, or removes the business's earlier one. */
import type { Kit } from '../../../kit.ts';
import type { Acting } from '../../../platform/store/tenant.ts';
import { invalid, unknownReference } from '../../../platform/values/errors.ts';
import { findMessage } from '../queries.ts';
import type { GivenRecipient, Message } from '../schemas.ts';
import { sendMessage } from '../send.ts';
import type { SendContent } from './schemas.ts';

type Reaction = NonNullable<SendContent['message']['reaction']>;

const PATH = 'message.reaction.message';

/** The conversation has to be named, because a reaction opens none: it belongs to that of its message. */
export async function sendReaction(
  kit: Kit,
  acting: Acting,
  { conversationId: conversation }: GivenRecipient,
  { message: id, emoji = null }: Reaction,
): Promise<Message> {
  if (conversation === undefined) throw invalid('conversationId', 'is required for a REACTION', 'REQUIRED');
  const target = await expectTarget(acting, id);
  if (target.conversation !== conversation) throw unknownReference(PATH);
  const externalId = expectReactable(target);
  if (emoji === null && kit.channels.get(target.channel).can.keepsReactions)
    throw invalid(
      'message.reaction.emoji',
      `is required: the channel ${target.channel} cannot remove reactions`,
      'REQUIRED',
    );
  const isOurs = target.message_type === 'OUTGOING';
  return sendMessage(
    kit,
    acting,
    { conversation },
    {
      content: { contentType: 'REACTION', reaction: { externalId, emoji, ...(isOurs && { isOurs }) } },
      attachment: null,
      // A reaction is shown at the message that it is about.
      replyTo: id,
    },
  );
}

/** Throws UNKNOWN_REFERENCE unless the company has the message. */
export async function expectTarget({ read }: Acting, id: string): Promise<Message> {
  const target = await findMessage(read, id);
  if (!target) throw unknownReference(PATH);
  return target;
}

/** Returns the network's id of the message. Throws for a message that the contact does not have. */
function expectReactable({ message_type, contentType, status, revoked_at, external_id }: Message): string {
  if (message_type === 'NOTE') throw invalid(PATH, 'is a note, which the contact does not see');
  if (contentType === 'REACTION') throw invalid(PATH, 'is a reaction itself');
  if (status === 'FAILED') throw invalid(PATH, 'was not delivered');
  if (revoked_at !== null) throw invalid(PATH, 'was deleted by its sender');
  if (external_id === null) throw invalid(PATH, 'is not known to the network');
  return external_id;
}
