import { exec, many, maybeOne, one, oneValue } from '../../platform/store/db.ts';
import type { Page, Window } from '../../platform/store/paging.ts';
import { listPage } from '../../platform/store/plain-list.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { SavedView } from './schemas.ts';

const COLUMNS = `_id, company_id as company, name, owner_id as owner, is_shared, filters, sort, position,
  created_at as "createdAt", updated_at as "updatedAt"`;

/** The fields that a caller can change. */
export type ViewFields = Pick<SavedView, 'name' | 'is_shared' | 'filters' | 'sort' | 'position'>;

/** The views of a kind that a user sees; a null user sees the shared ones. */
export interface Seen {
  kind: 'CONVERSATIONS' | 'CONTACTS';
  user: string | null;
}

/** The condition for those that a user sees: shared ones and the user's own; `$2` is null for a key. */
const VISIBLE = 'company_id = $1 and (is_shared or owner_id = $2) and kind = $3';
/** The condition for those that share a limit and their names with each other: the company's shared ones, or a user's private ones. */
const TOGETHER = `company_id = $1 and case when is_shared then '' else owner_id end = $2 and kind = $3`;

export function findView(tx: TenantRead, { kind, user }: Seen, id: string): Promise<SavedView | null> {
  return maybeOne(tx, {
    name: 'views.find',
    text: `select ${COLUMNS} from views where ${VISIBLE} and _id = $4`,
    values: [tx.companyId, user, kind, id],
  });
}

/** Finds the view if the caller sees it, although it is neither the user's nor made by the key. */
export function findOthersView(
  tx: TenantRead,
  { kind, user, key }: Seen & { key: string | null },
  id: string,
): Promise<{ _id: string } | null> {
  return maybeOne(tx, {
    name: 'views.findOthers',
    text: `select _id from views where ${VISIBLE} and _id = $4
      and case when owner_id is null then made_by_key is distinct from $5 else owner_id is distinct from $2 end`,
    values: [tx.companyId, user, kind, id, key],
  });
}

/** Finds those of the views that the user sees. */
export function findViews(tx: TenantRead, { kind, user }: Seen, ids: string[]): Promise<SavedView[]> {
  return many(tx, {
    name: 'views.findMany',
    text: `select ${COLUMNS} from views where ${VISIBLE} and _id = any($4::text[])`,
    values: [tx.companyId, user, kind, ids],
  });
}

export function lockView(tx: TenantTx, { kind, user }: Seen, id: string): Promise<SavedView | null> {
  return maybeOne(tx, {
    name: 'views.lock',
    text: `select ${COLUMNS} from views where ${VISIBLE} and _id = $4 for no key update`,
    values: [tx.companyId, user, kind, id],
  });
}

/** With a null user, counts the shared views. */
export function countTogether(tx: TenantTx, { kind, user }: Seen): Promise<number> {
  return oneValue(tx, {
    name: 'views.countTogether',
    text: `select count(*)::int as count from views where ${TOGETHER}`,
    values: [tx.companyId, user ?? '', kind],
  });
}

export function insertView(
  tx: TenantTx,
  kind: Seen['kind'],
  view: ViewFields & Pick<SavedView, '_id' | 'owner'> & { made_by_key: string | null },
): Promise<SavedView> {
  const { _id, name, owner, made_by_key, is_shared, filters, sort, position } = view;
  return one(tx, {
    name: 'views.insert',
    text: `insert into views (company_id, _id, kind, name, owner_id, made_by_key, is_shared, filters, sort, position)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning ${COLUMNS}`,
    values: [tx.companyId, _id, kind, name, owner, made_by_key, is_shared, filters, sort, position],
  });
}

export function updateView(
  tx: TenantTx,
  id: string,
  { name, is_shared, filters, sort, position }: ViewFields,
): Promise<SavedView> {
  return one(tx, {
    name: 'views.update',
    text: `update views set name = $3, is_shared = $4, filters = $5, sort = $6, position = $7, updated_at = now()
      where company_id = $1 and _id = $2 returning ${COLUMNS}`,
    values: [tx.companyId, id, name, is_shared, filters, sort, position],
  });
}

export function deleteView(tx: TenantTx, id: string): Promise<number> {
  return exec(tx, {
    name: 'views.delete',
    text: 'delete from views where company_id = $1 and _id = $2',
    values: [tx.companyId, id],
  });
}

/** Finds the view with this name in any case among the user's private ones, or with a null user among the shared ones. */
export function findByName(tx: TenantRead, { kind, user }: Seen, name: string): Promise<{ _id: string } | null> {
  return maybeOne(tx, {
    name: 'views.findByName',
    text: `select _id from views where ${TOGETHER} and lower(name) = lower($4)`,
    values: [tx.companyId, user ?? '', kind, name],
  });
}

/** Lists all views that a user sees; MAX_VIEWS limits their number. */
export function listVisible(tx: TenantRead, { kind, user }: Seen): Promise<SavedView[]> {
  return many(tx, {
    name: 'views.listVisible',
    text: `select ${COLUMNS} from views where ${VISIBLE} order by position, _id`,
    values: [tx.companyId, user, kind],
  });
}

export function listViews(tx: TenantRead, { kind, user }: Seen, window: Window): Promise<Page<SavedView>> {
  return listPage(tx, window, {
    name: 'views',
    columns: COLUMNS,
    from: 'views',
    filter: VISIBLE,
    values: [tx.companyId, user, kind],
  });
}
