/** Checks rows against the columns of their table, and converts the rows when the columns change. */
import { isDeepStrictEqual } from 'node:util';
import { AppError, invalid, type FieldError } from '../../platform/values/errors.ts';
import { getOwnProperty } from '../../platform/values/own-property.ts';
import { walkPortions } from '../../platform/store/portions.ts';
import { findSizeFault, MAX_VALUES_BYTES } from '../../platform/values/sizes.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import type { Value } from '../custom-fields/schemas.ts';
import { checkOptions, findValueFault, isEmpty } from '../custom-fields/values.ts';
import { listPortion, rewriteRows, type StoredData } from './rows/queries.ts';
import type { Column, ColumnInput, RowData, Table } from './schemas.ts';
import { declareLimit } from '../../platform/values/limits.ts';

/** Returns the columns with their defaults. Throws VALIDATION_FAILED naming `columns[i]`. */
export function checkColumns(input: ColumnInput[]): Column[] {
  const seen = new Set<string>();
  return input.map(({ key, type, title = key, required = false, options = [] }, index) => {
    const path = `columns[${index}]`;
    if (seen.has(key)) throw invalid(`${path}.key`, 'appears twice in the list', 'DUPLICATE');
    seen.add(key);
    checkOptions(`${path}.options`, type, options);
    return { key, title, type, required, options };
  });
}

/** Returns each fault of a row's data as a path below the row and a message. */
export function findFaults(columns: Column[], data: Record<string, Value | null>): { path: string; message: string }[] {
  const faults: { path: string; message: string }[] = [];
  const byKey = new Map(columns.map((column) => [column.key, column]));
  for (const [key, value] of Object.entries(data)) {
    const column = byKey.get(key);
    const message = column ? value !== null && findValueFault(column, value) : 'is not a column of this table';
    if (message) faults.push({ path: `data.${key}`, message });
  }
  for (const { key, required } of columns) {
    if (required && isEmpty(getOwnProperty(data, key))) faults.push({ path: `data.${key}`, message: 'is required' });
  }
  const tooLarge = findSizeFault(withoutNulls(data), MAX_VALUES_BYTES);
  if (tooLarge !== null) faults.push({ path: 'data', message: tooLarge });
  return faults;
}

/** Returns the data to store, without keys that are null. Throws VALIDATION_FAILED naming each value that does not fit. */
export function checkRowData(columns: Column[], data: Record<string, Value | null>): RowData {
  const faults = findFaults(columns, data);
  const [first] = faults;
  if (first) {
    const errors = faults.map(({ path, message }): FieldError => ({ path, code: 'INVALID', message }));
    throw new AppError('VALIDATION_FAILED', `${first.path} ${first.message}`, errors);
  }
  return withoutNulls(data);
}

const withoutNulls = (data: Record<string, Value | null>): RowData =>
  Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null)) as RowData;

// The number of rows that are read and rewritten in one statement, which takes some tenths of a second.
const PORTION = 2_000;
// The most rows of a table whose columns change: with more rows the rewriting would lock the table for longer than a request may take.
const MOST_ROWS = declareLimit(100_000, {
  topic: 'Records',
  what: 'Table: rows while its columns change',
  beyond: '409',
});

interface ColumnChange {
  before: Table;
  columns: Column[];
  /** The columns that may be removed although rows have values for them. */
  dropped: string[];
}

/**
 * Converts the rows to the changed columns, in the transaction that has locked the table. Throws COLUMN_IN_USE naming each column whose
 * values would be lost, and in how many rows. A value is converted where nothing of it is lost.
 */
export async function migrateRows(tx: TenantTx, { before, columns, dropped }: ColumnChange): Promise<void> {
  const gone = before.columns.filter((column) => !columns.some(({ key }) => key === column.key));
  const stricter = columns.filter((column) =>
    isStricter(
      before.columns.find(({ key }) => key === column.key),
      column,
    ),
  );
  if (before.row_count === 0 || (gone.length === 0 && stricter.length === 0)) return;
  if (before.row_count > MOST_ROWS)
    throw makeColumnInUseError([
      `columns: the table has more than ${MOST_ROWS} rows, too many to change while it is in use`,
    ]);
  const counts = new Map<string, number>();
  const refuse = (key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);
  const lost = new Set(gone.map(({ key }) => key).filter((key) => !dropped.includes(key)));
  const portions = walkPortions((last: StoredData | null) =>
    listPortion(tx, before._id, last?.row_index ?? 0, PORTION),
  );
  for await (const portion of portions) {
    const next = portion.map((row) => ({ ...row, data: convertRow(row.data, { gone, stricter, lost, refuse }) }));
    const changed = next.filter((row, index) => !isDeepStrictEqual(row.data, portion[index]?.data));
    if (counts.size === 0 && changed.length > 0) await rewriteRows(tx, before._id, changed);
  }
  if (counts.size > 0)
    throw makeColumnInUseError(
      [...counts].map(
        ([key, rows]) => `${key}: a value would be lost or missing in ${rows === 1 ? '1 row' : `${rows} rows`}`,
      ),
    );
}

function makeColumnInUseError(messages: string[]): AppError {
  const errors = messages.map((message) => ({ path: 'columns', code: 'COLUMN_IN_USE', message }));
  return new AppError('COLUMN_IN_USE', messages[0], errors);
}

/** Returns true when a value that fits the old column may not fit the new one. */
function isStricter(before: Column | undefined, after: Column): boolean {
  if (!before) return after.required;
  const narrowed = after.options.length > 0 && before.options.some((option) => !after.options.includes(option));
  const limited = after.type === 'LIST' && before.options.length === 0 && after.options.length > 0;
  return before.type !== after.type || narrowed || limited || (after.required && !before.required);
}

interface Conversion {
  gone: Column[];
  stricter: Column[];
  /** The removed columns whose values must not be lost. */
  lost: Set<string>;
  refuse(key: string): void;
}

function convertRow(data: RowData, { gone, stricter, lost, refuse }: Conversion): RowData {
  const next = new Map(Object.entries(data));
  for (const { key } of gone) {
    if (next.delete(key) && lost.has(key)) refuse(key);
  }
  for (const column of stricter) {
    const held = getOwnProperty(data, column.key);
    const value = held === undefined ? undefined : convertValue(held, column);
    if (value !== undefined) next.set(column.key, value);
    else if (held !== undefined || column.required) refuse(column.key);
  }
  return Object.fromEntries(next);
}

/** Converts a value to the type of the column. Returns undefined when the conversion loses something or leaves a required column empty. */
function convertValue(value: Value, column: Column): Value | undefined {
  const alone = Array.isArray(value) && value.length === 1 ? value[0] : value;
  const text = Array.isArray(alone) ? undefined : String(alone);
  const candidates: (Value | undefined)[] = [value, alone, text, text === undefined ? undefined : [text]];
  if (text !== undefined && String(Number(text)) === text) candidates.push(Number(text));
  if (text === 'true' || text === 'false') candidates.push(text === 'true');
  return candidates.find(
    (candidate) =>
      candidate !== undefined && findValueFault(column, candidate) === null && !(column.required && isEmpty(candidate)),
  );
}
