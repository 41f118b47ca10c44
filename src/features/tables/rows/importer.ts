/** Stores a portion of a sheet's rows as rows of a table. */
import { expectFound } from '../../../platform/values/errors.ts';
import type { TenantRead, TenantTx } from '../../../platform/store/tenant.ts';
import { toRowErrors } from '../../imports/row-errors.ts';
import type { ImportInput } from '../../imports/schemas.ts';
import type { RowImporter } from '../../imports/work.ts';
import { findTable, lockTable } from '../queries.ts';
import { addRows } from './rows.ts';
import type { Column, RowData, Table } from '../schemas.ts';

/** Imports the rows of a sheet as rows of a table. */
export const tableRowImporter: RowImporter<Column[], RowData> = {
  slots: async (tx, asked) => (await findImportTable(tx, asked)).columns,
  take: async (tx, asked, rows) => {
    const { _id } = await findImportTable(tx, asked);
    const sound = rows.flatMap(({ value, faults }) => (value && faults.length === 0 ? [value] : []));
    if (sound.length > 0) await addRows(tx, _id, sound);
    const errors = rows.flatMap(toRowErrors);
    return { created: sound.length, changed: 0, failed: rows.length - sound.length, errors };
  },
};

/** Finds the table of an import. In a transaction it also locks the table, so that its columns stay the same until the rows are stored. */
async function findImportTable(tx: TenantRead | TenantTx, { table }: ImportInput): Promise<Table> {
  const id = expectFound(table);
  return expectFound('writable' in tx ? await lockTable(tx, id) : await findTable(tx, id));
}
