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
import { refuseUnknown } from '../../../platform/store/unknown-references.ts';
import { buildConditions, type ContactMatch } from './filter-queries.ts';
import { readFilters } from './filters.ts';
import {
  countMatchingContacts,
  findUnknownBusiness,
  listContacts,
  listMatchingContacts,
  listNearContacts,
} from './queries.ts';
import type { Contact, ContactQuery } from '../schemas.ts';

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
