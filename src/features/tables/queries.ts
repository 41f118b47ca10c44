import { exec, many, maybeOne, one } from '../../platform/store/db.ts';
import type { Page, Window } from '../../platform/store/paging.ts';
import { listPage } from '../../platform/store/plain-list.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { Column, Table } from './schemas.ts';

const COLUMNS = `_id, company_id as company, name, slug, description, columns, row_count, created_at as "createdAt",
  updated_at as "updatedAt"`;

export interface TableText {
  _id: string;
  name: string;
  slug: string;
  description: string | null;
  columns: Column[];
}

const toParameters = ({ _id, name, slug, description, columns }: TableText): unknown[] => [
  _id,
  name,
  slug,
  description,
  JSON.stringify(columns),
];

export function insertTable(tx: TenantTx, table: TableText): Promise<Table> {
  return one(tx, {
    name: 'tables.insert',
    text: `insert into tables (company_id, _id, name, slug, description, columns) values ($1, $2, $3, $4, $5, $6) returning ${COLUMNS}`,
    values: [tx.companyId, ...toParameters(table)],
  });
}

export function updateTable(tx: TenantTx, table: TableText): Promise<Table> {
  return one(tx, {
    name: 'tables.update',
    text: `update tables set name = $3, slug = $4, description = $5, columns = $6, updated_at = now()
      where company_id = $1 and _id = $2 returning ${COLUMNS}`,
    values: [tx.companyId, ...toParameters(table)],
  });
}

const LIVE = 'company_id = $1 and _id = $2 and removed_at is null';

export function findTable(tx: TenantRead, id: string): Promise<Table | null> {
  return maybeOne(tx, {
    name: 'tables.find',
    text: `select ${COLUMNS} from tables where ${LIVE}`,
    values: [tx.companyId, id],
  });
}

export function findTables(tx: TenantRead, ids: string[]): Promise<Table[]> {
  return many(tx, {
    name: 'tables.findByIds',
    text: `select ${COLUMNS} from tables where company_id = $1 and _id = any($2::text[]) and removed_at is null order by name, _id`,
    values: [tx.companyId, ids],
  });
}

/** Finds the id of the table with this slug. */
export async function findTableId(tx: TenantRead, slug: string): Promise<string | null> {
  const table = await maybeOne<{ _id: string }>(tx, {
    name: 'tables.findId',
    text: 'select _id from tables where company_id = $1 and slug = $2',
    values: [tx.companyId, slug],
  });
  return table?._id ?? null;
}

/** Locks the table, so that no other transaction changes it or writes its rows until this one ends. */
export function lockTable(tx: TenantTx, id: string): Promise<Table | null> {
  return maybeOne(tx, {
    name: 'tables.lock',
    text: `select ${COLUMNS} from tables where ${LIVE} for update`,
    values: [tx.companyId, id],
  });
}

/** Locks the columns of the table against changes until the transaction ends. Other transactions may add and change rows meanwhile. */
export function lockTableColumns(tx: TenantTx, id: string): Promise<Table | null> {
  return maybeOne(tx, {
    name: 'tables.hold',
    text: `select ${COLUMNS} from tables where ${LIVE} for key share`,
    values: [tx.companyId, id],
  });
}

/** Reserves indexes for `count` rows; `last` is the highest of them. Other requests that add rows to this table wait. */
export function reserveRowIndexes(
  tx: TenantTx,
  id: string,
  count: number,
): Promise<{ columns: Column[]; last: number } | null> {
  return maybeOne(tx, {
    name: 'tables.takeIndexes',
    text: `update tables set last_row_index = last_row_index + $3, row_count = row_count + $3
      where ${LIVE} returning columns, last_row_index as last`,
    values: [tx.companyId, id, count],
  });
}

/** Hides a removed table. Its slug becomes free, because the new one begins with a digit, which no other slug does. */
export function markTableRemoved(tx: TenantTx, id: string): Promise<number> {
  return exec(tx, {
    name: 'tables.markRemoved',
    text: `update tables set removed_at = now(), slug = '0' || _id where ${LIVE}`,
    values: [tx.companyId, id],
  });
}

/** Deletes a removed table after its rows. */
export function deleteRemovedTable(tx: TenantTx, id: string): Promise<number> {
  return exec(tx, {
    name: 'tables.deleteRemoved',
    text: 'delete from tables where company_id = $1 and _id = $2 and removed_at is not null',
    values: [tx.companyId, id],
  });
}

export interface TableFilter {
  search: string | null;
}

const FILTER = `company_id = $1 and removed_at is null and ($2::text is null or strpos(fold(name), fold($2)) > 0 or strpos(slug, fold($2)) > 0)`;

export function listTables(tx: TenantRead, { search }: TableFilter, window: Window): Promise<Page<Table>> {
  return listPage(tx, window, {
    name: 'tables',
    columns: COLUMNS,
    from: 'tables',
    filter: FILTER,
    values: [tx.companyId, search],
  });
}
