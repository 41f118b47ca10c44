/** Makes in one conversation what a bulk change, a macro or a rule asks for, in the caller's transaction. */
import type { Kit } from '../../../kit.ts';
import { recordAudit, toLoggedActor, type Origin } from '../../../platform/http/audit.ts';
import type { Acting, TenantTx } from '../../../platform/store/tenant.ts';
import { invalid } from '../../../platform/values/errors.ts';
import { markConversation } from '../conversations.ts';
import { MAX_TAGS, type Conversation, type ConversationUpdate } from '../schemas.ts';
import { changeConversationById, findSecondOpen } from '../update.ts';
import type { ConversationChange } from './schemas.ts';

export interface Change {
  id: string;
  change: ConversationChange;
  /** For the entry in the audit log, with the request that asked for the change; null when the request itself has an entry. */
  audit: { origin: Origin | null } | null;
}

/** Makes the change as a PATCH does, and the marks. Returns false when the conversation was so already. */
export async function makeChange(kit: Kit, tx: TenantTx, acting: Acting, asked: Change): Promise<boolean> {
  const { unread, ...change } = asked.change;
  const isChanged = Object.keys(change).length > 0 && (await changeFields(kit, tx, acting, { ...asked, change }));
  const isMarked =
    unread !== undefined && (await markConversation(kit, tx, acting, { id: asked.id, unread })).isChanged;
  return isChanged || isMarked;
}

/** Changes the fields of one conversation. */
async function changeFields(kit: Kit, tx: TenantTx, acting: Acting, { id, change, audit }: Change): Promise<boolean> {
  const makeInput = (before: Conversation): ConversationUpdate => toUpdate(change, before);
  const { isChanged } = await changeConversationById(kit, tx, acting, { id, step: change.step, makeInput }).catch(
    (error: unknown) => {
      // Failure policy: the refusal of a second open conversation gets its code; any other error is thrown on.
      throw findSecondOpen(error, 'status') ?? error;
    },
  );
  const entry = {
    company: tx.companyId,
    actor: toLoggedActor(acting.actor),
    action: 'conversations.update',
    resource: 'conversations',
    resourceId: id,
    fields: Object.keys(change),
  };
  if (isChanged && audit) tx.awaitAtCommit(recordAudit(tx, { ...entry, ...audit }));
  return isChanged;
}

/** Makes the PATCH of one conversation. A PATCH replaces all tags, so added and removed tags are applied to those that it has. */
function toUpdate(
  { add_tags, remove_tags, ...plain }: Omit<ConversationChange, 'unread'>,
  { tags }: Conversation,
): ConversationUpdate {
  if (!add_tags && !remove_tags) return plain;
  const next = [...new Set([...tags, ...(add_tags ?? [])])].filter((tag) => !remove_tags?.includes(tag));
  if (next.length > MAX_TAGS && next.length > tags.length) throw invalid('tags', `would be more than ${MAX_TAGS}`);
  return { ...plain, tags: next };
}
