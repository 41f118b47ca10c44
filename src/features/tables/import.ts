/** Rows of a table from a sheet. */
import type { Kit } from '../../kit.ts';
import type { Upload } from '../../platform/multipart.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { addImport, readImport } from '../imports/imports.ts';
import type { Import, ImportForm } from '../imports/schemas.ts';
import { ImportRows } from './jobs.ts';
import { readTable } from './tables.ts';

export async function importRows(
  kit: Kit,
  tenant: Tenant,
  tableId: string,
  { upload, body }: { upload: Upload | null; body: ImportForm },
): Promise<Import> {
  const { columns } = await readTable(tenant, tableId);
  return addImport(tenant, {
    kind: 'TABLE',
    table: tableId,
    upload,
    mapping: body.mapping,
    find: (title) =>
      (columns.find(({ key }) => key === title) ?? columns.find((column) => sameTitle(column.title, title)))?.key,
    // Rows of tables have no events, and nothing by which one would be known again.
    silent: true,
    update_existing: false,
    enqueue: (tx, id) => kit.enqueue(tx, ImportRows, { company: tenant.companyId, import: id }, { key: id }),
  });
}

const sameTitle = (a: string, b: string): boolean => a.trim().toLowerCase() === b.trim().toLowerCase();

export const readRowImport = (tenant: Tenant, tableId: string, id: string): Promise<Import> =>
  readImport(tenant, { kind: 'TABLE', table: tableId }, id);
