/** Reads the messages of a company, and writes the team's notes. */
import { listParts, type MessageContent } from '../../channels/content.ts';
import type { Kit } from '../../kit.ts';
import { expectFound, invalid, unknownReference } from '../../platform/values/errors.ts';
import { newId } from '../../platform/values/ids.ts';
import { pageWindow, type Page } from '../../platform/store/paging.ts';
import type { Acting, Tenant, TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import { expectConversation } from '../conversations/conversations.ts';
import { expectAttachment } from '../attachments/attachments.ts';
import { expectUsers } from '../users/assignments.ts';
import { readAuthor } from './authors.ts';
import { checkNoteFile, describeFile, lockAttachments, type StoredFile } from './files.ts';
import { insertOutgoing, type NewOutgoing } from './insert-queries.ts';
import { noteOutgoing } from './note-outgoing.ts';
import { findBody, findMessage, findMessages, listMessages, lockSendTarget } from './queries.ts';
import type { Message, MessageBody, MessageQuery, WriteNote } from './schemas.ts';

export { findReplied } from './queries.ts';

export async function readMessage(tenant: Tenant, id: string): Promise<Message> {
  return expectFound(await findMessage(tenant.read, id));
}

export async function readMessageBody(tenant: Tenant, id: string): Promise<MessageBody> {
  return expectFound(await findBody(tenant.read, id));
}

/** Reads messages by their ids, the oldest first, for callers that follow their changes. Those that do not exist are left out. */
export const readMessages = (read: TenantRead, ids: string[]): Promise<Message[]> => findMessages(read, ids);

export async function pageMessages(
  tenant: Tenant,
  conversationId: string,
  query: MessageQuery,
): Promise<Page<Message>> {
  const page = await listMessages(tenant.read, conversationId, pageWindow(`messages:${conversationId}`, query));
  // The conversation is looked up only for an empty page, because only then it may be unknown.
  if (page.result.length === 0) await expectConversation(tenant.read, conversationId);
  return page;
}

/** Stores a note for the team. Nothing is sent to the contact, and no event is emitted. */
export async function writeNote(kit: Kit, tenant: Tenant, input: WriteNote): Promise<Message> {
  return tenant.tx(async (tx) => {
    const note = await storeNote(kit, tx, tenant, input);
    tx.created(note._id);
    return note;
  });
}

/** Stores a note in the caller's transaction. */
export async function storeNote(kit: Kit, tx: TenantTx, { actor }: Acting, input: WriteNote): Promise<Message> {
  // A note goes to no one, so no kind of name is looked for.
  const target = await lockSendTarget(tx, input.conversationId, {});
  if (!target) throw unknownReference('conversationId');
  const { mentions = [] } = input;
  const mentioned = Object.fromEntries(mentions.map((user, index) => [`mentions[${index}]`, user]));
  await expectUsers(tx, mentioned, target.inbox);
  const { content, file } = await readNote(tx, input.message);
  const fresh: NewOutgoing = {
    ...readAuthor(actor),
    _id: newId(),
    conversation: target.conversation,
    contact: target.contact,
    inbox: target.inbox,
    channel: target.channel,
    message_type: 'NOTE',
    content: listParts(content),
    attachment: file?._id ?? null,
    media: file && describeFile(kit, file),
    reply_to: null,
    mentions,
    is_test: target.is_test,
    status: 'SENT',
    errors: [],
  };
  const note = await insertOutgoing(tx, fresh);
  noteOutgoing(tx, actor, [fresh], { cards: [], at: note.createdAt });
  return note;
}

/** Reads the text or the file of a note. The file cannot be removed until the note is stored. */
async function readNote(
  tx: TenantTx,
  { content, attachment: id, contentType }: WriteNote['message'],
): Promise<{ content: MessageContent; file: StoredFile | null }> {
  if (id === undefined) {
    if (content === undefined) throw invalid('message.content', 'is required without attachment', 'REQUIRED');
    if (contentType !== undefined && contentType !== 'TEXT')
      throw invalid('message.contentType', `is ${contentType}, but the note has no file`, 'TYPE_MISMATCH');
    return { content: { contentType: 'TEXT', content }, file: null };
  }
  if (contentType === 'TEXT') throw invalid('message.contentType', 'is TEXT, but the note has a file', 'TYPE_MISMATCH');
  await lockAttachments(tx, [id]);
  const attachment = await expectAttachment(tx, id, 'message.attachment');
  const type = contentType ?? attachment.file_type;
  return { content: { contentType: type, content: content ?? null }, file: checkNoteFile(attachment, type) };
}
