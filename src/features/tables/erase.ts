/** Erases the rows of a removed table, a portion at a time. */
import type { Kit } from '../../kit.ts';
import { deleteRemoved } from './queries.ts';
import { eraseRows } from './row-queries.ts';

// A transaction for this many rows takes some tens of milliseconds.
const PORTION = 2_000;

/** Erases what is left of a removed table. The job may run again after an interruption. */
export async function eraseTable(kit: Kit, company: string, table: string): Promise<void> {
  let after: number | null = 0;
  while (after !== null) {
    const from: number = after;
    after = await kit.database.tenantTx(company, (tx) => eraseRows(tx, table, { after: from, limit: PORTION }));
  }
  await kit.database.tenantTx(company, (tx) => deleteRemoved(tx, table));
}
