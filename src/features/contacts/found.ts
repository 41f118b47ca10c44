/** Whom a search finds, for lists of what belongs to contacts. */
import type { Tenant } from '../../platform/tenant.ts';
import { broadSearch, type BroadSearch } from './filter-queries.ts';
import { listFound } from './match-queries.ts';

/** The ids of those that GET /v1/contacts finds by this search; where they are more than `most`, the condition that finds them. */
export async function findContacts(tenant: Tenant, search: string, most: number): Promise<string[] | BroadSearch> {
  const ids = await listFound(tenant.read, { search, filters: [] }, most + 1);
  return ids.length > most ? broadSearch(search) : ids;
}
