/** Finds filters of a list that name records which do not exist. */
import { unknownReference } from '../values/errors.ts';
import { one } from './db.ts';
import type { TenantRead } from './tenant.ts';

interface Named<K extends string> {
  /** The name of the statement. */
  name: string;
  /** The table that the id of each filter names. */
  tables: Record<K, string>;
  /** The ids; null for a filter that the request does not use. */
  asked: Record<NoInfer<K>, string | null>;
}

/** Returns the names of the filters whose records do not exist. */
export async function findUnknown<K extends string>(tx: TenantRead, { name, tables, asked }: Named<K>): Promise<K[]> {
  const filters = Object.keys(tables) as K[];
  if (filters.every((filter) => asked[filter] === null)) return [];
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

/** Throws UNKNOWN_REFERENCE that names the first of these filters, if there is one. */
export function refuseUnknown([unknown]: readonly string[]): void {
  if (unknown !== undefined) throw unknownReference(unknown);
}
