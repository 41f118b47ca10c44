/** Removes a table. */
import type { Kit } from '../../kit.ts';
import { expectFound } from '../../platform/values/errors.ts';
import type { Tenant } from '../../platform/store/tenant.ts';
import { EraseRows } from './jobs.ts';
import { lockTable, markTableRemoved } from './queries.ts';
import type { Table } from './schemas.ts';

/** Removes a table: the table and its rows are not found any more, and a job erases the rows. */
export async function removeTable(kit: Kit, tenant: Tenant, id: string): Promise<Table> {
  return tenant.tx(async (tx) => {
    const removed = expectFound(await lockTable(tx, id));
    await markTableRemoved(tx, id);
    await kit.enqueue(tx, EraseRows, { company: tx.companyId, table: id }, { key: id });
    return removed;
  });
}
