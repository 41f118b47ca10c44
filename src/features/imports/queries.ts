import { exec, maybeOne } from '../../platform/store/db.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';

/** What the record of an import shows in addition to the columns of all runs. */
export const IMPORT_COLUMNS = `input ->> 'kind' as kind, table_id as "table", input ->> 'file_name' as file_name, input ->> 'format' as format,
  input -> 'columns' as columns, (input ->> 'silent')::boolean as silent, (input ->> 'update_existing')::boolean as update_existing,
  input ->> 'country' as country, input ->> 'tag' as tag, created_count, changed_count as updated_count, failed_count, failures as row_errors,
  error, started_at`;

/** The SQL condition of imports of contacts. */
export const OF_CONTACTS = 'table_id is null';

/** Stores a piece of the sheet under its position. */
export function insertChunk(tx: TenantTx, id: string, position: number, bytes: Buffer): Promise<number> {
  return exec(tx, {
    name: 'imports.insertChunk',
    text: 'insert into import_chunks (company_id, import_id, position, bytes) values ($1, $2, $3, $4)',
    values: [tx.companyId, id, position, bytes],
  });
}

export function findChunk(tx: TenantRead, id: string, position: number): Promise<{ bytes: Buffer } | null> {
  return maybeOne(tx, {
    name: 'imports.findChunk',
    text: 'select bytes from import_chunks where company_id = $1 and import_id = $2 and position = $3',
    values: [tx.companyId, id, position],
  });
}

export function deleteChunks(tx: TenantTx, id: string): Promise<number> {
  return exec(tx, {
    name: 'imports.deleteChunks',
    text: 'delete from import_chunks where company_id = $1 and import_id = $2',
    values: [tx.companyId, id],
  });
}

/** Stores the errors of a portion of rows under its position. */
export function insertErrors(tx: TenantTx, id: string, position: number, lines: string): Promise<number> {
  return exec(tx, {
    name: 'imports.insertErrors',
    text: 'insert into import_errors (company_id, import_id, position, lines) values ($1, $2, $3, $4)',
    values: [tx.companyId, id, position, lines],
  });
}

/** Returns the next stored errors after a position. */
export function findErrors(
  tx: TenantRead,
  id: string,
  after: number,
): Promise<{ position: number; lines: string } | null> {
  return maybeOne(tx, {
    name: 'imports.findErrors',
    text: `select position, lines from import_errors where company_id = $1 and import_id = $2 and position > $3
      order by position limit 1`,
    values: [tx.companyId, id, after],
  });
}
