/** Finds filters of a list that name records which do not exist. */
import { one } from './db.ts';
import type { TenantRead } from './tenant.ts';

/**
 * Returns the names of the filters whose records do not exist. `tables` maps a filter to the table that its id names; `asked` are the ids,
 * null for a filter that the request does not use.
 */
export async function findUnknown<K extends string>(
  tx: TenantRead,
  { name, tables, asked }: { name: string; tables: Record<K, string>; asked: Record<NoInfer<K>, string | null> },
): Promise<K[]> {
  const filters = Object.keys(tables) as K[];
  const row = await one<Record<string, boolean>>(tx, {
    name,
    text: `select ${filters
      .map(
        (filter, index) => `$${index + 2}::text is not null and not exists (
        select 1 from ${tables[filter]} where company_id = $1 and _id = $${index + 2}) as "${filter}"`,
      )
      .join(', ')}`,
    values: [tx.companyId, ...filters.map((filter) => asked[filter])],
  });
  return filters.filter((filter) => row[filter]);
}
