/** Finds the names of the records that audit entries are about. */
import { many } from '../../platform/store/db.ts';
import type { TenantRead } from '../../platform/store/tenant.ts';
import type { Scope } from '../../platform/values/scopes.ts';

const CONTACT = 'coalesce(c.name, c.phone_number, c.email)';

/**
 * What has a name, with the scope that shows it. Conversations and messages are named by their contact. Private views, macros and quick
 * replies are left out: only their owner sees them.
 */
const NAMED: readonly (readonly [Scope, string])[] = [
  ['companies:read', 'select _id, name from companies where _id = $1'],
  ['users:read', 'select _id, name from users where company_id = $1'],
  ['users:read', 'select _id, name from teams where company_id = $1'],
  ['api-keys:read', 'select _id, name from api_keys where company_id = $1'],
  ['custom-fields:read', 'select _id, title from custom_fields where company_id = $1'],
  ['attachments:read', 'select _id, file_name from attachments where company_id = $1'],
  ['inboxes:read', 'select _id, name from inboxes where company_id = $1'],
  ['inboxes:read', 'select _id, name from business_hours where company_id = $1'],
  ['inboxes:read', 'select _id, name from sla_policies where company_id = $1'],
  ['businesses:read', 'select _id, name from businesses where company_id = $1'],
  ['contacts:read', `select _id, ${CONTACT} from contacts c where company_id = $1`],
  [
    'contacts:read',
    `select v._id, ${CONTACT} from conversations v join contacts c on c.company_id = v.company_id and c._id = v.contact_id
      where v.company_id = $1`,
  ],
  [
    'contacts:read',
    `select m._id, ${CONTACT} from messages m join contacts c on c.company_id = m.company_id and c._id = m.contact_id
      where m.company_id = $1`,
  ],
  ['conversations:read', 'select _id, name from views where company_id = $1 and is_shared'],
  ['conversations:read', 'select _id, name from macros where company_id = $1 and owner_id is null'],
  ['pipelines:read', 'select _id, name from pipelines where company_id = $1'],
  ['messages:read', 'select _id, title from quick_replies where company_id = $1 and owner_id is null'],
  ['campaigns:read', 'select _id, name from campaigns where company_id = $1'],
  ['knowledge:read', 'select _id, name from knowledge_items where company_id = $1'],
  ['tables:read', 'select _id, name from tables where company_id = $1'],
  ['agents:read', 'select _id, name from agents where company_id = $1'],
  ['agents:read', 'select _id, name from mcp_servers where company_id = $1'],
  ['agents:read', 'select _id, name from rules where company_id = $1'],
];

const TEXT = NAMED.map(
  ([scope, named]) =>
    `select n._id, n.name from (${named}) n (_id, name) where n._id = any($2::text[]) and '${scope}' = any($3::text[])`,
).join(' union all ');

/** Returns the names that records have now. Those that are erased, have no name or may not be seen are left out. */
export async function findNames(
  tx: TenantRead,
  ids: string[],
  mayRead: (scope: Scope) => boolean,
): Promise<Map<string, string>> {
  const scopes = [...new Set(NAMED.map(([scope]) => scope))].filter(mayRead);
  const rows = await many<{ _id: string; name: string | null }>(tx, {
    name: 'audit.findNames',
    text: TEXT,
    values: [tx.companyId, ids, scopes],
  });
  return new Map(rows.flatMap(({ _id, name }) => (name === null ? [] : [[_id, name]])));
}
