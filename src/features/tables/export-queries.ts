/** Rows of a table in their order, for an export. */
import { many } from '../../platform/db.ts';
import type { TenantRead } from '../../platform/tenant.ts';
import { ROW, type RowRecord } from './row-queries.ts';

/** The next rows after an index. */
export function walkRows(tx: TenantRead, tableId: string, after: number, limit: number): Promise<RowRecord[]> {
  return many(tx, {
    name: 'tables.walkRows',
    text: `select ${ROW} from table_rows where company_id = $1 and table_id = $2 and row_index > $3 order by row_index limit $4`,
    values: [tx.companyId, tableId, after, limit],
  });
}
