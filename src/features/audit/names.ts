/** Names the records that audit entries are about. */
import { findNames, groupIds } from '../../platform/store/names.ts';
import type { Tenant } from '../../platform/store/tenant.ts';
import { allows, type Scope } from '../../platform/values/scopes.ts';
import { NAMES as SHARED_NAMES } from '../conversations/names-sql.ts';
import { NAMES as OWN_NAMES } from './names-sql.ts';
import type { AuditEntry, AuditLine } from './schemas.ts';

/** The names of all records that have one. */
export const NAMES = { ...SHARED_NAMES, ...OWN_NAMES };

/** The kinds of records that the entries of a resource are about, with the scope that shows their names. */
const KINDS: readonly (readonly [resource: string, kind: keyof typeof NAMES, scope: Scope])[] = [
  ['companies', 'companies', 'companies:read'],
  ['assist', 'companies', 'companies:read'],
  ['synonyms', 'companies', 'companies:read'],
  ['users', 'users', 'users:read'],
  ['auth', 'users', 'users:read'],
  ['teams', 'teams', 'users:read'],
  ['api-keys', 'api-keys', 'api-keys:read'],
  ['custom-fields', 'custom-fields', 'custom-fields:read'],
  ['attachments', 'attachments', 'attachments:read'],
  ['inboxes', 'inboxes', 'inboxes:read'],
  ['templates', 'templates', 'inboxes:read'],
  ['business-hours', 'business-hours', 'inboxes:read'],
  ['sla-policies', 'sla-policies', 'inboxes:read'],
  ['businesses', 'businesses', 'businesses:read'],
  ['contacts', 'contacts', 'contacts:read'],
  ['contacts', 'contact-imports', 'contacts:read'],
  ['segments', 'segments', 'contacts:read'],
  ['conversations', 'conversations', 'contacts:read'],
  ['messages', 'messages', 'contacts:read'],
  ['views', 'views', 'conversations:read'],
  ['macros', 'macros', 'conversations:read'],
  ['pipelines', 'pipelines', 'pipelines:read'],
  ['quick-replies', 'quick-replies', 'messages:read'],
  ['campaigns', 'campaigns', 'campaigns:read'],
  ['knowledge', 'knowledge', 'knowledge:read'],
  ['tables', 'tables', 'tables:read'],
  ['tables', 'rows', 'tables:read'],
  ['tables', 'table-imports', 'tables:read'],
  ['agents', 'agents', 'agents:read'],
  ['mcp-servers', 'mcp-servers', 'agents:read'],
  ['rules', 'rules', 'agents:read'],
];

/** Adds the names that the records have now, for a caller that may read them. */
export async function nameRecords({ read, principal }: Tenant, lines: AuditLine[]): Promise<AuditEntry[]> {
  const shown = KINDS.filter(([, , scope]) => allows(principal.scopes, scope));
  const ids = lines.flatMap(({ resource, resource_id: id }) =>
    shown.flatMap(([about, kind]) => (about === resource ? [[kind, id] as const] : [])),
  );
  const names = await findNames(read, NAMES, groupIds(ids));
  return lines.map((line) => ({ ...line, resource_name: names.get(line.resource_id ?? '') ?? null }));
}
