/** Finds the contacts of a search, for lists of records that belong to contacts. */
import type { Tenant, TenantRead } from '../../../platform/store/tenant.ts';
import { buildConditions, toBroadSearch, type BroadSearch } from './filter-queries.ts';
import { readFilters } from './filters.ts';
import { listFoundContacts } from './found-queries.ts';

/**
 * Returns the ids of the contacts that GET /v1/contacts finds by this search, or, when they are more than `most`, the search as an SQL
 * condition.
 */
export async function searchContacts(tenant: Tenant, search: string, most: number): Promise<string[] | BroadSearch> {
  const ids = await listFoundContacts(tenant.read, { ids: null, business: null, search, filters: [] }, most + 1);
  return ids.length > most ? toBroadSearch(search) : ids;
}

/** An SQL condition on the columns of contacts. Its text begins with ` and `, and its parameters follow that of the company. */
export interface FilterCondition {
  exact: string;
  values: string[];
}

/** Returns the filters of GET /v1/contacts as an SQL condition, or null for no filters. Throws what is wrong with them. */
export async function readFilterCondition(read: TenantRead, list: unknown[]): Promise<FilterCondition | null> {
  const filters = await readFilters(read, JSON.stringify(list));
  if (filters.length === 0) return null;
  const { exact, exactValues } = buildConditions({ ids: null, business: null, search: null, filters });
  return { exact, values: exactValues };
}
