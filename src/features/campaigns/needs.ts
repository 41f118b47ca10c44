/** When a request about a campaign needs the right to read contacts. */
import type { Need } from '../../platform/http/needs.ts';
import type { CampaignExportQuery } from './enrollments/schemas.ts';

/** The rows of the contacts show their names and numbers. */
export const NEEDS_FOR_EXPORT: Need<{ query: CampaignExportQuery }> = {
  scopes: ['contacts:read'],
  when: 'unless `content` is ANALYTICS',
  arises: (_tenant, { query }) => query.content !== 'ANALYTICS',
};
