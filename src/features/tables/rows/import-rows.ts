/** Converts rows of a sheet to the data of a table's rows. */
import type { Value } from '../../custom-fields/schemas.ts';
import { toValue } from '../../imports/cells.ts';
import type { Fault, ImportRow } from '../../imports/reading.ts';
import { findFaults } from '../columns.ts';
import type { Column, RowData } from '../schemas.ts';

/** Makes a function that converts one row and returns its data, with faults where it does not fit the columns. */
export function rowsToData(columns: Column[]): (row: ImportRow) => { value: RowData; faults: Fault[] } {
  return (row) => {
    const data = toData(columns, row);
    const faults = findFaults(columns, data).map(({ path, message }) => ({
      field: path.replace(/^data\.?/, '') || null,
      message,
    }));
    return { value: data, faults };
  };
}

function toData(columns: Column[], { cells }: ImportRow): RowData {
  const data = new Map<string, Value>();
  for (const column of columns) {
    const cell = cells.get(column.key) ?? null;
    if (cell !== null) data.set(column.key, toValue(column, cell));
  }
  return Object.fromEntries(data);
}
