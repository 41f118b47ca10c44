/** Erases the rows of a removed table, a portion at a time. */
import type { Kit } from '../../kit.ts';
import { workInPortions } from '../../platform/store/portions.ts';
import { deleteRemovedTable } from './queries.ts';
import { eraseRows } from './rows/queries.ts';

// A transaction for this many rows takes some tens of milliseconds.
const PORTION = 2_000;

/** Erases the remaining rows of a removed table. The job may run again after an interruption. */
export async function eraseTable(kit: Kit, company: string, table: string): Promise<void> {
  await workInPortions((last: number | null) =>
    kit.database.tenantTx(company, (tx) => eraseRows(tx, table, { after: last ?? 0, limit: PORTION })),
  );
  await kit.database.tenantTx(company, (tx) => deleteRemovedTable(tx, table));
}
