import { exec, many, maybeOne, one } from '../../platform/store/db.ts';
import type { Since, Window } from '../../platform/store/paging.ts';
import { countRows, listRows, type PlainList } from '../../platform/store/plain-list.ts';
import type { SystemTx, TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { Import, ImportColumn, ImportKind, RowError } from './schemas.ts';

const IMPORT = `_id, company_id as company, kind, table_id as "table", file_name, format, status, options -> 'columns' as columns,
  (options ->> 'silent')::boolean as silent, (options ->> 'update_existing')::boolean as update_existing, options ->> 'country' as country, options ->> 'tag' as tag, total, processed,
  created_count, updated_count, failed_count, row_errors, error, started_at, finished_at, created_at as "createdAt",
  updated_at as "updatedAt"`;

export interface NewImport {
  _id: string;
  kind: ImportKind;
  table: string | null;
  file_name: string;
  format: Import['format'];
  bytes: number;
  options: {
    columns: ImportColumn[];
    silent: boolean;
    update_existing: boolean;
    country: string | null;
    tag: string | null;
  };
  /** The user or key that started the import. */
  principal: object;
}

export function insertImport(tx: TenantTx, asked: NewImport): Promise<Import> {
  return one(tx, {
    name: 'imports.insert',
    text: `insert into imports (company_id, _id, kind, table_id, file_name, format, bytes, options, principal)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning ${IMPORT}`,
    values: [
      tx.companyId,
      asked._id,
      asked.kind,
      asked.table,
      asked.file_name,
      asked.format,
      asked.bytes,
      JSON.stringify(asked.options),
      JSON.stringify(asked.principal),
    ],
  });
}

/** Counts the imports of the company that have not ended. */
export async function countOpenImports(tx: TenantRead): Promise<number> {
  const { count } = await one<{ count: number }>(tx, {
    name: 'imports.countOpen',
    text: `select count(*)::int as count from imports
      where company_id = $1 and finished_at is null`,
    values: [tx.companyId],
  });
  return count;
}

/** Lists imports of all companies that have made no progress for a day. */
export function listForgottenImports(tx: SystemTx, limit: number): Promise<{ company: string; _id: string }[]> {
  return many(tx, {
    name: 'imports.listForgotten',
    text: `select company_id as company, _id from imports
      where finished_at is null and updated_at < now() - interval '1 day' order by company_id limit $1`,
    values: [limit],
  });
}

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

export interface ImportOwner {
  kind: ImportKind;
  /** The table that the import fills; null for an import of contacts. */
  table: string | null;
}

const OWNED = 'company_id = $1 and kind = $2 and table_id is not distinct from $3';

export function findImport(tx: TenantRead, { kind, table }: ImportOwner, id: string): Promise<Import | null> {
  return maybeOne(tx, {
    name: 'imports.find',
    text: `select ${IMPORT} from imports where ${OWNED} and _id = $4`,
    values: [tx.companyId, kind, table, id],
  });
}

export function findImports(tx: TenantRead, ids: string[]): Promise<Import[]> {
  return many(tx, {
    name: 'imports.findByIds',
    text: `select ${IMPORT} from imports where company_id = $1 and _id = any($2::text[])`,
    values: [tx.companyId, ids],
  });
}

export interface ImportFilter extends ImportOwner {
  status: string | null;
}

const FILTER = `${OWNED} and ($4::text is null or status = $4)`;

const importList = (tx: TenantRead, { kind, table, status }: ImportFilter): PlainList => ({
  name: 'imports',
  columns: IMPORT,
  from: 'imports',
  filter: FILTER,
  values: [tx.companyId, kind, table, status],
});

export function listImports(tx: TenantRead, filter: ImportFilter, window: Window): Promise<Import[]> {
  return listRows(tx, importList(tx, filter), window);
}

export function countImports(tx: TenantRead, filter: ImportFilter, window: Since): Promise<number> {
  return countRows(tx, importList(tx, filter), window);
}

/** An import with the data that a worker needs. */
export type ImportWork = Import & { bytes: number };

/** Locks an import, after other transactions that change it. Returns null when the import is gone. */
export function lockImport(tx: TenantTx, id: string): Promise<ImportWork | null> {
  return maybeOne(tx, {
    name: 'imports.lock',
    text: `select ${IMPORT}, bytes from imports where company_id = $1 and _id = $2 for no key update`,
    values: [tx.companyId, id],
  });
}

export function setTotal(tx: TenantTx, id: string, total: number): Promise<number> {
  return exec(tx, {
    name: 'imports.setTotal',
    text: 'update imports set total = $3, updated_at = now() where company_id = $1 and _id = $2',
    values: [tx.companyId, id, total],
  });
}

export interface Progress {
  processed: number;
  created: number;
  updated: number;
  failed: number;
  errors: RowError[];
}

/** Counts the rows in the transaction that stores them, so that both agree. Progress resets the number of attempts to the current one. */
export function addProgress(tx: TenantTx, id: string, { errors, ...counts }: Progress): Promise<number> {
  return exec(tx, {
    name: 'imports.progress',
    text: `update imports set processed = processed + $3, created_count = created_count + $4,
        updated_count = updated_count + $5, failed_count = failed_count + $6, row_errors = row_errors || $7::jsonb, attempts = 1,
        updated_at = now()
      where company_id = $1 and _id = $2`,
    values: [tx.companyId, id, counts.processed, counts.created, counts.updated, counts.failed, JSON.stringify(errors)],
  });
}

/** Ends an import and deletes its sheet. It is COMPLETED when `error` is null, else FAILED. */
export function endImport(tx: TenantTx, id: string, error: { code: string; message: string } | null): Promise<number> {
  return exec(tx, {
    name: 'imports.end',
    text: `with gone as (delete from import_chunks where company_id = $1 and import_id = $2)
      update imports set status = case when $3::jsonb is null then 'COMPLETED' else 'FAILED' end, error = $3,
        started_at = coalesce(started_at, now()), finished_at = now(), updated_at = now(), is_waiting = false, claimed_at = null,
        held_until = null
      where company_id = $1 and _id = $2 and finished_at is null`,
    values: [tx.companyId, id, error && JSON.stringify(error)],
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
