/** The audience of a campaign: the contacts that match its filters and tags, and those that it lists. */
import { listNeededValues } from '../../channels/templates/variables.ts';
import type { GivenComponent } from '../../channels/templates/given.ts';
import { AppError, insideOf, unknownReference } from '../../platform/values/errors.ts';
import type { TenantRead } from '../../platform/store/tenant.ts';
import { readFilterCondition } from '../contacts/list/found.ts';
import { listAllDefinitions } from '../custom-fields/values.ts';
import type { AudienceMatch, NeededValue } from './audience-queries.ts';
import { findExistingContacts } from './queries.ts';
import type { Audience } from './schemas.ts';

/** Reads the filters, and finds their custom fields. Throws an error that names the filter, such as `audience.filters[2].value`. */
export async function readAudience(
  read: TenantRead,
  { filters = [], tags = [], contacts = [] }: Audience,
): Promise<AudienceMatch> {
  try {
    return { filters: await readFilterCondition(read, filters), tags, contacts };
  } catch (error) {
    // Failure policy: the error is thrown on, with the paths that the fields have in a campaign.
    throw error instanceof AppError && error.status === 400 ? insideOf('audience', error) : error;
  }
}

/** Checks an audience that a caller gives. Throws UNKNOWN_REFERENCE for contacts and custom fields that the company does not have. */
export async function checkAudience(read: TenantRead, audience: Audience): Promise<void> {
  const { contacts = [] } = audience;
  await readAudience(read, audience);
  const existing = new Set(contacts.length > 0 ? await findExistingContacts(read, contacts) : []);
  const unknown = contacts.findIndex((id) => !existing.has(id));
  if (unknown >= 0) throw unknownReference(`audience.contacts[${unknown}]`);
}

/** Returns where contacts need values, so that the variables of these templates can be filled in. */
export async function findNeededValues(read: TenantRead, given: readonly GivenComponent[]): Promise<NeededValue[]> {
  const sources = listNeededValues(given);
  const isCustom = sources.some(({ slug }) => slug !== null);
  const fields = new Map(
    isCustom ? (await listAllDefinitions(read, 'contact')).map(({ slug, _id }) => [slug, _id]) : [],
  );
  return sources.map(({ field, slug, column }) => ({
    field,
    customField: slug === null ? null : (fields.get(slug) ?? null),
    column,
  }));
}
