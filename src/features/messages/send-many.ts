/** Stores many filled-in templates of one inbox, and what the network made of them, with few statements. */
import type { Channel, NetworkError, SendResult } from '../../channels/channel.ts';
import type { Kit } from '../../kit.ts';
import type { Actor } from '../../platform/values/actor.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import { touchContacts } from '../contacts/ingest-queries.ts';
import { setLastOutgoingMessages } from '../conversations/conversations.ts';
import type { Credentials } from '../inboxes/connection.ts';
import { noteRefusal } from '../inboxes/refused.ts';
import { readAuthor } from './authors.ts';
import {
  failAllQueued,
  insertTemplates,
  lockQueued,
  type NewTemplateMessage,
  type TemplateBatch,
} from './bulk-queries.ts';
import { applyParked, applyStatuses } from './ingest.ts';
import { insertCardFiles, lockAttachments } from './file-queries.ts';
import { AttachmentGone } from './files.ts';
import type { Cause, Message } from './schemas.ts';
import { explainRejection } from './settle-call.ts';

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

/** What the network answered to one message; an unknown outcome changes nothing. */
export interface Answered {
  message: string;
  result: Exclude<SendResult, { outcome: 'unknown' }>;
}

interface Line {
  channel: Channel;
  inbox: string;
  credentials: Credentials | null;
}

/** Stores the network's answers as settleCall does it for one message. */
export async function settleMany(
  kit: Kit,
  tx: TenantTx,
  { channel, inbox, credentials }: Line,
  answers: Answered[],
): Promise<void> {
  const accepted = answers.flatMap(({ message, result }) =>
    result.outcome === 'accepted' ? [{ message, result }] : [],
  );
  const rejected = answers.flatMap(({ message, result }) =>
    result.outcome === 'rejected' ? [{ message, result }] : [],
  );
  const keys = accepted.map(({ result }) => ({ company: tx.companyId, inbox, external_id: result.externalId }));
  const at = new Date().toISOString();
  await applyStatuses(
    tx,
    accepted.map(({ message, result }) => ({
      company: tx.companyId,
      inbox,
      external_id: result.externalId,
      message,
      recipient: result.person.names,
      status: result.held === undefined ? 'ACCEPTED' : 'HELD',
      at,
      errors: [],
      failure_reason: null,
      reportsFailures: true,
    })),
  );
  await applyParked(tx, keys);
  const refusal = rejected.find(({ result }) => result.network && channel.refusesCredentials?.(result.error.code));
  if (refusal && credentials) await noteRefusal(kit, tx, credentials, refusal.result.error);
  const failed = rejected.map(({ message, result }) => ({ _id: message, ...explainRejection(channel, result) }));
  await failMessages(tx, failed);
}

/** Marks messages as FAILED that never left, all for the same cause. */
export const failUnsent = (tx: TenantTx, messages: string[], cause: NetworkError): Promise<void> =>
  failMessages(
    tx,
    messages.map((_id) => ({ _id, errors: [cause as Cause], reason: null })),
  );

/** Keeps messages that wait to be sent as they are until the transaction ends. It is called before their enrollments are locked. */
export async function holdUnsent(tx: TenantTx, messages: string[]): Promise<void> {
  if (messages.length > 0) await lockQueued(tx, messages);
}

async function failMessages(tx: TenantTx, failed: Parameters<typeof failAllQueued>[1]): Promise<void> {
  if (failed.length === 0) return;
  await failAllQueued(tx, failed);
  tx.changed([{ company: tx.companyId, kind: 'MESSAGE', ids: failed.map(({ _id }) => _id) }]);
}
