/** Stores many filled-in templates of one inbox with few statements. */
import { listParts, type ContentOf } from '../../channels/content.ts';
import type { Actor } from '../../platform/values/actor.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import { readAuthor } from './authors.ts';
import { lockAttachments } from './file-queries.ts';
import { AttachmentGone } from './files.ts';
import { insertManyOutgoing, type NewOutgoing } from './insert-queries.ts';
import { noteOutgoing } from './note-outgoing.ts';
import type { Message } from './schemas.ts';

export { countUnknown } from './bulk-queries.ts';

/** `opens`, `introduces`: see noteOutgoing(). */
export interface NewTemplate extends Pick<NewOutgoing, '_id' | 'conversation' | 'contact' | 'enrollment'> {
  content: string | null;
  template: NonNullable<ContentOf<'TEMPLATE'>['template']>;
  opens: boolean;
  introduces: boolean;
}

export interface Sender {
  actor: Actor;
  inbox: Pick<NewOutgoing, 'inbox' | 'channel' | 'is_test'>;
  /** The attachment that the header of all these messages shows, and how the messages show it. */
  header: { attachment: string; media: Message['media'] } | null;
  /** The attachments that the cards of all these messages show. */
  cards: readonly string[];
}

/** Stores the messages as QUEUED. Each is the last one of its conversation then. Throws AttachmentGone. */
export async function storeTemplates(
  tx: TenantTx,
  { actor, inbox, header, cards }: Sender,
  messages: readonly NewTemplate[],
): Promise<void> {
  if (messages.length === 0) return;
  const shown = [...new Set([...(header ? [header.attachment] : []), ...cards])];
  if (shown.length > 0 && (await lockAttachments(tx, shown)).length < shown.length) throw new AttachmentGone();
  const { attachment = null, media = null } = header ?? {};
  const shared = {
    ...readAuthor(actor),
    ...inbox,
    attachment,
    media,
    message_type: 'OUTGOING',
    reply_to: null,
  } as const;
  const origin = actor.type === 'campaign' ? 'CAMPAIGN' : 'BULK';
  const stored = messages.map(({ content, template, ...each }) => ({
    ...shared,
    ...each,
    origin: origin as NewOutgoing['origin'],
    content: listParts({ contentType: 'TEMPLATE', content, template }),
    status: 'QUEUED' as const,
    errors: [],
  }));
  await insertManyOutgoing(tx, stored);
  noteOutgoing(tx, actor, stored, { cards, at: new Date().toISOString() });
}
