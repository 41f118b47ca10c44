/** Tables that a company defines itself. */
import { isDeepStrictEqual } from 'node:util';
import { whenTaken } from '../../platform/store/taken.ts';
import { alreadyTaken, expectFound, invalid } from '../../platform/values/errors.ts';
import { newId } from '../../platform/values/ids.ts';
import { readSearch, pageWindow, type Page } from '../../platform/store/paging.ts';
import { expectRecordSize } from '../../platform/values/sizes.ts';
import type { Tenant, TenantRead } from '../../platform/store/tenant.ts';
import { makeSlug } from '../../platform/values/words.ts';
import { checkColumns, migrateRows } from './columns.ts';
import { findTable, findTableId, findTables, insertTable, listTables, lockTable, updateTable } from './queries.ts';
import type { Column, Table, TableCreate, TableQuery, TableUpdate } from './schemas.ts';

/** Creates a table. Throws TABLE_EXISTS when the company already has a table with this slug. */
export async function createTable(tenant: Tenant, input: TableCreate): Promise<Table> {
  const { name, description = null, columns = [] } = input;
  const slug = input.slug ?? makeSlug(name, 'table');
  if (slug === null) throw invalid('slug', 'is required: the name has no letters to make one from', 'REQUIRED');
  const table = { _id: newId(), name, slug, description, columns: checkColumns(columns) };
  const stored = tenant.tx(async (tx) => {
    tx.created(table._id);
    return expectRecordSize('columns', await insertTable(tx, table));
  });
  return stored.catch(refuseTakenSlug(tenant, slug));
}

export async function readTable(tenant: Tenant, id: string): Promise<Table> {
  return expectFound(await findTable(tenant.read, id));
}

/** Reads tables by their ids. Those that do not exist are left out. */
export const listTablesByIds = (read: TenantRead, ids: string[]): Promise<Table[]> => findTables(read, ids);

export async function pageTables(tenant: Tenant, query: TableQuery): Promise<Page<Table>> {
  const filter = { search: readSearch(query) };
  return listTables(tenant.read, filter, pageWindow('tables', query));
}

/** Changes a table. Given columns replace all columns of the table. Values are only lost in columns that `drop_columns` names. */
export async function updateTableById(tenant: Tenant, id: string, input: TableUpdate): Promise<Table> {
  const { drop_columns: dropped = [], columns, ...plain } = input;
  const accepted = columns && checkColumns(columns);
  checkDropped(dropped, accepted);
  const stored = tenant.tx(async (tx) => {
    const before = expectFound(await lockTable(tx, id));
    if (accepted) await migrateRows(tx, { before, columns: accepted, dropped });
    const next = { ...before, ...plain, columns: accepted ?? before.columns };
    return isDeepStrictEqual(next, before) ? before : expectRecordSize('columns', await updateTable(tx, next));
  });
  return stored.catch(refuseTakenSlug(tenant, input.slug ?? ''));
}

/** Refuses a column in `drop_columns` that is not removed, because that is a mistake of the caller. */
function checkDropped(dropped: string[], columns: Column[] | undefined): void {
  for (const [index, key] of dropped.entries()) {
    if (!columns) throw invalid(`drop_columns[${index}]`, 'requires the remaining columns in `columns`');
    if (columns.some((column) => column.key === key)) throw invalid(`drop_columns[${index}]`, 'is still in `columns`');
  }
}

const refuseTakenSlug = (tenant: Tenant, slug: string) =>
  whenTaken('tables_slug_key', async () => {
    throw alreadyTaken('TABLE_EXISTS', 'slug', await findTableId(tenant.read, slug));
  });
