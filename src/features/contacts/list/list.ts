/** Lists contacts by search, filters and pages; made for a million contacts and any combination of filters. */
import { findNearFirst } from '../../../platform/long-list.ts';
import { isStretch, pageFrom, readSearch, pageWindow, type Page, type Window } from '../../../platform/paging.ts';
import type { Tenant } from '../../../platform/tenant.ts';
import { buildConditions, type ContactMatch } from './filter-queries.ts';
import { readFilters } from './filters.ts';
import { countMatching, listContacts, listMatching, listNear } from './queries.ts';
import type { Contact, ContactQuery } from '../schemas.ts';

export async function pageContacts(tenant: Tenant, query: ContactQuery): Promise<Page<Contact>> {
  const window = pageWindow('contacts', query);
  const match = await readMatch(tenant, query);
  const rows = await findContacts(tenant, match, window);
  return pageFrom(query, window, rows, () => countMatching(tenant.read, match, window));
}

/** Reads search and filters of a query. Throws VALIDATION_FAILED or UNKNOWN_REFERENCE that names what is wrong with the filters. */
export async function readMatch(
  tenant: Tenant,
  query: { search?: string | undefined; filters?: string | undefined },
): Promise<ContactMatch> {
  return { search: readSearch(query), filters: await readFilters(tenant.read, query.filters) };
}

/** Lists a page of matching contacts. Where no index helps, all contacts are read in the order of the list. */
export async function findContacts({ read }: Tenant, match: ContactMatch, window: Window): Promise<Contact[]> {
  const isAll = match.search === null && match.filters.length === 0;
  if (isAll && isStretch(window)) return listContacts(read, window);
  const lookUp = (): Promise<Contact[]> => listMatching(read, match, window);
  if (buildConditions(match).indexed === null && isStretch(window)) return lookUp();
  return findNearFirst(window, () => listNear(read, match, window), lookUp);
}
