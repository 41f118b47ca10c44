import { Type, type Static } from 'typebox';
import { describeFilters, filtersParameter } from '../../platform/store/filters/parameter.ts';
import { SORTS } from '../../platform/store/orders.ts';
import { pageSchema, pageQuery, searchParameter } from '../../platform/store/paging.ts';
import {
  Name,
  SLUG,
  Timestamp,
  define,
  explainedPattern,
  nullable,
  oneOf,
  recordId,
  ref,
  strict,
  described,
  plain,
} from '../../platform/values/schema.ts';
import { AnyValue, FIELD_TYPES, options, title, type Value } from '../custom-fields/schemas.ts';
import { sheetForm } from '../imports/schemas.ts';
import { declareLimit } from '../../platform/values/limits.ts';

const COLUMN_TYPES = [...FIELD_TYPES, 'URL'] as const;

const MAX_COLUMNS = declareLimit(100, { topic: 'Records', what: 'Table: columns', beyond: '400' });

const key = Type.String({
  minLength: 1,
  maxLength: 64,
  ...SLUG,
  description: 'The name of the column in the data of a row',
});

const ColumnInput = strict({
  key,
  title: Type.Optional(title),
  type: oneOf(COLUMN_TYPES, 'The type of its values'),
  required: Type.Optional(plain.flag(`Each row needs a value here; "" and [] don't count as one`)),
  options: Type.Optional(options),
});
export type ColumnInput = Static<typeof ColumnInput>;

export const Column = define(
  'Column',
  Type.Object({
    key: plain.text('The name of the column in the data of a row'),
    title: plain.text('The label that people see'),
    type: oneOf(COLUMN_TYPES, 'The type of its values'),
    required: plain.flag('Whether each row needs a value here'),
    options: Type.Array(Type.String(), {
      description: 'The values that a SELECT accepts, or the items of a LIST that is limited to them',
    }),
  }),
);
export type Column = Static<typeof Column>;

const writableProperties = {
  name: Name,
  slug: Type.String({
    minLength: 1,
    maxLength: 64,
    ...explainedPattern(
      '^[a-z][a-z0-9_-]*$',
      'must start with a letter from a to z and contain only such letters, digits, underscores and hyphens',
    ),
    description: 'The API name; it never changes',
  }),
  description: nullable(Type.String({ maxLength: 2_000, description: 'What the field is for, shown to people' })),
  columns: Type.Array(ColumnInput, {
    maxItems: MAX_COLUMNS,
    description: 'The columns, in the order in which they are shown',
  }),
};
const { name, ...rest } = writableProperties;

export const TableCreate = define('TableCreate', strict({ name, ...Type.Partial(Type.Object(rest)).properties }));
export type TableCreate = Static<typeof TableCreate>;

export const TableUpdate = define(
  'TableUpdate',
  Type.Partial(
    strict({
      ...writableProperties,
      drop_columns: Type.Array(key, {
        maxItems: MAX_COLUMNS,
        uniqueItems: true,
        description: 'Columns that can be removed even if rows have values in them',
      }),
    }),
    { additionalProperties: false },
  ),
);
export type TableUpdate = Static<typeof TableUpdate>;

const tableProperties = {
  _id: recordId('table'),
  company: recordId('company'),
  name: plain.name,
  slug: plain.text('The API name; it never changes'),
  description: nullable(plain.text('What the field is for, shown to people')),
  columns: Type.Array(ref(Column), { description: 'The columns, in the order in which they are shown' }),
  row_count: plain.integer('How many rows the table has'),
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

export const Table = define('Table', Type.Object(tableProperties));
export type Table = Static<typeof Table>;

export type RowData = Record<string, Value>;
const Data = Type.Unsafe<RowData>({
  type: 'object',
  additionalProperties: AnyValue,
  description: 'Values by the key of their column',
});
const DataInput = Type.Unsafe<Record<string, Value | null>>({
  type: 'object',
  additionalProperties: AnyValue,
  maxProperties: MAX_COLUMNS,
  description: 'Values by the key of their column; null clears a value',
});

export const Row = define(
  'Row',
  Type.Object({
    _id: recordId('row'),
    table: recordId('table'),
    company: recordId('company'),
    data: Data,
    row_index: plain.integer('Unique and increasing in its table, and never reused'),
    contact_id: Type.Optional(recordId('contact')),
    business_id: Type.Optional(recordId('business')),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type Row = Static<typeof Row>;

export const RowCreate = define(
  'RowCreate',
  strict({
    data: DataInput,
    contact_id: Type.Optional(nullable(recordId('contact'))),
    business_id: Type.Optional(nullable(recordId('business'))),
  }),
);
export type RowCreate = Static<typeof RowCreate>;

export const RowUpdate = define(
  'RowUpdate',
  Type.Partial(
    strict({ data: DataInput, contact_id: nullable(recordId('contact')), business_id: nullable(recordId('business')) }),
    {
      additionalProperties: false,
    },
  ),
);
export type RowUpdate = Static<typeof RowUpdate>;

export const RowQuery = pageQuery(
  '-createdAt',
  {
    search: searchParameter('Part of any value, ignoring case and accents'),
    filters: filtersParameter(`A row must match all of them. ${describeFilters('the key of a column of this table')}`, [
      { field: 'city', operator: 'eq', value: 'Recife' },
      { field: 'price', operator: 'lt', value: 50 },
    ]),
  },
  [...SORTS, 'row_index', '-row_index'],
);
export type RowQuery = Static<typeof RowQuery>;

export const RowList = pageSchema(ref(Row));
export const ContactRowQuery = pageQuery('-createdAt', {});
export type ContactRowQuery = Static<typeof ContactRowQuery>;
export const TableWithRows = define(
  'TableWithRows',
  Type.Object({ ...tableProperties, rows: described(RowList, "A page of the table's rows") }),
);
export type TableWithRows = Static<typeof TableWithRows>;

export const TableParams = Type.Object({ id: recordId('table') });
export const RowsParams = Type.Object({ tableId: recordId('table') });
export const RowParams = Type.Object({ ...RowsParams.properties, rowId: recordId('row') });
export const RowImportParams = Type.Object({ ...TableParams.properties, importId: recordId('table-import') });
export const RowImportForm = strict(sheetForm('column'));
export type RowImportForm = Static<typeof RowImportForm>;

export const TableList = pageSchema(ref(Table));
export const TableQuery = pageQuery('-createdAt', {
  search: searchParameter('Part of the name or slug'),
});
export type TableQuery = Static<typeof TableQuery>;
