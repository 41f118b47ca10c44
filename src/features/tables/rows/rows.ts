/** Reads, creates, changes and removes rows of a table. */
import { isDeepStrictEqual } from 'node:util';
import { notFound } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import type { Page } from '../../../platform/paging.ts';
import type { Tenant, TenantTx } from '../../../platform/tenant.ts';
import { expectBusiness } from '../../businesses/references.ts';
import { acceptData } from '../columns.ts';
import { holdTable, takeIndexes } from '../queries.ts';
import { pageTableRows } from './list.ts';
import { deleteRow, findRow, insertRows, lockRow, updateRow, type RowRecord } from './queries.ts';
import type { Row, RowCreate, RowData, RowQuery, RowUpdate, TableWithRows } from '../schemas.ts';
import { readTable } from '../tables.ts';

export async function readTableWithRows(tenant: Tenant, id: string, query: RowQuery): Promise<TableWithRows> {
  const table = await readTable(tenant, id);
  return { ...table, rows: await presentPage(tenant, id, query) };
}

export async function pageRows(tenant: Tenant, tableId: string, query: RowQuery): Promise<Page<Row>> {
  await readTable(tenant, tableId);
  return presentPage(tenant, tableId, query);
}

async function presentPage(tenant: Tenant, tableId: string, query: RowQuery): Promise<Page<Row>> {
  const page = await pageTableRows(tenant.read, tableId, query);
  return { ...page, result: page.result.map(toAnswer) };
}

export async function readRow(tenant: Tenant, tableId: string, id: string): Promise<Row> {
  await readTable(tenant, tableId);
  const row = await findRow(tenant.read, tableId, id);
  if (!row) throw notFound();
  return toAnswer(row);
}

export async function createRow(tenant: Tenant, tableId: string, input: RowCreate): Promise<Row> {
  return tenant.tx(async (tx) => {
    const taken = await takeIndexes(tx, tableId, 1);
    if (!taken) throw notFound();
    const { contact_id = null, business_id = null } = input;
    await expectBusiness(tx, 'business_id', business_id);
    const row = {
      _id: newId(),
      row_index: taken.last,
      data: acceptData(taken.columns, input.data),
      contact_id,
      business_id,
    };
    tx.makes(row._id);
    const [created] = await insertRows(tx, tableId, [row]);
    if (!created) throw new Error('a row that was inserted is not there');
    return toAnswer(created);
  });
}

/** Adds rows of an import, whose data has been checked, in one statement and with indexes in their order. */
export async function addRows(tx: TenantTx, tableId: string, rows: RowData[]): Promise<void> {
  const taken = await takeIndexes(tx, tableId, rows.length);
  if (!taken) throw notFound();
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

/** Changes a row: given keys are written beside the others, and a key whose value is null is removed. */
export async function updateRowById(tenant: Tenant, tableId: string, id: string, input: RowUpdate): Promise<Row> {
  return tenant.tx(async (tx) => {
    const table = await holdTable(tx, tableId);
    const before = table && (await lockRow(tx, tableId, id));
    if (!before) throw notFound();
    const { data, ...links } = input;
    await expectBusiness(tx, 'business_id', links.business_id);
    const next = data ? acceptData(table.columns, { ...before.data, ...data }, before.data) : before.data;
    const after = { ...before, ...links, data: next };
    if (isDeepStrictEqual(after, before)) return toAnswer(before);
    return toAnswer(await updateRow(tx, after, { keepsData: isDeepStrictEqual(next, before.data) }));
  });
}

export async function removeRow(tenant: Tenant, tableId: string, id: string): Promise<Row> {
  return tenant.tx(async (tx) => {
    // The table is locked before its row, as a change of columns does it; the other order could end in a deadlock.
    const removed = (await holdTable(tx, tableId)) && (await deleteRow(tx, tableId, id));
    if (!removed) throw notFound();
    return toAnswer(removed);
  });
}

/** Returns the row as answers show it, without links that are empty. */
function toAnswer({ contact_id, business_id, ...row }: RowRecord): Row {
  return { ...row, ...(contact_id ? { contact_id } : {}), ...(business_id ? { business_id } : {}) };
}
