import { exec, maybeOne, one, oneValue } from '../../platform/store/db.ts';
import type { Page, Window } from '../../platform/store/paging.ts';
import { listPage } from '../../platform/store/plain-list.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { QuickReply } from './schemas.ts';

const COLUMNS = `_id, company_id as company, title, shortcut, content, attachment_id as attachment, owner_id as owner,
  created_at as "createdAt", updated_at as "updatedAt"`;

/** The fields that a caller can change. */
export type QuickReplyFields = Pick<QuickReply, 'title' | 'shortcut' | 'content' | 'attachment'>;

/** The condition for those that a user sees: shared ones and the user's own; `$2` is null for a key. */
const VISIBLE = 'company_id = $1 and (owner_id is null or owner_id = $2)';

export function findQuickReply(tx: TenantRead, user: string | null, id: string): Promise<QuickReply | null> {
  return maybeOne(tx, {
    name: 'quick-replies.find',
    text: `select ${COLUMNS} from quick_replies where ${VISIBLE} and _id = $3`,
    values: [tx.companyId, user, id],
  });
}

export function lockQuickReply(tx: TenantTx, user: string | null, id: string): Promise<QuickReply | null> {
  return maybeOne(tx, {
    name: 'quick-replies.lock',
    text: `select ${COLUMNS} from quick_replies where ${VISIBLE} and _id = $3 for no key update`,
    values: [tx.companyId, user, id],
  });
}

export function countOwnersReplies(tx: TenantTx, owner: string | null): Promise<number> {
  return oneValue(tx, {
    name: 'quick-replies.countOwners',
    text: `select count(*)::int as count from quick_replies where company_id = $1 and owner_id is not distinct from $2`,
    values: [tx.companyId, owner],
  });
}

export function insertQuickReply(
  tx: TenantTx,
  { _id, title, shortcut, content, attachment, owner }: QuickReplyFields & Pick<QuickReply, '_id' | 'owner'>,
): Promise<QuickReply> {
  return one(tx, {
    name: 'quick-replies.insert',
    text: `insert into quick_replies (company_id, _id, title, shortcut, content, attachment_id, owner_id)
      values ($1, $2, $3, $4, $5, $6, $7) returning ${COLUMNS}`,
    values: [tx.companyId, _id, title, shortcut, content, attachment, owner],
  });
}

export function updateQuickReply(
  tx: TenantTx,
  id: string,
  { title, shortcut, content, attachment }: QuickReplyFields,
): Promise<QuickReply> {
  return one(tx, {
    name: 'quick-replies.update',
    text: `update quick_replies set title = $3, shortcut = $4, content = $5, attachment_id = $6, updated_at = now()
      where company_id = $1 and _id = $2 returning ${COLUMNS}`,
    values: [tx.companyId, id, title, shortcut, content, attachment],
  });
}

export function deleteQuickReply(tx: TenantTx, id: string): Promise<number> {
  return exec(tx, {
    name: 'quick-replies.delete',
    text: 'delete from quick_replies where company_id = $1 and _id = $2',
    values: [tx.companyId, id],
  });
}

/** Finds the quick reply of this owner that has the shortcut in any case. */
export function findByShortcut(
  tx: TenantRead,
  owner: string | null,
  shortcut: string,
): Promise<{ _id: string } | null> {
  return maybeOne(tx, {
    name: 'quick-replies.findByShortcut',
    text: `select _id from quick_replies
      where company_id = $1 and owner_id is not distinct from $2 and lower(shortcut) = lower($3)`,
    values: [tx.companyId, owner, shortcut],
  });
}

export interface QuickReplyFilter {
  /** The user who asks; null for a key. */
  user: string | null;
  search: string | null;
}

export function listQuickReplies(
  tx: TenantRead,
  { user, search }: QuickReplyFilter,
  window: Window,
): Promise<Page<QuickReply>> {
  return listPage(tx, window, {
    name: 'quick-replies',
    columns: COLUMNS,
    from: 'quick_replies',
    filter: `${VISIBLE} and ($3::text is null or strpos(fold(title), fold($3)) > 0 or strpos(fold(shortcut), fold($3)) > 0
      or strpos(fold(content), fold($3)) > 0)`,
    values: [tx.companyId, user, search],
  });
}
