/** Imports of sheets into the rows of a table. */
import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Kit } from '../../../kit.ts';
import { notFound } from '../../../platform/values/errors.ts';
import type { Upload } from '../../../platform/http/multipart.ts';
import type { Tenant } from '../../../platform/store/tenant.ts';
import { addImport, readImport } from '../../imports/imports.ts';
import { sendImportErrors } from '../../imports/row-errors.ts';
import type { Import } from '../../imports/schemas.ts';
import type { RowImportForm } from '../schemas.ts';
import { lockTableColumns } from '../queries.ts';
import { readTable } from '../tables.ts';

export async function importRows(
  kit: Kit,
  tenant: Tenant,
  tableId: string,
  { upload, body, signal }: { upload: Upload | null; body: RowImportForm; signal: AbortSignal },
): Promise<Import> {
  const { columns } = await readTable(tenant, tableId);
  return addImport(kit.readers, tenant, {
    kind: 'TABLE',
    table: tableId,
    upload,
    mapping: body.mapping,
    find: (title) =>
      (columns.find(({ key }) => key === title) ?? columns.find((column) => sameTitle(column.title, title)))?.key,
    // Rows of tables have no events, and no field by which an existing row could be found again.
    silent: true,
    update_existing: false,
    country: null,
    tag: null,
    identifying: null,
    signal,
    hold: async (tx) => {
      if (!(await lockTableColumns(tx, tableId))) throw notFound();
    },
  });
}

const sameTitle = (a: string, b: string): boolean => a.trim().toLowerCase() === b.trim().toLowerCase();

export const readRowImport = (tenant: Tenant, tableId: string, id: string): Promise<Import> =>
  readImport(tenant, { kind: 'TABLE', table: tableId }, id);

export const sendRowErrors = (tenant: Tenant, tableId: string, id: string, reply: FastifyReply): Promise<Readable> =>
  sendImportErrors(tenant, { kind: 'TABLE', table: tableId }, id, reply);
