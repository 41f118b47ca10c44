/** Whom a search finds, for lists of what belongs to contacts. */
import type { Tenant } from '../../platform/tenant.ts';
import { listFound } from './match-queries.ts';

/** The ids of those that GET /v1/contacts finds by this search; null when they are more than `most`. */
export async function findContactIds(tenant: Tenant, search: string, most: number): Promise<string[] | null> {
  const ids = await listFound(tenant.read, { search, filters: [] }, most + 1);
  return ids.length > most ? null : ids;
}
