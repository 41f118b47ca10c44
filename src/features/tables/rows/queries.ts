/** Reads and writes single rows of a table, and portions of them. */
import { exec, many, maybeOne, one, oneValue } from '../../../platform/store/db.ts';
import { selectPortionSql, READ_BYTES, REWRITTEN_BYTES } from '../../../platform/store/portions.ts';
import type { TenantRead, TenantTx } from '../../../platform/store/tenant.ts';
import type { RowData } from '../schemas.ts';

export interface RowRecord {
  _id: string;
  table: string;
  company: string;
  data: RowData;
  row_index: number;
  contact_id: string | null;
  business_id: string | null;
  createdAt: string;
  updatedAt: string;
}

export const ROW = `_id, table_id as "table", company_id as company, data, row_index, contact_id, business_id,
  created_at as "createdAt", updated_at as "updatedAt"`;

export interface NewRow {
  _id: string;
  row_index: number;
  data: RowData;
  contact_id: string | null;
  business_id: string | null;
}

export function insertRows(tx: TenantTx, tableId: string, rows: NewRow[]): Promise<RowRecord[]> {
  return many(tx, {
    name: 'tables.insertRows',
    // Transactions get their row indexes one after the other, before this statement, so its time rises with the indexes.
    text: `insert into table_rows (company_id, table_id, created_at, updated_at, _id, row_index, data, contact_id, business_id)
      select $1, $2, statement_timestamp(), statement_timestamp(), r.* from unnest($3::text[], $4::int[], $5::jsonb[], $6::text[], $7::text[])
        as r (_id, row_index, data, contact_id, business_id) returning ${ROW}`,
    values: [
      tx.companyId,
      tableId,
      rows.map((row) => row._id),
      rows.map((row) => row.row_index),
      rows.map((row) => JSON.stringify(row.data)),
      rows.map((row) => row.contact_id),
      rows.map((row) => row.business_id),
    ],
  });
}

export function findRow(tx: TenantRead, tableId: string, id: string): Promise<RowRecord | null> {
  return maybeOne(tx, {
    name: 'tables.findRow',
    text: `select ${ROW} from table_rows where company_id = $1 and table_id = $2 and _id = $3`,
    values: [tx.companyId, tableId, id],
  });
}

export function findRows(tx: TenantRead, ids: string[]): Promise<RowRecord[]> {
  return many(tx, {
    name: 'tables.findRows',
    text: `select ${ROW} from table_rows where company_id = $1 and _id = any($2::text[])`,
    values: [tx.companyId, ids],
  });
}

export function lockRow(tx: TenantTx, tableId: string, id: string): Promise<RowRecord | null> {
  return maybeOne(tx, {
    name: 'tables.lockRow',
    text: `select ${ROW} from table_rows where company_id = $1 and table_id = $2 and _id = $3 for no key update`,
    values: [tx.companyId, tableId, id],
  });
}

/** Writes a row. With `keepsData` only the links of the row change, and its data is not written again. */
export function updateRow(tx: TenantTx, row: RowRecord, { keepsData }: { keepsData: boolean }): Promise<RowRecord> {
  return one(tx, {
    name: keepsData ? 'tables.updateRowLinks' : 'tables.updateRow',
    text: `update table_rows set contact_id = $4, business_id = $5, ${keepsData ? '' : 'data = $6, '}updated_at = now()
      where company_id = $1 and table_id = $2 and _id = $3 returning ${ROW}`,
    values: [
      tx.companyId,
      row.table,
      row._id,
      row.contact_id,
      row.business_id,
      ...(keepsData ? [] : [JSON.stringify(row.data)]),
    ],
  });
}

/** Deletes a row and subtracts it from the row count of its table. */
export function deleteRow(tx: TenantTx, tableId: string, id: string): Promise<RowRecord | null> {
  return maybeOne(tx, {
    name: 'tables.deleteRow',
    text: `with gone as (
        delete from table_rows where company_id = $1 and table_id = $2 and _id = $3 returning *
      ), counted as (
        update tables set row_count = row_count - 1 where company_id = $1 and _id = $2 and exists (select 1 from gone)
      )
      select ${ROW} from gone`,
    values: [tx.companyId, tableId, id],
  });
}

export interface StoredData {
  _id: string;
  row_index: number;
  data: RowData;
}

/** SQL that selects the next rows after an index, in their order. */
export const NEXT = `select _id, row_index, record_bytes as bytes from table_rows
  where company_id = $1 and table_id = $2 and row_index > $3 order by row_index limit $4`;

/** Reads the next rows after an index, as many as may be rewritten at once. */
export function listPortion(tx: TenantTx, tableId: string, after: number, limit: number): Promise<StoredData[]> {
  return many(tx, {
    name: 'tables.listPortion',
    text: `select _id, row_index, data from table_rows where company_id = $1
      and _id = any(array(${selectPortionSql({ rows: NEXT, order: 'row_index', most: REWRITTEN_BYTES })})) order by row_index`,
    values: [tx.companyId, tableId, after, limit],
  });
}

export function rewriteRows(tx: TenantTx, tableId: string, rows: { _id: string; data: RowData }[]): Promise<number> {
  return exec(tx, {
    name: 'tables.rewriteRows',
    // Each row takes its data from one JSON object. When the rows were joined with a list, PostgreSQL without statistics read the whole
    // table once for each of them.
    text: `update table_rows set data = $4::jsonb -> _id, updated_at = now()
      where company_id = $1 and table_id = $2 and _id = any($3)`,
    values: [
      tx.companyId,
      tableId,
      rows.map((row) => row._id),
      JSON.stringify(Object.fromEntries(rows.map((row) => [row._id, row.data]))),
    ],
  });
}

/** Erases a portion of a removed table's rows after an index. Returns the last index, or null when no row was left. */
export function eraseRows(
  tx: TenantTx,
  tableId: string,
  { after, limit }: { after: number; limit: number },
): Promise<number | null> {
  return oneValue(tx, {
    name: 'tables.eraseRows',
    text: `with gone as (
        delete from table_rows where company_id = $1 and table_id = $2 and _id = any(array(
          ${selectPortionSql({ rows: NEXT, order: 'row_index', most: READ_BYTES })}
        ))
        and exists (select from tables where company_id = $1 and _id = $2 and removed_at is not null)
        returning row_index
      )
      select max(row_index) as last from gone`,
    values: [tx.companyId, tableId, after, limit],
  });
}
