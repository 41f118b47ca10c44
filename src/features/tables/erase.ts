/** The rows of a removed table are erased afterwards, a portion at a time. Nobody sees them any more. */
import type { Kit } from '../../kit.ts';
import { deleteRemoved } from './queries.ts';
import { eraseRows } from './row-queries.ts';

// A transaction of some tens of milliseconds.
const PORTION = 2_000;

/** May be repeated, and begun again where it was interrupted: what is left is erased. */
export async function eraseTable(kit: Kit, company: string, table: string): Promise<void> {
  let after: number | null = 0;
  while (after !== null) {
    const from: number = after;
    after = await kit.database.tenantTx(company, (tx) => eraseRows(tx, table, { after: from, limit: PORTION }));
  }
  await kit.database.tenantTx(company, (tx) => deleteRemoved(tx, table));
}
