/** When a request about a campaign needs the right to read contacts. */
import type { Need } from '../../platform/http/needs.ts';
import type { ContactsToAdd } from './adding/schemas.ts';
import type { CampaignExportQuery } from './enrollments/schemas.ts';
import type { CampaignUpdate } from './schemas.ts';

/** The counters of a campaign show how many contacts an audience matches, and so what contacts are like. */
export const NEEDS_FOR_AUDIENCE: Need<{ body: CampaignUpdate }> = {
  scopes: ['contacts:read'],
  when: 'if `audience` has filters, tags or contacts',
  arises: (_tenant, { body }) => Object.values(body.audience ?? {}).some((part) => part.length > 0),
};

export const NEEDS_FOR_ENROLLMENTS: Need<{ body: ContactsToAdd }> = {
  scopes: ['contacts:read'],
  when: 'if the body names contacts by their ids',
  arises: (_tenant, { body }) => body.contacts.some(({ contact }) => contact !== undefined),
};

/** The rows of the contacts show their names and numbers. */
export const NEEDS_FOR_EXPORT: Need<{ query: CampaignExportQuery }> = {
  scopes: ['contacts:read'],
  when: 'unless `content` is ANALYTICS',
  arises: (_tenant, { query }) => query.content !== 'ANALYTICS',
};
