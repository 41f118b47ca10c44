/** Stores many filled-in templates of one inbox with few statements. */
import type { Actor } from '../../platform/values/actor.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import { touchContacts } from '../contacts/ingest-queries.ts';
import { setLastOutgoingMessages } from '../conversations/conversations.ts';
import { readAuthor } from './authors.ts';
import { insertTemplates, type NewTemplateMessage, type TemplateBatch } from './bulk-queries.ts';
import { insertCardFiles, lockAttachments } from './file-queries.ts';
import { AttachmentGone } from './files.ts';
import type { Message } from './schemas.ts';

export { countUnknown } from './bulk-queries.ts';

export interface Sender {
  actor: Actor;
  inbox: Pick<TemplateBatch, 'inbox' | 'channel' | 'is_test'>;
  /** The attachment that the header of all these messages shows, and how the messages show it. */
  header: { attachment: string; media: Message['media'] } | null;
  /** The attachments that the cards of all these messages show. */
  cards: readonly string[];
}

/** Stores the messages as QUEUED. Each is the last one of its conversation then. Throws AttachmentGone. */
export async function storeTemplates(
  tx: TenantTx,
  { actor, inbox, header, cards }: Sender,
  messages: NewTemplateMessage[],
): Promise<void> {
  if (messages.length === 0) return;
  const shown = [...new Set([...(header ? [header.attachment] : []), ...cards])];
  if (shown.length > 0 && (await lockAttachments(tx, shown)).length < shown.length) throw new AttachmentGone();
  const { attachment = null, media = null } = header ?? {};
  const origin = actor.type === 'campaign' ? 'CAMPAIGN' : 'BULK';
  await insertTemplates(tx, { ...readAuthor(actor), ...inbox, origin, attachment, media }, messages);
  const ids = messages.map(({ _id }) => _id);
  if (cards.length > 0) tx.awaitAtCommit(insertCardFiles(tx, ids, cards));
  const company = tx.companyId;
  tx.changed([{ company, kind: 'MESSAGE', ids }]);
  setLastOutgoingMessages(
    tx,
    messages.map(({ _id, conversation }) => ({ conversation, message: _id })),
  );
  const message_at = new Date().toISOString();
  tx.awaitAtCommit(
    touchContacts(
      tx,
      messages.map(({ contact }) => ({ company, contact, message_at, inbound_at: null })),
    ),
  );
}
