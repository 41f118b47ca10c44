import { Type, type Static } from 'typebox';
import { FilePart } from '../../platform/http/multipart.ts';
import { pageSchema, pageQuery } from '../../platform/store/paging.ts';
import {
  define,
  namesRecord,
  nullable,
  oneOf,
  recordId,
  ref,
  Timestamp,
  described,
  plain,
} from '../../platform/values/schema.ts';
import { SHEET_FORMATS } from '../../platform/work/sheets.ts';
import { declareLimit } from '../../platform/values/limits.ts';

export const IMPORT_KINDS = ['CONTACTS', 'TABLE'] as const;
export type ImportKind = (typeof IMPORT_KINDS)[number];
/** What the rows of an uploaded sheet are: records to import, or the contacts of a bulk call. */
export type SheetKind = ImportKind | 'BULK';
export const IMPORT_STATUSES = ['QUEUED', 'RUNNING', 'COMPLETED', 'FAILED'] as const;

export const MAX_SHEET_BYTES = declareLimit(50 * 1024 * 1024, {
  topic: 'Contacts',
  what: 'Sheet: size',
  unit: 'bytes',
  beyond: '413',
});
export const MAX_SHEET_ROWS = declareLimit(100_000, {
  topic: 'Contacts',
  what: 'Sheet: rows',
  beyond: 'the import fails',
});

export const RowError = Type.Object({
  row: plain.integer('1 is the first row after the header'),
  field: nullable(plain.text('The field; null for the entire row')),
  message: plain.text('What happened, in a sentence for people'),
  line: Type.Optional(
    plain.integer(
      'The row number as spreadsheet programs show it: 1 is the first row of the sheet, usually the header',
    ),
  ),
  value: Type.Optional(
    nullable(plain.text('The beginning of the rejected cell; null if the error does not concern a single cell')),
  ),
  stored: Type.Optional(plain.flag('true: the row was stored without this field. It does not count as failed')),
});
export type RowError = Static<typeof RowError>;

/** A column of the sheet and the field that its values are written to. */
const ImportColumn = Type.Object({
  title: plain.text('The title of the column in the sheet'),
  field: nullable(plain.text('Null: the column is ignored')),
});
export type ImportColumn = Static<typeof ImportColumn>;

export const Import = define(
  'Import',
  Type.Object({
    _id: recordId(['contact-import', 'table-import']),
    company: recordId('company'),
    kind: oneOf(IMPORT_KINDS, 'What the rows are imported as'),
    table: nullable(recordId('table')),
    file_name: plain.text('The name of the sheet'),
    format: oneOf(SHEET_FORMATS, 'The format of the sheet'),
    status: oneOf(
      IMPORT_STATUSES,
      'The state of the import. COMPLETED: each row was stored or has failed; FAILED: it ended before its last row, and `error` says why',
    ),
    columns: Type.Array(ImportColumn, { description: 'The columns, in the order in which they are shown' }),
    silent: plain.flag('Whether the import emits no events'),
    update_existing: plain.flag('Whether rows that match a record update it'),
    country: nullable(
      plain.text('The country of phone numbers that are written without + or 00; null: such numbers are rejected'),
    ),
    total: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'Rows with a value; null until they have been counted',
    }),
    processed: plain.integer('Processed rows: created, updated and failed ones'),
    created_count: plain.integer('Records created'),
    updated_count: plain.integer('Rows whose record already existed, whether or not they changed it'),
    failed_count: plain.integer('Rows that could not be stored'),
    tag: nullable(plain.text('The tag added to all contacts of the import; null for none')),
    row_errors: Type.Array(RowError, {
      description:
        'The first 100 errors; …/errors returns all of them as a file. Imports of earlier versions have no `line`, `value` and `stored`',
    }),
    error: nullable(
      plain.object('What went wrong; null if nothing did', {
        code: plain.text('The name of the error, for programs'),
        message: plain.text('What happened, in a sentence for people'),
      }),
    ),
    started_at: nullable(Timestamp),
    finished_at: nullable(Timestamp),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type Import = Static<typeof Import>;

export const ImportList = pageSchema(ref(Import));
export const ImportQuery = pageQuery('-createdAt', {
  status: Type.Optional(oneOf(IMPORT_STATUSES, 'Only records with this status')),
});
export type ImportQuery = Static<typeof ImportQuery>;

/** The parts of the multipart form that uploads a sheet; `column` is the kind of record that a column of it can be mapped to. */
export const sheetForm = (column: string) => ({
  file: described(FilePart, 'The sheet: CSV or XLSX'),
  mapping: Type.Optional(
    Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string', minLength: 1, maxLength: 200, ...namesRecord(column) },
      maxProperties: 500,
      description: 'JSON: {title of a column: field}. Columns that are not named here are ignored',
    }),
  ),
});

/** What the import of a sheet needs to know. */
export interface ImportInput extends Pick<
  Import,
  'kind' | 'table' | 'file_name' | 'format' | 'columns' | 'silent' | 'update_existing' | 'country' | 'tag'
> {
  bytes: number;
}
