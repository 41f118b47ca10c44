/** Finds the contacts of a search, for lists of records that belong to contacts. */
import type { Tenant } from '../../../platform/tenant.ts';
import { broadSearch, type BroadSearch } from './filter-queries.ts';
import { listFound } from './found-queries.ts';

/**
 * Returns the ids of the contacts that GET /v1/contacts finds by this search, or, when they are more than `most`, the search as an SQL
 * condition.
 */
export async function findContacts(tenant: Tenant, search: string, most: number): Promise<string[] | BroadSearch> {
  const ids = await listFound(tenant.read, { search, filters: [] }, most + 1);
  return ids.length > most ? broadSearch(search) : ids;
}
