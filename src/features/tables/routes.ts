import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { CSV_ANSWER } from '../../platform/http/download.ts';
import { hangUpSignal } from '../../platform/http/hang-up.ts';
import { declareTag } from '../../platform/http/description.ts';
import { operation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import { Import, MAX_SHEET_BYTES } from '../imports/schemas.ts';
import { exportRows } from './rows/export.ts';
import { pageRowsOfContact } from './rows/of-contact.ts';
import { importRows, readRowImport, sendRowErrors } from './rows/import.ts';
import { removeTable } from './remove.ts';
import { createRow, pageRows, readRow, readTableWithRows, removeRow, updateRowById } from './rows/rows.ts';
import { ContactParams } from '../contacts/schemas.ts';
import {
  ContactRowQuery,
  Row,
  RowCreate,
  RowImportForm,
  RowImportParams,
  RowList,
  RowParams,
  RowQuery,
  RowsParams,
  RowUpdate,
  Table,
  TableCreate,
  TableList,
  TableParams,
  TableQuery,
  TableUpdate,
  TableWithRows,
} from './schemas.ts';
import { createTable, pageTables, readTable, updateTableById } from './tables.ts';

export function tableRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('tables', 'Tables that a company defines, and their rows');
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/tables',
    scope: 'tables:create',
    summary: 'Create a table',
    description: 'Without a slug, one is made from the name. Rows store their values by the `key` of each column.',
    body: ref(TableCreate),
    answers: { 201: ref(Table) },
    errors: ['TABLE_EXISTS', 'QUOTA_EXCEEDED'],
    handler: (tenant, { body }) => createTable(tenant, body),
    again: readTable,
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/tables',
    scope: 'tables:read',
    summary: 'List tables',
    description: 'Each table with its columns and the number of its rows.',
    query: TableQuery,
    answers: { 200: TableList },
    handler: (tenant, { query }) => pageTables(tenant, query),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/tables/:id',
    scope: 'tables:read',
    summary: 'Read a table and a page of its rows',
    description: '`rows` is a page like that of `GET /v1/tables/{tableId}/rows`; page, sort and search apply to it.',
    params: TableParams,
    query: RowQuery,
    answers: { 200: ref(TableWithRows) },
    handler: (tenant, { params, query }) => readTableWithRows(tenant, params.id, query),
  });
  changeRoutes(app, kit);
  rowRoutes(app, kit);
  sheetRoutes(app, kit);
}

function changeRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'PATCH',
    path: '/v1/tables/:id',
    scope: 'tables:update',
    summary: 'Change a table; given columns replace all columns',
    description:
      'Values of rows are converted if nothing is lost. A change that would lose a value, or leave a required ' +
      'one missing, is rejected with COLUMN_IN_USE, which says in how many rows; `drop_columns` lists columns ' +
      'that can be removed with their values. A table of more than 100,000 rows accepts only changes that ' +
      "don't require reading its rows. Converting that many takes tens of seconds, during which writing rows " +
      'of this table returns 503.',
    params: TableParams,
    body: ref(TableUpdate),
    answers: { 200: ref(Table) },
    errors: ['TABLE_EXISTS', 'COLUMN_IN_USE', 'QUOTA_EXCEEDED'],
    handler: (tenant, { params, body }) => updateTableById(tenant, params.id, body),
  });
  operation(app, kit.access, {
    method: 'DELETE',
    path: '/v1/tables/:id',
    scope: 'tables:delete',
    summary: 'Delete a table with all its rows',
    description:
      'The table is removed immediately, and its slug becomes available; its rows are erased within minutes.',
    params: TableParams,
    answers: { 200: ref(Table) },
    handler: (tenant, { params }) => removeTable(kit, tenant, params.id),
  });
}

function sheetRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/tables/:id/import',
    scope: 'tables:create',
    action: 'tables.import',
    summary: 'Import rows from a sheet',
    description:
      'CSV (UTF-8 or Windows-1252; comma, semicolon or tab) or XLSX (its first sheet), at most 50 MB, 500 MB ' +
      'unpacked, 100,000 rows, 500 columns. A cell of more than 32 kB or a row of more than 80 kB is an error ' +
      'of its row. The first row has the titles. A column is imported if its title is the key or title of a ' +
      'column of the table, or if it is in `mapping`. Every row is added: importing a sheet twice adds its ' +
      'rows twice. Read the import for its progress.',
    params: TableParams,
    form: { maxBytes: MAX_SHEET_BYTES },
    body: RowImportForm,
    answers: { 201: ref(Import) },
    errors: ['IMPORTS_WAITING', 'QUOTA_EXCEEDED'],
    handler: (tenant, { params, upload, body, reply }) =>
      importRows(kit, tenant, params.id, { upload, body, signal: hangUpSignal(reply) }),
    again: (tenant, id, { params }) => readRowImport(tenant, params.id, id),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/tables/:id/export',
    scope: 'tables:read',
    summary: 'Export a table as CSV, in the order of its rows',
    description:
      'The first line has the keys of the columns, so that the file can be imported into a table with the same columns.',
    params: TableParams,
    answers: { 200: CSV_ANSWER },
    handler: (tenant, { params, reply }) => exportRows(kit, tenant, params.id, reply),
  });
  importRoutes(app, kit);
}

function importRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/tables/:id/import/:importId',
    scope: 'tables:read',
    summary: 'Read an import of rows',
    description:
      'Poll until `status` is COMPLETED or FAILED: `processed` of `total` rows are done. `row_errors` has the ' +
      'first failed rows; `/errors` returns all of them.',
    params: RowImportParams,
    answers: { 200: ref(Import) },
    handler: (tenant, { params }) => readRowImport(tenant, params.id, params.importId),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/tables/:id/import/:importId/errors',
    scope: 'tables:read',
    summary: 'The failed rows of an import, as CSV',
    description: 'One line per error: the number of the row, the column, and the problem.',
    params: RowImportParams,
    answers: { 200: CSV_ANSWER },
    handler: (tenant, { params, reply }) => sendRowErrors(tenant, params.id, params.importId, reply),
  });
}

function rowRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/tables/:tableId/rows',
    scope: 'tables:create',
    action: 'tables.create-row',
    summary: 'Add a row',
    description:
      "`data` has the values by the key of their column, each of the column's type; values are not converted. The row gets the next `row_index`.",
    params: RowsParams,
    body: ref(RowCreate),
    answers: { 201: ref(Row) },
    errors: ['QUOTA_EXCEEDED'],
    handler: (tenant, { params, body }) => createRow(tenant, params.tableId, body),
    again: (tenant, id, { params }) => readRow(tenant, params.tableId, id),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/tables/:tableId/rows',
    scope: 'tables:read',
    summary: 'List rows',
    description:
      '`search` finds part of any value; `sort=row_index` lists the rows in the order in which they were added.',
    params: RowsParams,
    query: RowQuery,
    answers: { 200: RowList },
    handler: (tenant, { params, query }) => pageRows(tenant, params.tableId, query),
  });
  singleRowRoutes(app, kit);
}

function singleRowRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/contacts/:id/table-rows',
    scope: 'tables:read',
    summary: 'List the rows of all tables that name a contact',
    description: 'Each row names its `table`. Rows that belong only to the business of the contact are not included.',
    params: ContactParams,
    query: ContactRowQuery,
    answers: { 200: RowList },
    handler: (tenant, { params, query }) => pageRowsOfContact(tenant, params.id, query),
  });
  operation(app, kit.access, {
    method: 'PATCH',
    path: '/v1/tables/:tableId/rows/:rowId',
    scope: 'tables:update',
    action: 'tables.update-row',
    summary: 'Change a row: given keys are written, other keys stay unchanged, and a key that is null is removed',
    description: 'Values have the type of their column and are not converted.',
    params: RowParams,
    body: ref(RowUpdate),
    answers: { 200: ref(Row) },
    errors: ['QUOTA_EXCEEDED'],
    handler: (tenant, { params, body }) => updateRowById(tenant, params.tableId, params.rowId, body),
  });
  operation(app, kit.access, {
    method: 'DELETE',
    path: '/v1/tables/:tableId/rows/:rowId',
    scope: 'tables:delete',
    action: 'tables.delete-row',
    summary: 'Delete a row; its index is not reused',
    description: 'Returns the deleted row.',
    params: RowParams,
    answers: { 200: ref(Row) },
    handler: (tenant, { params }) => removeRow(tenant, params.tableId, params.rowId),
  });
}
