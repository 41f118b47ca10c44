/** Has the file of a message converted before the message is stored, where the channel takes the file in another format only. */
import type { Channel } from '../../channels/channel.ts';
import type { ContentType } from '../../channels/content.ts';
import type { Kit } from '../../kit.ts';
import { AppError, invalid } from '../../platform/values/errors.ts';
import type { Acting } from '../../platform/store/tenant.ts';
import { convertAttachment, isConvertible } from '../attachments/convert.ts';
import { findChannel } from './file-queries.ts';
import { findRefusal, fitsContent, type Header, type NamedAttachment } from './files.ts';
import type { Outgoing } from './outgoing.ts';

/** A message that is not stored yet, and the conversation or the inbox through which it will be sent. */
type Unsent = Pick<Outgoing, 'content' | 'attachment'> & ({ conversation: string } | { inbox: string });

/**
 * Returns the attachment of a message, with a converted copy if the channel that it is sent through needs one and the file can be converted.
 * Whether the channel can send the attachment is checked with the rest of the message, in its transaction.
 */
export async function convertForChannel(
  kit: Kit,
  acting: Acting,
  { content: { contentType }, attachment, ...place }: Unsent,
): Promise<NamedAttachment | null> {
  // Most files have a format that every channel takes, or a copy from the first message, so they need no further statement.
  if (!attachment || !mayConvert(attachment, contentType)) return attachment;
  const channel = await findChannel(acting.read, place);
  return channel
    ? convertRefused(kit, kit.channels.get(channel), { attachment, contentType, path: 'message.attachment' })
    : attachment;
}

/** Returns a template's header, whose attachment has a converted copy if the channel needs one and the file can be converted. */
export async function convertForHeader(kit: Kit, channel: Channel, { attachment, place }: Header): Promise<Header> {
  const { kind, path } = place;
  if (!mayConvert(attachment, kind)) return { attachment, place };
  return { attachment: await convertRefused(kit, channel, { attachment, contentType: kind, path }), place };
}

const mayConvert = (attachment: NamedAttachment, contentType: ContentType): boolean =>
  attachment.state === 'READY' && isConvertible(attachment) && fitsContent(attachment, contentType);

async function convertRefused(
  kit: Kit,
  channel: Channel,
  { attachment, contentType, path }: { attachment: NamedAttachment; contentType: ContentType; path: string },
): Promise<NamedAttachment> {
  const refusal = findRefusal(channel.can.media, contentType, attachment);
  if (!refusal) return attachment;
  try {
    return (await convertAttachment(kit, attachment)) ?? attachment;
  } catch (error) {
    throw explainFault(error, refusal, path);
  }
}

/** Makes the error of a file that cannot be converted to one about the attachment; other errors stay as they are. */
function explainFault(error: unknown, refusal: string, path: string): unknown {
  const [fault] = error instanceof AppError && error.code === 'VALIDATION_FAILED' ? error.errors : [];
  if (!fault) return error;
  return invalid(path, `${refusal}, and the file cannot be converted: it ${fault.message}`, fault.code);
}
