/** Reads, creates, changes and removes rows of a table. */
import { isDeepStrictEqual } from 'node:util';
import { expectFound } from '../../../platform/values/errors.ts';
import { newId } from '../../../platform/values/ids.ts';
import type { Page } from '../../../platform/store/paging.ts';
import type { Tenant, TenantRead, TenantTx } from '../../../platform/store/tenant.ts';
import { expectBusiness } from '../../businesses/references.ts';
import { keepContact } from '../../contacts/contacts.ts';
import { checkRowData } from '../columns.ts';
import { lockTableColumns, reserveRowIndexes } from '../queries.ts';
import { pageTableRows } from './list.ts';
import { deleteRow, findRow, findRows, insertRows, lockRow, updateRow, type RowRecord } from './queries.ts';
import type { Row, RowCreate, RowData, RowQuery, RowUpdate, Table, TableWithRows } from '../schemas.ts';
import { readTable } from '../tables.ts';

export async function readTableWithRows(tenant: Tenant, id: string, query: RowQuery): Promise<TableWithRows> {
  const table = await readTable(tenant, id);
  return { ...table, rows: await presentPage(tenant, table, query) };
}

export async function pageRows(tenant: Tenant, tableId: string, query: RowQuery): Promise<Page<Row>> {
  return presentPage(tenant, await readTable(tenant, tableId), query);
}

async function presentPage(tenant: Tenant, table: Table, query: RowQuery): Promise<Page<Row>> {
  const page = await pageTableRows(tenant.read, table, query);
  return { ...page, result: page.result.map(toRow) };
}

export async function readRow(tenant: Tenant, tableId: string, id: string): Promise<Row> {
  await readTable(tenant, tableId);
  return toRow(expectFound(await findRow(tenant.read, tableId, id)));
}

/** Reads rows of any tables, for the live stream. */
export const readRows = async (read: TenantRead, ids: string[]): Promise<Row[]> =>
  (await findRows(read, ids)).map(toRow);

export async function createRow(tenant: Tenant, tableId: string, input: RowCreate): Promise<Row> {
  return tenant.tx(async (tx) => {
    const taken = expectFound(await reserveRowIndexes(tx, tableId, 1));
    const { contact_id = null, business_id = null } = input;
    await expectBusiness(tx, 'business_id', business_id);
    const row = {
      _id: newId(),
      row_index: taken.last,
      data: checkRowData(taken.columns, input.data),
      contact_id,
      business_id,
    };
    tx.created(row._id);
    const [created] = await insertRows(tx, tableId, [row]);
    if (!created) throw new Error('a row that was inserted is not there');
    return toRow(created);
  });
}

/** Adds rows of an import, whose data has been checked, in one statement and with indexes in their order. */
export async function addRows(tx: TenantTx, tableId: string, rows: RowData[]): Promise<void> {
  const taken = expectFound(await reserveRowIndexes(tx, tableId, rows.length));
  const first = taken.last - rows.length + 1;
  const made = rows.map((data, index) => ({
    _id: newId(),
    row_index: first + index,
    data,
    contact_id: null,
    business_id: null,
  }));
  await insertRows(tx, tableId, made);
}

/** Changes a row: given keys are written next to the others, and a key whose value is null is removed. */
export async function updateRowById(tenant: Tenant, tableId: string, id: string, input: RowUpdate): Promise<Row> {
  return tenant.tx(async (tx) => {
    const table = expectFound(await lockTableColumns(tx, tableId));
    // A removal locks the contact before the rows that name it; the other order could end in a deadlock.
    if (input.contact_id) await keepContact(tx, input.contact_id);
    const before = expectFound(await lockRow(tx, tableId, id));
    const { data, ...links } = input;
    await expectBusiness(tx, 'business_id', links.business_id);
    const next = data ? checkRowData(table.columns, { ...before.data, ...data }) : before.data;
    const after = { ...before, ...links, data: next };
    if (isDeepStrictEqual(after, before)) return toRow(before);
    return toRow(await updateRow(tx, after, { keepsData: isDeepStrictEqual(next, before.data) }));
  });
}

export async function removeRow(tenant: Tenant, tableId: string, id: string): Promise<Row> {
  return tenant.tx(async (tx) => {
    // The table is locked before its row, as a change of columns does it; the other order could end in a deadlock.
    expectFound(await lockTableColumns(tx, tableId));
    return toRow(expectFound(await deleteRow(tx, tableId, id)));
  });
}

/** Returns the row as answers show it, without links that are empty. */
export function toRow({ contact_id, business_id, ...row }: RowRecord): Row {
  return { ...row, ...(contact_id ? { contact_id } : {}), ...(business_id ? { business_id } : {}) };
}
