/**
 * Sends messages: stores the message, calls the network once, and stores the outcome. When the outcome is unknown, the message is not sent
 * again and stays QUEUED. A request and a job send in the same way.
 */
import type { Kit } from '../../kit.ts';
import type { MailHead } from '../../channels/content.ts';
import type { FileType } from '../../platform/work/media/formats.ts';
import type { Acting } from '../../platform/store/tenant.ts';
import { expectAttachment } from '../attachments/attachments.ts';
import { convertForChannel } from './convert-file.ts';
import { callNetwork } from './network-call.ts';
import { storeOutgoing, type Outgoing, type StoredOutgoing } from './outgoing.ts';
import { readRecipient, withRecipient, type Recipient } from './recipients.ts';
import type { GivenMail } from './mail/schemas.ts';
import type { Message, SendFile, SendText } from './schemas.ts';
import { settleCall } from './settle-call.ts';

export const sendText = (kit: Kit, acting: Acting, input: SendText): Promise<Message> =>
  sendMessage(kit, acting, readRecipient(input), {
    content: { contentType: 'TEXT', content: input.message.content, ...readMail(input.email) },
    attachment: null,
    replyTo: input.replyTo ?? null,
    unsubscribe: input.unsubscribe ?? false,
  });

/** Reads the subject and the recipients of a mail; empty when the request gives none. */
export function readMail(given: GivenMail): { email?: MailHead } {
  const { subject = null, to = [], cc = [], bcc = [] } = given ?? {};
  if (subject === null && [...to, ...cc, ...bcc].length === 0) return {};
  return { email: { subject, to, cc, bcc, reply_to: [], is_shortened: false } };
}

/** Sends the file of an attachment. A caption of spaces alone is none. */
export async function sendFile(
  kit: Kit,
  acting: Acting,
  contentType: FileType,
  { message, replyTo = null, unsubscribe = false, email, ...given }: SendFile,
): Promise<Message> {
  const recipient = readRecipient(given);
  const { attachment: id, content } = message;
  const attachment = await expectAttachment(acting.read, id, 'message.attachment');
  const caption = content?.trim() ? content : null;
  return sendMessage(kit, acting, recipient, {
    content: { contentType, content: caption, ...readMail(email) },
    attachment,
    replyTo,
    unsubscribe,
  });
}

/** Sends a message in the name of the actor. Returns the message as it is after the call. */
export async function sendMessage(
  kit: Kit,
  acting: Acting,
  recipient: Recipient,
  message: Omit<Outgoing, 'conversation'>,
): Promise<Message> {
  const attachment = await convertForChannel(kit, acting, { ...recipient, ...message });
  const stored = await withRecipient(acting, recipient, (tx, conversation) =>
    storeOutgoing(kit, tx, acting, { ...message, attachment, conversation }),
  );
  return callForStored(kit, acting, stored);
}

/** Calls the network for a message that is stored, and returns the message as it is after the call. */
export async function callForStored(kit: Kit, acting: Acting, { message, call }: StoredOutgoing): Promise<Message> {
  return call ? settleCall(kit, acting, call, await callNetwork(kit, call)) : message;
}
