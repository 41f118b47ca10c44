/** Lists contacts by search, filters and pages; made for a million contacts and any combination of filters. */
import { isStretch, pageFrom, readSearch, pageWindow, type Page, type Window } from '../../platform/paging.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { buildConditions, type ContactMatch } from './filter-queries.ts';
import { readFilters } from './filters.ts';
import { countMatching, listContacts, listMatching, listNear } from './list-queries.ts';
import type { Contact, ContactQuery } from './schemas.ts';

// The number of contacts that are read in order first, which takes some five milliseconds.
// A match that does not fill a page from them is rare, so the index finds few contacts.
const REACH = 5_000;

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

/**
 * Lists a page of matching contacts. A frequent match fills it from the first rows of the order, where finding all matches would take long.
 * A rare match is found by the index, where reading in order would take long. So the first rows are read, and then the index is used.
 */
export async function findContacts(tenant: Tenant, match: ContactMatch, window: Window): Promise<Contact[]> {
  if (match.search === null && match.filters.length === 0 && isStretch(window))
    return listContacts(tenant.read, window);
  if ((buildConditions(match).indexed !== null || !isStretch(window)) && window.offset + window.limit <= REACH) {
    const near = await listNear(tenant.read, match, window, REACH);
    if (near.length === window.limit) return near;
  }
  return listMatching(tenant.read, match, window);
}
