import { exec, maybeOne, one, oneValue } from '../../platform/store/db.ts';
import type { Page, Window } from '../../platform/store/paging.ts';
import { listPage } from '../../platform/store/plain-list.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { Macro } from './schemas.ts';

const COLUMNS = `_id, company_id as company, name, owner_id as owner, actions, created_at as "createdAt", updated_at as "updatedAt"`;

/** The fields that a caller can change. */
export type MacroFields = Pick<Macro, 'name' | 'actions'>;

/** The condition for those that a user sees: shared ones and the user's own; `$2` is null for a key. */
const VISIBLE = 'company_id = $1 and (owner_id is null or owner_id = $2)';

export function findMacro(tx: TenantRead, user: string | null, id: string): Promise<Macro | null> {
  return maybeOne(tx, {
    name: 'macros.find',
    text: `select ${COLUMNS} from macros where ${VISIBLE} and _id = $3`,
    values: [tx.companyId, user, id],
  });
}

export function lockMacro(tx: TenantTx, user: string | null, id: string): Promise<Macro | null> {
  return maybeOne(tx, {
    name: 'macros.lock',
    text: `select ${COLUMNS} from macros where ${VISIBLE} and _id = $3 for no key update`,
    values: [tx.companyId, user, id],
  });
}

export function countOwnersMacros(tx: TenantTx, owner: string | null): Promise<number> {
  return oneValue(tx, {
    name: 'macros.countOwners',
    text: `select count(*)::int as count from macros where company_id = $1 and owner_id is not distinct from $2`,
    values: [tx.companyId, owner],
  });
}

export function insertMacro(
  tx: TenantTx,
  { _id, name, owner, actions }: MacroFields & Pick<Macro, '_id' | 'owner'>,
): Promise<Macro> {
  return one(tx, {
    name: 'macros.insert',
    text: `insert into macros (company_id, _id, name, owner_id, actions) values ($1, $2, $3, $4, $5) returning ${COLUMNS}`,
    values: [tx.companyId, _id, name, owner, actions],
  });
}

export function updateMacro(tx: TenantTx, id: string, { name, actions }: MacroFields): Promise<Macro> {
  return one(tx, {
    name: 'macros.update',
    text: `update macros set name = $3, actions = $4, updated_at = now() where company_id = $1 and _id = $2 returning ${COLUMNS}`,
    values: [tx.companyId, id, name, actions],
  });
}

export function deleteMacro(tx: TenantTx, id: string): Promise<number> {
  return exec(tx, {
    name: 'macros.delete',
    text: 'delete from macros where company_id = $1 and _id = $2',
    values: [tx.companyId, id],
  });
}

export function listMacros(tx: TenantRead, user: string | null, window: Window): Promise<Page<Macro>> {
  return listPage(tx, window, {
    name: 'macros',
    columns: COLUMNS,
    from: 'macros',
    filter: VISIBLE,
    values: [tx.companyId, user],
  });
}
