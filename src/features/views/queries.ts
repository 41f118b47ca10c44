import { exec, many, maybeOne, one, oneValue } from '../../platform/store/db.ts';
import type { Page, Window } from '../../platform/store/paging.ts';
import { listPage } from '../../platform/store/plain-list.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { View } from './schemas.ts';

const COLUMNS = `_id, company_id as company, name, owner_id as owner, is_shared, filters, sort, position,
  created_at as "createdAt", updated_at as "updatedAt"`;

/** The fields that a caller can change. */
export type ViewFields = Pick<View, 'name' | 'is_shared' | 'filters' | 'sort' | 'position'>;

/** The condition for those that a user sees: shared ones and the user's own; `$2` is null for a key. */
const VISIBLE = 'company_id = $1 and (is_shared or owner_id = $2)';
/** The condition for those that share a limit and their names with each other: the company's shared ones, or a user's private ones. */
const TOGETHER = `company_id = $1 and case when is_shared then '' else owner_id end = $2`;

export function findView(tx: TenantRead, user: string | null, id: string): Promise<View | null> {
  return maybeOne(tx, {
    name: 'views.find',
    text: `select ${COLUMNS} from views where ${VISIBLE} and _id = $3`,
    values: [tx.companyId, user, id],
  });
}

/** Finds the view if the caller sees it, although it is neither the user's nor made by the key. */
export function findOthersView(
  tx: TenantRead,
  { user, key }: { user: string | null; key: string | null },
  id: string,
): Promise<{ _id: string } | null> {
  return maybeOne(tx, {
    name: 'views.findOthers',
    text: `select _id from views where ${VISIBLE} and _id = $3
      and case when owner_id is null then made_by_key is distinct from $4 else owner_id is distinct from $2 end`,
    values: [tx.companyId, user, id, key],
  });
}

/** Finds those of the views that the user sees; a null user sees the shared ones. */
export function findViews(tx: TenantRead, user: string | null, ids: string[]): Promise<View[]> {
  return many(tx, {
    name: 'views.findMany',
    text: `select ${COLUMNS} from views where ${VISIBLE} and _id = any($3::text[])`,
    values: [tx.companyId, user, ids],
  });
}

export function lockView(tx: TenantTx, user: string | null, id: string): Promise<View | null> {
  return maybeOne(tx, {
    name: 'views.lock',
    text: `select ${COLUMNS} from views where ${VISIBLE} and _id = $3 for no key update`,
    values: [tx.companyId, user, id],
  });
}

/** `owner` is null for the shared views. */
export function countTogether(tx: TenantTx, owner: string | null): Promise<number> {
  return oneValue(tx, {
    name: 'views.countTogether',
    text: `select count(*)::int as count from views where ${TOGETHER}`,
    values: [tx.companyId, owner ?? ''],
  });
}

export function insertView(
  tx: TenantTx,
  view: ViewFields & Pick<View, '_id' | 'owner'> & { made_by_key: string | null },
): Promise<View> {
  const { _id, name, owner, made_by_key, is_shared, filters, sort, position } = view;
  return one(tx, {
    name: 'views.insert',
    text: `insert into views (company_id, _id, name, owner_id, made_by_key, is_shared, filters, sort, position)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning ${COLUMNS}`,
    values: [tx.companyId, _id, name, owner, made_by_key, is_shared, filters, sort, position],
  });
}

export function updateView(
  tx: TenantTx,
  id: string,
  { name, is_shared, filters, sort, position }: ViewFields,
): Promise<View> {
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

/** Finds the view with this name in any case among the shared ones, or among the private ones of an owner. */
export function findByName(tx: TenantRead, owner: string | null, name: string): Promise<{ _id: string } | null> {
  return maybeOne(tx, {
    name: 'views.findByName',
    text: `select _id from views where ${TOGETHER} and lower(name) = lower($3)`,
    values: [tx.companyId, owner ?? '', name],
  });
}

/** Lists all views that a user sees; MAX_VIEWS limits their number. */
export function listVisible(tx: TenantRead, user: string | null): Promise<View[]> {
  return many(tx, {
    name: 'views.listVisible',
    text: `select ${COLUMNS} from views where ${VISIBLE} order by position, _id`,
    values: [tx.companyId, user],
  });
}

export function listViews(tx: TenantRead, user: string | null, window: Window): Promise<Page<View>> {
  return listPage(tx, window, {
    name: 'views',
    columns: COLUMNS,
    from: 'views',
    filter: VISIBLE,
    values: [tx.companyId, user],
  });
}
