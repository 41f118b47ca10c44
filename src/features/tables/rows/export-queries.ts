/** Reads the rows of a table in their order, for an export. */
import { many } from '../../../platform/store/db.ts';
import { selectPortionSql, READ_BYTES } from '../../../platform/store/portions.ts';
import type { TenantRead } from '../../../platform/store/tenant.ts';
import { NEXT, ROW, type RowRecord } from './queries.ts';

/** Returns the next rows after an index, as many as fit into a portion. */
export function walkRows(tx: TenantRead, tableId: string, after: number, limit: number): Promise<RowRecord[]> {
  return many(tx, {
    name: 'tables.walkRows',
    text: `select ${ROW} from table_rows where company_id = $1
      and _id = any(array(${selectPortionSql({ rows: NEXT, order: 'row_index', most: READ_BYTES })})) order by row_index`,
    values: [tx.companyId, tableId, after, limit],
  });
}
