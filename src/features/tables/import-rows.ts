/** A portion of a sheet's rows, as rows of a table. */
import type { Kit } from '../../kit.ts';
import { notFound } from '../../platform/errors.ts';
import type { TenantTx } from '../../platform/tenant.ts';
import type { Value } from '../custom-fields/schemas.ts';
import { valueOfCell } from '../imports/cells.ts';
import type { Import, ImportJob, RowError } from '../imports/schemas.ts';
import { rowErrors, workImport, type ImportRow, type Taken } from '../imports/work.ts';
import { faultsOf } from './columns.ts';
import { lockTable } from './queries.ts';
import { addRows } from './rows.ts';
import type { Column, RowData } from './schemas.ts';

/** Works off an import of rows; `again` asks for its next turn. */
export const workRowImport = (kit: Kit, job: ImportJob, again: (tx: TenantTx) => Promise<void>): Promise<void> =>
  workImport(kit, job, { take: takeRows, again });

async function takeRows(tx: TenantTx, asked: Import, rows: ImportRow[]): Promise<Taken> {
  // Its columns stay as they are until these rows are in.
  const table = asked.table === null ? null : await lockTable(tx, asked.table);
  if (!table) throw notFound();
  const sound: RowData[] = [];
  const errors: RowError[] = [];
  let failed = 0;
  for (const row of rows) {
    const data = dataOf(table.columns, row);
    const faults = faultsOf(table.columns, data);
    if (faults.length === 0) sound.push(data);
    else {
      failed += 1;
      errors.push(
        ...rowErrors(
          row.number,
          faults.map(({ path, message }) => ({ field: path.replace(/^data\.?/, '') || null, message })),
        ),
      );
    }
  }
  if (sound.length > 0) await addRows(tx, table._id, sound);
  return { created: sound.length, updated: 0, failed, errors };
}

function dataOf(columns: Column[], { cells }: ImportRow): RowData {
  const data: Record<string, Value> = {};
  for (const column of columns) {
    const cell = cells.get(column.key) ?? null;
    if (cell !== null) data[column.key] = valueOfCell(column, cell);
  }
  return data;
}
