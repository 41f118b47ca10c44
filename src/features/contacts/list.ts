/** The list of contacts: search, filters, pages. Made for a million, of which anything may be asked. */
import { Type, type Static } from 'typebox';
import { pageFrom, pageOf, pageQuery, windowOf, type Page, type Window } from '../../platform/paging.ts';
import { ref } from '../../platform/schema.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { conditionsOf, type ContactMatch } from './filter-queries.ts';
import { readFilters } from './filters.ts';
import { countMatching, listContacts, listMatching, listNear } from './list-queries.ts';
import { Contact } from './schemas.ts';

const SEARCH =
  `The id, a part of the name or of the e-mail (without regard to case and accents), or a part of the phone number
  (without regard to punctuation)`.replaceAll(/\s+/g, ' ');

const FILTERS =
  `A JSON array, URL-encoded, of at most 15 items {field, operator, value}; a contact has to fit them all. \`field\` is
  contact.name, contact.email, contact.phone_number, contact.country_code, contact.professional_network_identifier, or the id of a
  custom field of contacts. \`operator\` is eq, neq, contains, not_contains, starts_with, ends_with, is_empty or is_not_empty; the last
  two need no value. Texts are compared without regard to case, but with their accents. A field of type NUMBER takes a number: eq and
  neq compare it as one, the others its text. BOOLEAN takes true or false. Of a LIST one item has to fit; for neq and not_contains
  none may. neq and not_contains keep contacts that have no value at all. Empty is what is null, absent, "" or []. The characters
  %, _ and \\ mean nothing special.`.replaceAll(/\s+/g, ' ');

export const ContactList = pageOf(ref(Contact));
/** What the list and the export have in common. */
export const MATCH_QUERY = {
  search: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: SEARCH })),
  // As long as a header may be, in which it travels.
  filters: Type.Optional(Type.String({ maxLength: 16_384, description: FILTERS })),
};
export const ContactQuery = pageQuery('-createdAt', MATCH_QUERY);
export type ContactQuery = Static<typeof ContactQuery>;

// A walk of this many takes some five milliseconds. What fills no page here is rare: then there is little to look up.
const REACH = 5_000;

export async function pageContacts(tenant: Tenant, query: ContactQuery): Promise<Page<Contact>> {
  const window = windowOf(query);
  const match = await readMatch(tenant, query);
  const rows = await findContacts(tenant, match, window);
  return pageFrom(query, rows, () => countMatching(tenant.read, match));
}

/** Throws VALIDATION_FAILED or UNKNOWN_REFERENCE naming what is wrong with the filters. */
export async function readMatch(
  tenant: Tenant,
  query: { search?: string | undefined; filters?: string | undefined },
): Promise<ContactMatch> {
  return { search: query.search ?? null, filters: await readFilters(tenant.read, query.filters) };
}

/**
 * A page of those that match. What is frequent fills it within a few rows of the list's order, and looking all of it up would
 * take long; what is rare is looked up by its index, and walking through the list would. So: a short walk, then the look-up.
 */
export async function findContacts(tenant: Tenant, match: ContactMatch, window: Window): Promise<Contact[]> {
  if (match.search === null && match.filters.length === 0) return listContacts(tenant.read, window);
  if (conditionsOf(match).indexed !== null && window.offset + window.limit <= REACH) {
    const near = await listNear(tenant.read, match, window, REACH);
    if (near.length === window.limit) return near;
  }
  return listMatching(tenant.read, match, window);
}
