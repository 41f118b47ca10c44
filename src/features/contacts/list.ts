/** The list of contacts: search, filters, pages. Made for a million, of which anything may be asked. */
import { isStretch, pageFrom, readSearch, pageWindow, type Page, type Window } from '../../platform/paging.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { conditionsOf, type ContactMatch } from './filter-queries.ts';
import { readFilters } from './filters.ts';
import { countMatching, listContacts, listMatching, listNear } from './list-queries.ts';
import type { Contact, ContactQuery } from './schemas.ts';

// A walk of this many takes some five milliseconds. What fills no page here is rare: then there is little to look up.
const REACH = 5_000;

export async function pageContacts(tenant: Tenant, query: ContactQuery): Promise<Page<Contact>> {
  const window = pageWindow('contacts', query);
  const match = await readMatch(tenant, query);
  const rows = await findContacts(tenant, match, window);
  return pageFrom(query, window, rows, () => countMatching(tenant.read, match, window));
}

/** Throws VALIDATION_FAILED or UNKNOWN_REFERENCE naming what is wrong with the filters. */
export async function readMatch(
  tenant: Tenant,
  query: { search?: string | undefined; filters?: string | undefined },
): Promise<ContactMatch> {
  return { search: readSearch(query), filters: await readFilters(tenant.read, query.filters) };
}

/**
 * A page of those that match. What is frequent fills it within a few rows of the list's order, and looking all of it up would
 * take long; what is rare is looked up by its index, and walking through the list would. So: a short walk, then the look-up.
 */
export async function findContacts(tenant: Tenant, match: ContactMatch, window: Window): Promise<Contact[]> {
  if (match.search === null && match.filters.length === 0 && isStretch(window))
    return listContacts(tenant.read, window);
  if ((conditionsOf(match).indexed !== null || !isStretch(window)) && window.offset + window.limit <= REACH) {
    const near = await listNear(tenant.read, match, window, REACH);
    if (near.length === window.limit) return near;
  }
  return listMatching(tenant.read, match, window);
}
