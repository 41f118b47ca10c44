/** Lists contacts by search, filters and pages; made for a million contacts and any combination of filters. */
import { findNearFirst } from '../../../platform/store/long-list.ts';
import {
  isSinceInOrder,
  makePage,
  readSearch,
  pageWindow,
  type Page,
  type Window,
} from '../../../platform/store/paging.ts';
import type { Tenant } from '../../../platform/store/tenant.ts';
import { declareLimit } from '../../../platform/values/limits.ts';
import { refuseUnknown } from '../../../platform/store/unknown-references.ts';
import { buildConditions, type ContactMatch } from './filter-queries.ts';
import { readFilters } from './filters.ts';
import { countFoundContacts, hasMoreContacts } from './found-queries.ts';
import {
  countMatchingContacts,
  findUnknownBusiness,
  listContacts,
  listMatchingContacts,
  listNearContacts,
} from './queries.ts';
import type { Contact, ContactFilters, ContactQuery } from '../schemas.ts';

// The most contacts that are compared one by one for a count, which takes some hundred milliseconds.
const MOST_COMPARED = declareLimit(50_000, {
  topic: 'Contacts',
  what: 'Contacts of a company whose segments are counted where no index finds them',
  beyond: 'no count',
});

export async function pageContacts(tenant: Tenant, query: ContactQuery): Promise<Page<Contact>> {
  const window = pageWindow('contacts', query);
  const match = await readContactMatch(tenant, query);
  const rows = await findContactPage(tenant, match, window);
  return makePage(window, rows, () => countMatchingContacts(tenant.read, match, window));
}

/** Reads search and filters of a query. Throws VALIDATION_FAILED or UNKNOWN_REFERENCE that names what is wrong with the filters. */
export async function readContactMatch(
  tenant: Tenant,
  query: { [Key in 'ids' | 'business' | 'search' | 'filters']?: string | undefined },
): Promise<ContactMatch> {
  const ids = query.ids?.split(',') ?? null;
  const { business = null } = query;
  refuseUnknown(await findUnknownBusiness(tenant.read, business));
  return { ids, business, search: readSearch(query), filters: await readFilters(tenant.read, query.filters) };
}

/** Lists a page of matching contacts. Where no index helps, all contacts are read in the order of the list. */
export async function findContactPage({ read }: Tenant, match: ContactMatch, window: Window): Promise<Contact[]> {
  const { ids, business, search, filters } = match;
  const isAll = ids === null && business === null && search === null && filters.length === 0;
  if (isAll && isSinceInOrder(window)) return listContacts(read, window);
  const lookUp = (): Promise<Contact[]> => listMatchingContacts(read, match, window);
  if (ids !== null || business !== null) return lookUp();
  if (buildConditions(match).indexed === null && isSinceInOrder(window)) return lookUp();
  return findNearFirst(window, () => listNearContacts(read, match, window), lookUp);
}

/** Counts the contacts that the list shows with these filters, but not more than `most`; null when all of very many would be compared. */
export async function countContacts(tenant: Tenant, filters: ContactFilters, most: number): Promise<number | null> {
  const { read } = tenant;
  const match = await readContactMatch(tenant, filters);
  const isCompared = match.filters.length > 0 || match.search !== null;
  if (isCompared && buildConditions(match).indexed === null && (await hasMoreContacts(read, MOST_COMPARED)))
    return null;
  return countFoundContacts(read, match, most);
}
