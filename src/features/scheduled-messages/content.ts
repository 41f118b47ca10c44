/** Reads what a scheduled message sends, and checks it as a send does. */
import type { MessageContent } from '../../channels/content.ts';
import type { Kit } from '../../kit.ts';
import type { FileType } from '../../platform/work/media/formats.ts';
import { invalid, unknownReference } from '../../platform/values/errors.ts';
import type { Acting } from '../../platform/store/tenant.ts';
import { expectAttachment } from '../attachments/attachments.ts';
import { convertForChannel } from '../messages/convert-file.ts';
import { checkFile, findChannel, type NamedAttachment } from '../messages/files.ts';
import { checkMail, expectSendable } from '../messages/outgoing.ts';
import { readMail } from '../messages/send.ts';
import { findInboxOf } from '../conversations/conversations.ts';
import { prepareTemplate, type PreparedTemplate } from '../templates/send.ts';
import type { GivenContent, ScheduledContentRecord } from './schemas.ts';

type PartName = 'content' | 'attachment' | 'template';

/** Returns the content as it is stored. Throws VALIDATION_FAILED when a part is missing, or does not belong to the type. */
export function readContent({
  contentType = 'TEXT',
  content = null,
  attachment = null,
  template = null,
  email,
}: GivenContent): ScheduledContentRecord {
  const text = content?.trim() ? content : null;
  const given = { content: text, attachment, template };
  const needed: PartName = contentType === 'TEXT' ? 'content' : contentType === 'TEMPLATE' ? 'template' : 'attachment';
  if (given[needed] === null) throw invalid(`message.${needed}`, 'is required by the contentType', 'REQUIRED');
  const allowed: PartName[] = needed === 'attachment' ? ['attachment', 'content'] : [needed];
  const extra = (Object.keys(given) as PartName[]).find((part) => given[part] !== null && !allowed.includes(part));
  if (extra) throw invalid(`message.${extra}`, 'does not belong to the contentType');
  if (email && contentType === 'TEMPLATE') throw invalid('message.email', 'does not belong to the contentType');
  return { contentType, ...given, ...(email && { email }) };
}

/** What a scheduled message sends, ready to be stored as a message. */
export type Prepared =
  | { template: PreparedTemplate }
  | { template: null; content: MessageContent; attachment: NamedAttachment | null };

/**
 * Prepares the message before the transaction that stores it, because the network may be asked for the template, or a file be converted. Throws the
 * errors of a send.
 */
export async function prepareContent(
  kit: Kit,
  acting: Acting,
  { conversation, message }: { conversation: string; message: ScheduledContentRecord },
): Promise<Prepared> {
  const { contentType, content: text, attachment: id, template, email } = message;
  const [inbox, name] = await Promise.all([
    findInboxOf(acting.read, conversation),
    findChannel(acting.read, { conversation }),
  ]);
  if (inbox === null || name === null) throw unknownReference('conversation');
  if (template) return { template: await prepareTemplate(kit, acting, { inbox, path: 'conversation' }, template) };
  const channel = kit.channels.get(name);
  const content = { ...makeContent(contentType, text), ...readMail(email) };
  checkMail(channel, content, { path: 'message.email' });
  expectSendable(channel, content, 'conversation');
  if (id === null) return { template: null, content, attachment: null };
  const attachment = await convertForChannel(kit, acting, {
    conversation,
    content,
    attachment: await expectAttachment(acting.read, id, 'message.attachment'),
  });
  if (attachment) checkFile(channel, content, attachment);
  return { template: null, content, attachment };
}

const makeContent = (contentType: ScheduledContentRecord['contentType'], content: string | null): MessageContent =>
  contentType === 'TEXT' ? { contentType, content: content ?? '' } : { contentType: contentType as FileType, content };
