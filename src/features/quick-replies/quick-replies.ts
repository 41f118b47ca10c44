/** Quick replies: texts that people insert by a shortcut. Shared ones belong to the company, personal ones to a user. */
import { isDeepStrictEqual } from 'node:util';
import { whenTaken } from '../../platform/store/taken.ts';
import { alreadyTaken, expectFound, invalid } from '../../platform/values/errors.ts';
import { newId } from '../../platform/values/ids.ts';
import { lockLimit } from '../../platform/store/limit-lock.ts';
import { readSearch, pageWindow, type Page } from '../../platform/store/paging.ts';
import type { Tenant, TenantTx } from '../../platform/store/tenant.ts';
import { describeValues } from '../../platform/values/words.ts';
import { expectAttachment } from '../attachments/attachments.ts';
import { expectUsers } from '../users/assignments.ts';
import {
  countOwnersReplies,
  deleteQuickReply,
  findByShortcut,
  findQuickReply,
  insertQuickReply,
  listQuickReplies,
  lockQuickReply,
  updateQuickReply,
} from './queries.ts';
import {
  MAX_QUICK_REPLIES,
  VARIABLES,
  type QuickReply,
  type QuickReplyCreate,
  type QuickReplyQuery,
  type QuickReplyUpdate,
} from './schemas.ts';

const findUser = ({ principal }: Tenant): string | null => (principal.type === 'user' ? principal.id : null);

/** Throws QUICK_REPLY_EXISTS when the owner has one with this shortcut. */
export async function createQuickReply(tenant: Tenant, input: QuickReplyCreate): Promise<QuickReply> {
  const { attachment = null, owner = null, ...texts } = input;
  checkVariables(input.content);
  const stored = tenant.tx(async (tx) => {
    await expectUsers(tx, { owner });
    if (owner !== null && owner !== findUser(tenant)) throw invalid('owner', 'is another user');
    if (attachment !== null) await expectAttachment(tx, attachment, 'attachment');
    await lockLimit(tx, `quick-replies:${owner}`);
    if ((await countOwnersReplies(tx, owner)) >= MAX_QUICK_REPLIES)
      throw invalid('shortcut', `is one too many: there are ${MAX_QUICK_REPLIES} already`, 'LIMIT_REACHED');
    const reply = await insertQuickReply(tx, { _id: newId(), ...texts, attachment, owner });
    tx.created(reply._id);
    return reply;
  });
  return stored.catch(refuseTakenShortcut(tenant, { owner, shortcut: input.shortcut }));
}

/** Returns true for a quick reply of the whole company. */
export const isShared = async (tenant: Tenant, id: string): Promise<boolean> =>
  (await findQuickReply(tenant.read, findUser(tenant), id))?.owner === null;

export async function readQuickReply(tenant: Tenant, id: string): Promise<QuickReply> {
  return expectFound(await findQuickReply(tenant.read, findUser(tenant), id));
}

export async function pageQuickReplies(tenant: Tenant, query: QuickReplyQuery): Promise<Page<QuickReply>> {
  const filter = { user: findUser(tenant), search: readSearch(query) };
  return listQuickReplies(tenant.read, filter, pageWindow('quick-replies', query));
}

export async function updateQuickReplyById(tenant: Tenant, id: string, input: QuickReplyUpdate): Promise<QuickReply> {
  checkVariables(input.content ?? '');
  const { owner } = await readQuickReply(tenant, id);
  if (input.attachment) await expectAttachment(tenant.read, input.attachment, 'attachment');
  // The transaction sees all inboxes, because a message of an inbox that the user does not see may have it, too.
  const stored = tenant.whole().tx(async (tx) => {
    const before = await lockForChange(tx, tenant, id);
    const { title, shortcut, content, attachment } = before;
    const own = { title, shortcut, content, attachment };
    const next = { ...own, ...input };
    if (isDeepStrictEqual(next, own)) return before;
    if (next.attachment !== null && next.attachment !== attachment)
      await expectAttachment(tx, next.attachment, 'attachment');
    return updateQuickReply(tx, id, next);
  });
  return stored.catch(refuseTakenShortcut(tenant, { owner, shortcut: input.shortcut ?? '' }));
}

export function removeQuickReply(tenant: Tenant, id: string): Promise<QuickReply> {
  // The transaction sees all inboxes, because a message of an inbox that the user does not see may have it, too.
  return tenant.whole().tx(async (tx) => {
    const reply = await lockForChange(tx, tenant, id);
    await deleteQuickReply(tx, id);
    return reply;
  });
}

async function lockForChange(tx: TenantTx, tenant: Tenant, id: string): Promise<QuickReply> {
  return expectFound(await lockQuickReply(tx, findUser(tenant), id));
}

/** Throws UNKNOWN_VARIABLE naming `path` when a text has a variable that nobody fills in. */
export function checkVariables(content: string, path = 'content'): void {
  const named = [...content.matchAll(/\{\{([^{}]*)\}\}/g)].map(([, name = '']) => name.trim());
  const unknown = named.find((name) => !(VARIABLES as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw invalid(path, `has an unknown variable; known ones are ${describeValues(VARIABLES)}`, 'UNKNOWN_VARIABLE');
}

const refuseTakenShortcut = (tenant: Tenant, { owner, shortcut }: Pick<QuickReply, 'owner' | 'shortcut'>) =>
  whenTaken('quick_replies_shortcut_key', async () => {
    throw alreadyTaken('QUICK_REPLY_EXISTS', 'shortcut', (await findByShortcut(tenant.read, owner, shortcut))?._id);
  });
