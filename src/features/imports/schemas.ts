import { Type, type Static } from 'typebox';
import { FilePart } from '../../platform/http/multipart.ts';
import { pageSchema, pageQuery } from '../../platform/store/paging.ts';
import { define, namesRecord, nullable, oneOf, recordId, ref, Timestamp } from '../../platform/values/schema.ts';
import { SHEET_FORMATS } from '../../platform/work/sheets.ts';

export const IMPORT_KINDS = ['CONTACTS', 'TABLE'] as const;
export type ImportKind = (typeof IMPORT_KINDS)[number];
/** What the rows of an uploaded sheet are: records to import, or the contacts of a bulk call. */
export type SheetKind = ImportKind | 'BULK';
const IMPORT_STATUSES = ['QUEUED', 'RUNNING', 'COMPLETED', 'FAILED'] as const;

export const MAX_SHEET_BYTES = 50 * 1024 * 1024;
export const MAX_SHEET_ROWS = 100_000;

export const RowError = Type.Object({
  row: Type.Integer({ description: '1 is the first row after the header' }),
  field: nullable(Type.String()),
  message: Type.String(),
});
export type RowError = Static<typeof RowError>;

/** A column of the sheet and the field that its values are written to. */
const ImportColumn = Type.Object({
  title: Type.String(),
  field: nullable(Type.String({ description: 'Null: the column is ignored' })),
});
export type ImportColumn = Static<typeof ImportColumn>;

export const Import = define(
  'Import',
  Type.Object({
    _id: recordId(['contact-import', 'table-import']),
    company: recordId('company'),
    kind: oneOf(IMPORT_KINDS),
    table: nullable(recordId('table')),
    file_name: Type.String(),
    format: oneOf(SHEET_FORMATS),
    status: oneOf(IMPORT_STATUSES),
    columns: Type.Array(ImportColumn),
    silent: Type.Boolean(),
    update_existing: Type.Boolean(),
    country: nullable(
      Type.String({
        description:
          'The country of phone numbers that are written without a country code; null: such numbers are refused',
      }),
    ),
    total: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'Rows with a value; null until they have been counted',
    }),
    processed: Type.Integer({ description: 'Processed rows: created, updated and failed ones' }),
    created_count: Type.Integer(),
    updated_count: Type.Integer({ description: 'Rows whose record already existed, whether they changed it or not' }),
    failed_count: Type.Integer(),
    row_errors: Type.Array(RowError, { description: 'The first 100 errors; …/errors answers all of them as a file' }),
    error: nullable(Type.Object({ code: Type.String(), message: Type.String() })),
    started_at: nullable(Timestamp),
    finished_at: nullable(Timestamp),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type Import = Static<typeof Import>;

export const ImportList = pageSchema(ref(Import));
export const ImportQuery = pageQuery('-createdAt', { status: Type.Optional(oneOf(IMPORT_STATUSES)) });
export type ImportQuery = Static<typeof ImportQuery>;

/** The parts of the multipart form that uploads a sheet; `column` is the kind of record that a column of it can be mapped to. */
export const sheetForm = (column: string) => ({
  file: FilePart,
  mapping: Type.Optional(
    Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string', minLength: 1, maxLength: 200, ...namesRecord(column) },
      maxProperties: 500,
      description: 'JSON: {title of a column: field}. Columns that are not named here are ignored',
    }),
  ),
});

/** Identifies the import that a worker processes. */
export interface ImportJob {
  company: string;
  import: string;
}
